// An agent's response goes into its document: it is kept on the disk first (`PendingResponse`), applied to the text that the agent
// had seen, or to what the agents know by now (`groundOf`), and merged with what a person typed since. Twice is once: a response
// that is in the document already changes nothing.
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import {
  listKept,
  readKept,
  removeKept,
  removeLeftovers,
  writeKept,
  withDocumentLock,
  readText,
} from "../files/wholeFile.ts";
import { appendAnswer, applyResponse, parseResponse, type Applied } from "../model/patches.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { parseComponents } from "../model/documentText.ts";
import type { Frontmatter } from "../model/frontmatter.ts";
import { replaceText, type OnStep } from "../files/replaceText.ts";
import { saveCrdtState, saveSnapshot } from "../files/snapshots.ts";
import { writeThroughEditor, type Way } from "../ipc/writeThroughEditor.ts";
import { openDocument, type OpenDocument } from "./documentChanges.ts";

// Pending responses: those that were handed over and are perhaps not yet in their document. They are on the disk before anything
// else happens, and are removed once they were seen in the document: a kill at any moment loses none.

const pendingSchema = z.object({
  file: z.string(),
  response: z.string(),
  baseline: z.string(),
  at: z.string(),
});

export type PendingResponse = z.infer<typeof pendingSchema> & { readonly path: string };

/** The same response to the same text has the same id, so that a second try is no second response. */
export const pendingId = (response: string, baseline: string): string =>
  createHash("sha256").update(response).update("\0").update(baseline).digest("hex").slice(0, 16);

const pendingPath = ({ pending, hash }: DocumentPaths, response: string, baseline: string): string =>
  join(pending, `${hash}-${pendingId(response, baseline)}.json`);

export const formatPending = ({ path: _path, ...rest }: PendingResponse): string =>
  `${JSON.stringify(rest)}\n`;

const savePending = async (paths: DocumentPaths, one: PendingResponse): Promise<void> => {
  await writeKept(paths, one.path, formatPending(one));
  await removeLeftovers(paths.pending);
};

const removePending = async (paths: DocumentPaths, { path }: PendingResponse): Promise<void> => {
  await removeKept(paths, path);
};

/** @throws AgtmuxError E_DOCUMENT_INVALID */
export const parsePending = (path: string, text: string): PendingResponse => {
  try {
    return { ...pendingSchema.parse(JSON.parse(text)), path };
  } catch (error) {
    throw new AgtmuxError("E_DOCUMENT_INVALID", `the kept response ${path} cannot be read`, {
      cause: error,
      remedy: "Look into that file, put what is good into the document by hand, and remove it.",
    });
  }
};

/** Those of one document, oldest first. */
export const listPending = async (paths: DocumentPaths): Promise<PendingResponse[]> => {
  const { pending, hash } = paths;
  const names = await listKept(paths, pending);
  const own = names.filter((name) => name.startsWith(`${hash}-`) && name.endsWith(".json"));
  const found = await Promise.all(
    own.map(async (name) => {
      const text = await readKept(paths, join(pending, name));
      // Another writer has put it in by now.
      return text === null ? [] : [parsePending(join(pending, name), text)];
    }),
  );
  return found.flat().toSorted((a, b) => a.at.localeCompare(b.at));
};

// Ground: several answers to one text stand in the order in which they came. The second one was written without the first; merged
// like what a person typed, it would stand above it. What is kept beside a snapshot says which text it is an answer to; the next
// answer to that text is put into what the agents know by now. Pure.

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const answeredSchema = z.object({
  /** The hash of the text that was answered, and of the snapshot that came of it. */
  baseline: z.string(),
  snapshot: z.string(),
  /** Ids of the answers in it. */
  answers: z.array(z.string()),
});

/** Beyond that, the oldest count as not yet put in: the merge finds them in the document. */
const MAX_ANSWERS = 200;

export interface Answer {
  readonly response: string;
  readonly baseline: string;
}

/** What an answer is applied to, and merged from. */
interface Ground {
  readonly text: string;
  /** What the agents know afterwards; null: the text with the answer. */
  readonly knows: string | null;
  /** What is to be kept beside a snapshot with this text. */
  readonly keep: (snapshot: string) => string;
}

const parse = (kept: string | null): z.infer<typeof answeredSchema> | null => {
  try {
    return answeredSchema.parse(JSON.parse(kept ?? "null"));
  } catch {
    // There is none, or it is not ours: then the answer stands where it was written.
    return null;
  }
};

/** `kept`: what is beside the snapshot `seen`; null for what is not there. */
export const groundOf = (
  { response, baseline }: Answer,
  { seen, kept }: { readonly seen: string | null; readonly kept: string | null },
): Ground => {
  const found = parse(kept);
  // The same answer with other line ends is the same.
  const id = pendingId(response.replaceAll("\r\n", "\n"), baseline);
  const isSame =
    found !== null && seen !== null && found.baseline === hashOf(baseline) && found.snapshot === hashOf(seen);
  const before = isSame ? found.answers : [];
  const isThere = before.includes(id);
  const answers = isThere ? before : [...before, id].slice(-MAX_ANSWERS);
  return {
    text: isSame && !isThere ? seen : baseline,
    knows: isSame && isThere ? seen : null,
    keep: (snapshot) =>
      `${JSON.stringify({ baseline: hashOf(baseline), snapshot: hashOf(snapshot), answers })}\n`,
  };
};

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
export const checkAnswerable = (text: string, { format }: Frontmatter): void => {
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

/** The same on what the agents know by now. A snapshot that takes no answer may have come with the project: it is ignored. */
export const applyToGround = (
  document: Pick<OpenDocument, "frontmatter" | "configs">,
  ground: string,
  { response, baseline }: PendingResponse,
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
  { paths, snapshot }: WriteRequest,
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
