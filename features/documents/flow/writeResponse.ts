// An agent's response goes into its document: it is kept on the disk first, applied to the text that the agent had seen, and
// merged with what a person typed since. Twice is once: a response that is in the document already changes nothing.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { appendAnswer, applyResponse, parseResponse, type Applied } from "../model/patches.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { parseComponents } from "../model/components.ts";
import type { Frontmatter } from "../model/frontmatter.ts";
import { withDocumentLock } from "../files/documentLock.ts";
import {
  listPending,
  pendingPath,
  removePending,
  savePending,
  type PendingResponse,
} from "../files/pendingResponses.ts";
import { replaceText, type OnStep } from "../files/replaceText.ts";
import { saveCrdtState, saveSnapshot } from "../files/snapshots.ts";
import { readKept, readText, writeKept } from "../files/wholeFile.ts";
import { writeThroughEditor, type Way } from "../ipc/writeThroughEditor.ts";
import { groundOf, type Ground } from "./answered.ts";
import { openDocument, type OpenDocument } from "./openDocument.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";

export interface WriteRequest {
  readonly paths: DocumentPaths;
  readonly response: string;
  /** What the agent had seen; null: the document as it is now. */
  readonly baseline: string | null;
  /** Merges for documents with `agent_doc_write: merge`. */
  readonly mergeByLines: (base: string, agent: string, person: string) => Promise<string>;
  readonly way: Way;
  readonly now: number;
  /** `file`: the snapshot also holds what was typed meanwhile, so that the agent is never shown it. */
  readonly snapshot?: "agent" | "file";
  readonly onStep?: OnStep;
}

export interface WriteResult {
  readonly isChanged: boolean;
  /** What had to be changed in the response, for the person. */
  readonly notes: readonly string[];
  /** Responses of before that only now came into the document. */
  readonly recovered: number;
}

/** @throws AgtmuxError E_DOCUMENT_INVALID where no answer could be put into the document, whatever it is. */
export const checkAnswerable = (text: string, { format }: Pick<Frontmatter, "format">): void => {
  if (parseComponents(text).length > 0 || format === "inline") return;
  throw new AgtmuxError(
    "E_DOCUMENT_INVALID",
    "the document has no components, and is not an inline document",
    {
      remedy: "Add components, or 'agent_doc_format: inline' to its frontmatter.",
    },
  );
};

/** The baseline with the response in it. @throws AgtmuxError E_DOCUMENT_INVALID; nothing was written then. */
export const applyToBaseline = (
  document: Pick<OpenDocument, "frontmatter" | "configs">,
  baseline: string,
  response: string,
): Applied => {
  const parsed = parseResponse(response);
  if (parsed.patches.length === 0 && parsed.unmatched === "")
    throw new AgtmuxError("E_USAGE", "the response is empty", { remedy: "Send it on standard input." });
  const isInline = document.frontmatter.format === "inline";
  if (isInline && parsed.patches.length === 0)
    return { text: appendAnswer(baseline, parsed.unmatched), notes: [] };
  if (!isInline) checkAnswerable(baseline, document.frontmatter);
  return applyResponse(baseline, parsed, document.configs);
};

/** The same on what the agents know by now; a snapshot that takes no answer may have come with the project, and counts for nothing. */
export const applyToGround = (
  document: Pick<OpenDocument, "frontmatter" | "configs">,
  ground: string,
  { response, baseline }: Pick<PendingResponse, "response" | "baseline">,
): { baseline: string; text: string } => {
  try {
    if (ground !== baseline)
      return { baseline: ground, text: applyToBaseline(document, ground, response).text };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
  }
  return { baseline, text: applyToBaseline(document, baseline, response).text };
};

const WAYS = 5;

/** Puts `agent`, made from `baseline`, into the file; whether that changed anything. */
const mergeIntoFile = async (
  request: WriteRequest,
  document: OpenDocument,
  baseline: string,
  agent: string,
): Promise<boolean> => {
  const { paths, mergeByLines, onStep = () => {} } = request;
  let isChanged = false;
  for (let way = 0; way < WAYS; way += 1) {
    // git merges in a process of its own, so what it makes of the text of a moment ago is used only for that text.
    const before = await readText(paths.file);
    const prepared =
      document.frontmatter.write === "merge" ? await mergeByLines(baseline, agent, before) : null;
    const written = await replaceText(
      paths.file,
      (current) =>
        current === before && prepared !== null ? prepared : mergeTexts(baseline, agent, current),
      onStep,
    );
    const after = await readText(paths.file);
    isChanged ||= after !== before;
    // Where an editor saved over it a moment later, it may be gone: then once more.
    if (after === written) return isChanged;
  }
  throw new AgtmuxError("E_DOCUMENT_BUSY", "another program keeps writing over the response; it is kept", {
    remedy: "Close or save the document in its editor, and repeat.",
  });
};

/** Snapshot and state hold what the agent knows, so that what was typed meanwhile is in the next diff. */
const saveSeen = async (
  { paths, snapshot }: Pick<WriteRequest, "paths" | "snapshot">,
  agent: string,
  keep: Ground["keep"],
): Promise<void> => {
  const text = await readText(paths.file);
  const seen = snapshot === "file" ? text : agent;
  await Promise.all([
    saveSnapshot(paths, seen),
    saveCrdtState(paths, text),
    writeKept(paths, paths.answered, keep(seen)),
  ]);
};

/** A snapshot that is damaged is replaced by this write. */
const findGround = async (paths: DocumentPaths, answer: PendingResponse): Promise<Ground> => {
  const read = async (path: string): Promise<string | null> => {
    try {
      return await readKept(paths, path);
    } catch (error) {
      if (error instanceof AgtmuxError) return null;
      throw error;
    }
  };
  return groundOf(answer, { seen: await read(paths.snapshot), kept: await read(paths.answered) });
};

const settle = async (
  request: WriteRequest,
  document: OpenDocument,
  one: PendingResponse,
): Promise<boolean> => {
  const { response } = one;
  const { paths, way, onStep } = request;
  const { knows, keep, ...ground } = await findGround(paths, one);
  const { baseline, text } = applyToGround(document, ground.text, one);
  const isInline = document.frontmatter.format === "inline";
  const handed = { paths, way, response, baseline, agent: text, modes: document.configs, isInline, onStep };
  const isChanged =
    (await writeThroughEditor(handed)) ?? (await mergeIntoFile(request, document, baseline, text));
  request.onStep?.("in the file");
  await saveSeen(request, knows ?? text, keep);
  request.onStep?.("snapshot saved");
  await removePending(paths, one);
  request.onStep?.("pending removed");
  return isChanged;
};

/**
 * @throws AgtmuxError E_DOCUMENT_INVALID, E_CONFIG_INVALID and E_USAGE before anything was written; E_DOCUMENT_BUSY when it
 * could not be written now: the response is kept, and the next write puts it in.
 */
export const writeResponse = async (request: WriteRequest): Promise<WriteResult> => {
  const { paths, response, onStep = () => {} } = request;
  const document = await openDocument(paths);
  const baseline = request.baseline ?? document.text;
  const { notes } = applyToBaseline(document, baseline, response);
  const kept = await listPending(paths);
  // The first try of this response, which was killed: its baseline is older than what is in the file now.
  const first = request.baseline === null ? kept.find((one) => one.response === response) : undefined;
  const own: PendingResponse = first ?? {
    path: pendingPath(paths, response, baseline),
    file: paths.file,
    response,
    baseline,
    at: new Date(request.now).toISOString(),
  };
  if (first === undefined) await savePending(paths, own);
  onStep("pending saved");
  return withDocumentLock(paths, async () => {
    onStep("locked");
    const others = (await listPending(paths)).filter(({ path }) => path !== own.path);
    let recovered = 0;
    const told = [...notes];
    for (const one of others)
      try {
        if (await settle(request, document, one)) recovered += 1;
      } catch (error) {
        // One that fits nowhere, perhaps of a project that brought it along, keeps no other from its place.
        if (!(error instanceof AgtmuxError) || error.code !== "E_DOCUMENT_INVALID") throw error;
        told.push(`the kept response ${one.path} was left there: ${error.message}`);
      }
    return { isChanged: await settle(request, document, own), notes: told, recovered };
  });
};

/** Puts in what is kept of earlier writes; how many responses that changed the document. */
export const recoverPending = async (
  request: Omit<WriteRequest, "response" | "baseline">,
): Promise<number> => {
  const kept = await listPending(request.paths);
  if (kept.length === 0) return 0;
  return withDocumentLock(request.paths, async () => {
    const full: WriteRequest = { ...request, response: "", baseline: null };
    const document = await openDocument(request.paths);
    let recovered = 0;
    for (const one of await listPending(request.paths)) if (await settle(full, document, one)) recovered += 1;
    return recovered;
  });
};
