// The feature "documents" of the daemon: which documents belong to a pane, here or on another machine, and the
// files of documents on another machine, for a command that is typed on this one. What is typed to an agent goes through the actions, as
// everything else that surfaces do.
import { resolve } from "node:path";
import {
  askInWords,
  DOCUMENTS_CALLS,
  isTellable,
  type DocumentsCall,
  type DocumentsService,
} from "./calls.ts";
import { documentChecks } from "./doctorChecks.ts";
import { readRemoteDocuments, readRemoteRegistry } from "./remote/remoteDocuments.ts";
import { putRemoteFile, readRemoteFiles } from "./remote/remoteFiles.ts";
import { findRemotePanes, selectRemotePane, tellClaimed } from "./remote/remotePanes.ts";
import { isInProject, locateDocument, projectOf } from "./files/documentPaths.ts";
import { readRegistry, type PaneLife, type Registry } from "./files/registry.ts";
import { readKept, readText } from "./files/wholeFile.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { PaneDocument } from "../../core/model/paneDocument.ts";
import { isMissing } from "../../core/model/systemError.ts";
import { printWords } from "../../core/model/tmuxHooks.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Feature, FeatureContext } from "../../core/ports/feature.ts";

const TIMEOUT_MS = 3_000;
/** More than anybody works on in one pane. */
const MAX_DOCUMENTS = 20;
const MAX_TAIL = 200;
const MAX_BYTES = 4 * 1024 * 1024;

type Life = Omit<PaneLife, "socket">;

/** The pane's present life; null where it is gone. */
const lifeOf = async (context: FeatureContext, { identity }: PaneView): Promise<Life | null> => {
  const target = context.target(identity.target);
  const format = "#{pane_id} #{pid} #{start_time} #{pane_pid}";
  const tmux = target.tmux(identity.tmux_server);
  const { stdout } = await tmux.run(printWords(format, identity.pane_id), { timeoutMs: TIMEOUT_MS });
  const [id, serverPid, serverStart, panePid] = stdout.trim().split(" ");
  if (id !== identity.pane_id) return null;
  return { serverPid: Number(serverPid), serverStart: Number(serverStart), panePid: Number(panePid) };
};

/** Those that were claimed in this life of the pane; entries of other programs name no life, and are not shown. */
const idsOf = ({ entries, own }: Registry, paneId: string, life: Life): string[] =>
  Object.entries(entries).flatMap(([id, { pane }]) => {
    const known = own[id]?.life;
    const isSame =
      pane === paneId &&
      known?.serverPid === life.serverPid &&
      known.serverStart === life.serverStart &&
      known.panePid === life.panePid;
    return isSame ? [id] : [];
  });

/** The last line that has a letter or a digit and is no marker. */
const tailOf = (text: string): string | null =>
  text
    .split("\n")
    .findLast((line) => /[\p{L}\p{N}]/u.test(line) && !line.startsWith("<!--"))
    ?.trim()
    .slice(0, MAX_TAIL) ?? null;

const triggerOf = (context: FeatureContext, agent: string | null, file: string): string => {
  const adapter = context.adapters().find(({ agentType }) => agentType === agent);
  return adapter?.skillCommand?.("agent-doc", file) ?? askInWords(file);
};

/** What a row shows of a document, wherever it lies. */
interface Read {
  readonly id: string;
  readonly file: string;
  readonly path: string;
  readonly isSeen: boolean;
  readonly text: string;
}

/** The documents of the registry that were claimed for the row's pane, as their ids and files. */
const claimedFor = async (
  context: FeatureContext,
  row: PaneView,
  registry: Registry,
): Promise<{ id: string; file: string }[]> => {
  const life = Object.keys(registry.entries).length === 0 ? null : await lifeOf(context, row);
  if (life === null) return [];
  return idsOf(registry, row.identity.pane_id, life)
    .map((id) => ({ id, file: registry.entries[id]?.file ?? "" }))
    .filter(({ file }) => isTellable(file))
    .slice(0, MAX_DOCUMENTS);
};

const readLocal = async (context: FeatureContext, row: PaneView, folder: string): Promise<Read[]> => {
  const project = await projectOf(folder);
  const documents: Read[] = [];
  for (const { id, file } of await claimedFor(context, row, await readRegistry(project, context.homePath))) {
    const paths = await locateDocument(resolve(project.root, file), project.root);
    // The registry is a file of the project: it must not make the daemon read anything else, or without end.
    if (!isInProject({ ...project, file: paths.file })) continue;
    const text = await readText(paths.file, MAX_BYTES);
    const isSeen = text === (await readKept(paths, paths.snapshot, MAX_BYTES));
    documents.push({ id, file, path: paths.file, isSeen, text });
  }
  return documents;
};

const readRemote = async (context: FeatureContext, row: PaneView, folder: string): Promise<Read[]> => {
  const target = context.target(row.identity.target);
  const registry = await readRemoteRegistry(target, folder);
  const claimed = registry === null ? [] : await claimedFor(context, row, registry);
  if (registry === null || claimed.length === 0) return [];
  const read = await readRemoteDocuments(
    target,
    registry.root,
    claimed.map(({ file }) => file),
  );
  return claimed.flatMap(({ id, file }, at) => {
    const found = read[at] ?? null;
    return found === null ? [] : [{ id, file, path: found.path, isSeen: found.isSeen, text: found.end }];
  });
};

const findOfPane = async (context: FeatureContext, ref: string): Promise<PaneDocument[]> => {
  const row = context.rows.all().find(({ identity }) => identity.pane_ref === ref);
  const folder = row?.activity?.folder ?? null;
  if (row === undefined || folder === null) return [];
  const isLocal = context.target(row.identity.target).kind === "local";
  const documents = await (isLocal ? readLocal : readRemote)(context, row, folder);
  return documents.map(({ id, file, path, isSeen, text }) => ({
    id,
    file,
    path,
    has_unsent: !isSeen,
    tail: tailOf(text),
    trigger: triggerOf(context, row.agent, file),
  }));
};

export const createDocuments = (): Feature => ({
  name: "documents",
  calls: DOCUMENTS_CALLS,
  start: (context) => {
    const service: DocumentsService = {
      ofPane: async ({ ref }) => {
        try {
          return await findOfPane(context, ref);
        } catch (error) {
          // A folder that went away, or a registry that does not parse: the verbs say so, a row shows nothing.
          if (error instanceof AgtmuxError || isMissing(error)) return [];
          throw error;
        }
      },
      remoteRead: ({ target, path }) => readRemoteFiles(context.target(target), path),
      remotePut: (put) => putRemoteFile(context.target(put.target), put),
      remotePanes: (wanted) => findRemotePanes(context, wanted),
      remoteSelect: (wanted) => selectRemotePane(context, wanted),
      remoteClaimed: (claimed) => tellClaimed(context, claimed),
    };
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router calls by a name of the table, with what its schema gave
      answer: (call, input) => service[call as DocumentsCall](input as never),
      onChanges: () => {},
      keepsAwake: () => false,
      doctorChecks: () => documentChecks(context),
      close: () => Promise.resolve(),
    };
  },
});
