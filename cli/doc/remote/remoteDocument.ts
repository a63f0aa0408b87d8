// A document of another machine, as a command of this one has it: read by the daemon, understood here, and changed there only where it
// is still what was read.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { DaemonClient } from "../../../core/rpc/socketClient.ts";
import {
  isTellable,
  type DocumentsCalls,
  type RemoteFiles,
  type RemotePut,
  type RemotePutResult,
} from "../../../features/documents/calls.ts";
import { isInProject, shownPath } from "../../../features/documents/files/documentPaths.ts";
import { parseRegistry, type Registry } from "../../../features/documents/files/registry.ts";
import { checkId } from "../../../features/documents/flow/documentChanges.ts";
import { parseComponents } from "../../../features/documents/model/components.ts";
import { readFrontmatter, type Frontmatter } from "../../../features/documents/model/frontmatter.ts";
import { createAsk } from "../../askFeature.ts";
import { cleanLine } from "../../render/clean.ts";
import type { RemotePlace } from "../place.ts";

export const askDocuments = createAsk<DocumentsCalls>("documents");

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
      `${cleanLine(place.path)}: its name has characters that are not passed on`,
      {
        remedy: "Rename the document on that machine.",
      },
    );
  return askDocuments(client, "remoteRead", "mutation", { ...place });
};

/** @throws AgtmuxError as above, also for a document that could not be answered in. */
export const openRemote = async (client: DaemonClient, place: RemotePlace): Promise<RemoteDocument> => {
  const files = await readRemote(client, place);
  const name = `${place.target}:${cleanLine(files.file)}`;
  if (!isTellable(files.file) || !isInProject(files))
    throw new AgtmuxError("E_UNSUPPORTED", `${name}: its name has characters that are not passed on`, {
      remedy: "Rename the document on that machine.",
    });
  parseComponents(files.text);
  const frontmatter = readFrontmatter(files.text);
  checkId(frontmatter);
  return { place, files, name, file: shownPath(files), frontmatter };
};

/** @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse. */
export const registryOf = ({ place, files }: Pick<RemoteDocument, "place" | "files">): Registry => {
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
  { place, files, name }: Pick<RemoteDocument, "place" | "files" | "name">,
  text: string,
  put: Pick<RemotePut, "what" | "expected" | "settles">,
): Promise<RemotePutResult> => {
  const gzip = gzipSync(text).toString("base64");
  if (gzip.length > MAX_SENT)
    throw new AgtmuxError(
      "E_DOCUMENT_INVALID",
      `${name}: this is more than goes to another machine at once`,
      {
        remedy: "Run 'agtmux doc' on that machine.",
      },
    );
  const { root, file } = files;
  return askDocuments(client, "remotePut", "mutation", { target: place.target, root, file, gzip, ...put });
};

/** Null: there must be nothing yet. */
export const expectedOf = (text: string | null): string | null => (text === null ? null : hashOf(text));

export const busy = (name: string): AgtmuxError =>
  new AgtmuxError("E_DOCUMENT_BUSY", `${name}: another program changes it all the time`, {
    remedy: "Repeat it in a moment.",
  });
