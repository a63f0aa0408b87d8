// A document of another machine, as a command of this one has it: read by the daemon, understood here, and changed there only where
// it is still what was read; and an agent's response, put into it.
import type { DaemonClient } from "../command/context.ts";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { AgtmuxError } from "../../core/model/errors.ts";
import {
  isTellable,
  type RemoteFiles,
  type RemotePut,
  type RemotePutResult,
} from "../../features/documents/calls.ts";
import { isInProject, shownPath } from "../../features/documents/files/documentPaths.ts";
import { parseRegistry, type Registry } from "../../features/documents/files/registry.ts";
import { checkId, parseComponentConfigs } from "../../features/documents/flow/documentChanges.ts";
import { parseComponents } from "../../features/documents/model/documentText.ts";
import { readFrontmatter, type Frontmatter } from "../../features/documents/model/frontmatter.ts";
import { cleanLine } from "../render/clean.ts";
import type { RemotePlace } from "./place.ts";
import {
  formatPending,
  parsePending,
  pendingId,
  type PendingResponse,
  applyToBaseline,
  applyToGround,
  type WriteRequest,
  type WriteResult,
  groundOf,
} from "../../features/documents/flow/writeResponse.ts";
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";

/** As the call has it. */
const MAX_SENT = 900_000;

export interface RemoteDocument {
  readonly place: RemotePlace;
  readonly files: RemoteFiles;
  /** As it is shown. */
  readonly name: string;
  /** From the project's folder. */
  readonly file: string;
  readonly frontmatter: Frontmatter;
}

/** @throws AgtmuxError E_USAGE, E_DOCUMENT_INVALID, E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE */
export const readRemote = (client: DaemonClient, place: RemotePlace): Promise<RemoteFiles> => {
  if (!isTellable(place.path))
    throw new AgtmuxError(
      "E_USAGE",
      `${cleanLine(place.path)}: its name has characters that can't be passed on`,
      {
        remedy: "Rename the document on that machine.",
      },
    );
  return client.call((api) => api.documents.remoteRead.mutate({ ...place }));
};

/** @throws AgtmuxError as above, also for a document that could not be answered in. */
export const openRemote = async (client: DaemonClient, place: RemotePlace): Promise<RemoteDocument> => {
  const files = await readRemote(client, place);
  const name = `${place.target}:${cleanLine(files.file)}`;
  if (!isTellable(files.file) || !isInProject(files))
    throw new AgtmuxError("E_UNSUPPORTED", `${name}: its name has characters that can't be passed on`, {
      remedy: "Rename the document on that machine.",
    });
  parseComponents(files.text);
  const frontmatter = readFrontmatter(files.text);
  checkId(frontmatter);
  return { place, files, name, file: shownPath(files), frontmatter };
};

/** @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse. */
export const registryOf = ({ place, files }: RemoteDocument): Registry => {
  const at = `${place.target}:${files.root}/.agent-doc`;
  return parseRegistry(
    files.root,
    { path: `${at}/sessions.json`, text: files.sessions },
    { path: `${at}/agtmux.json`, text: files.own },
  );
};

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Replaces what was read, or nothing where that has changed. */
export const putRemote = async (
  client: DaemonClient,
  { place, files, name }: RemoteDocument,
  text: string,
  put: Pick<RemotePut, "what" | "expected" | "settles">,
): Promise<RemotePutResult> => {
  const gzip = gzipSync(text).toString("base64");
  if (gzip.length > MAX_SENT)
    throw new AgtmuxError("E_DOCUMENT_INVALID", `${name}: this is too large to send to another machine`, {
      remedy: "Run 'agtmux doc' on that machine.",
    });
  const { root, file } = files;
  return client.call((api) =>
    api.documents.remotePut.mutate({ target: place.target, root, file, gzip, ...put }),
  );
};

/** Null: there must be nothing yet. */
export const expectedOf = (text: string | null): string | null => (text === null ? null : hashOf(text));

export const busy = (name: string): AgtmuxError =>
  new AgtmuxError("E_DOCUMENT_BUSY", `${name}: another program keeps changing it`, {
    remedy: "Repeat it in a moment.",
  });

// Response: merged here, and kept over there until it was seen in the file; if this command is killed, the next write puts it in.

const ROUNDS = 20;

type RemoteRequest = Omit<WriteRequest, "paths" | "onStep">;
type Applying = Parameters<typeof applyToBaseline>[0];

/** What an editor there has not saved is not seen from here. */
const checkWay = ({ files, name }: RemoteDocument, way: WriteRequest["way"]): void => {
  if (way === "disk" || (way === "auto" && !files.hasEditor)) return;
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `${name}: a response can't be handed to an editor on that machine from here`,
    {
      remedy: "Run it on that machine, or write on its disk with --force-disk; nothing was changed.",
    },
  );
};

const idOf = ({ response, baseline }: PendingResponse): string => pendingId(response, baseline);

/** Puts one response in, once; whether that changed the document. */
const settle = async (
  client: DaemonClient,
  opened: RemoteDocument,
  applying: Applying,
  request: RemoteRequest,
  one: PendingResponse,
): Promise<{ document: RemoteDocument; isChanged: boolean }> => {
  const { snapshot: seen, answered: kept } = opened.files;
  const ground = groundOf(one, { seen, kept });
  const { baseline, text: agent } = applyToGround(applying, ground.text, one);
  const merge = (current: string): string | Promise<string> =>
    applying.frontmatter.write === "merge"
      ? request.mergeByLines(baseline, agent, current)
      : mergeTexts(baseline, agent, current);
  let [document, make, isChanged] = [opened, merge, false];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = document.files.text;
    // It is the same over there after another way to that machine and back: no editor is in the middle of saving it.
    const text = await make(before);
    if (text !== before) {
      const put = await putRemote(client, document, text, { what: "document", expected: hashOf(before) });
      if (put.outcome === "changed") {
        document = await openRemote(client, document.place);
        continue;
      }
      isChanged = true;
      document = { ...document, files: { ...document.files, text } };
      if (put.outcome === "late") {
        make = (current) => mergeTexts(before, current, put.text);
        continue;
      }
    }
    make = merge;
    const snapshot = request.snapshot === "file" ? text : (ground.knows ?? agent);
    const answered = ground.keep(snapshot);
    if (answered !== document.files.answered)
      await putRemote(client, document, answered, { what: "answered" });
    const { outcome } = await putRemote(client, document, snapshot, {
      what: "snapshot",
      settles: { document: hashOf(text), pending: [idOf(one)] },
    });
    document = { ...document, files: { ...document.files, answered, snapshot } };
    if (outcome === "ok") return { document, isChanged };
    // Somebody wrote into it at once: the response is looked for once more.
    document = await openRemote(client, document.place);
  }
  throw busy(document.name);
};

/** As `writeResponse`, with the document's name. @throws AgtmuxError as that one, and where the machine is not reached. */
export const writeRemote = async (
  client: DaemonClient,
  place: RemotePlace,
  request: RemoteRequest,
): Promise<WriteResult & { name: string }> => {
  const { response } = request;
  let document = await openRemote(client, place);
  checkWay(document, request.way);
  const { files, frontmatter, name } = document;
  const own = `${files.root}/.agent-doc`;
  const applying = {
    frontmatter,
    configs: await parseComponentConfigs(files.components, `${own}/components.toml`),
  };
  const baseline = request.baseline ?? files.text;
  const { notes } = applyToBaseline(applying, baseline, response);
  const kept = files.pending
    .map((one) => parsePending(`${own}/pending/${one.name}`, one.text))
    .toSorted((a, b) => a.at.localeCompare(b.at));
  // The first try of this response, which was killed: its baseline is older than what is in the file now.
  const first = request.baseline === null ? kept.find((one) => one.response === response) : undefined;
  const now = first ?? {
    path: "",
    file: files.file,
    response,
    baseline,
    at: new Date(request.now).toISOString(),
  };
  // Where it is kept already, it stays.
  if (first === undefined)
    await putRemote(client, document, formatPending(now), { what: { pending: idOf(now) }, expected: null });
  let recovered = 0;
  for (const one of kept.filter((other) => idOf(other) !== idOf(now))) {
    const settled = await settle(client, document, applying, request, one);
    document = settled.document;
    if (settled.isChanged) recovered += 1;
  }
  const { isChanged } = await settle(client, document, applying, request, now);
  return { isChanged, notes, recovered, name };
};
