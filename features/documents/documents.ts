// The feature "documents" of the daemon: which documents belong to a pane, here or on another machine, the files of documents on
// another machine, for a command that is typed on this one, and what the doctor says of agent-doc (`documentChecks`). What is typed
// to an agent goes through the actions, as everything else that surfaces do.
import { answerOf } from "../../core/api/calls.ts";
import { readdir, realpath } from "node:fs/promises";
import { basename, delimiter, join, resolve } from "node:path";
import { readPlain } from "../../core/files/plainFile.ts";
import type { Check, Diagnosis } from "../../core/model/doctor.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import { quoteWord, printWords } from "../../core/model/commandWords.ts";
import { isMissing, AgtmuxError } from "../../core/model/errors.ts";
import type { FeatureContext, Feature } from "../../core/ports/feature.ts";
import { isThere, projectOf, isInProject, locateDocument, type ProjectPaths } from "./files/documentPaths.ts";
import { readRegistry, type PaneLife, type Registry } from "./files/registry.ts";
import { askInWords, DOCUMENTS_CALLS, isTellable, type DocumentsService } from "./calls.ts";
import {
  readRemoteDocuments,
  readRemoteRegistry,
  putRemoteFile,
  readRemoteFiles,
  findRemotePanes,
  selectRemotePane,
  tellClaimed,
} from "./remoteDocuments.ts";
import { readKept, readText } from "./files/wholeFile.ts";
import type { PaneDocument, PaneView } from "../../core/model/view.ts";

// Doctor: the original program, agent-doc, where agtmux answers in documents too: neither waits for the other's writes. It only
// reads; what lies in a project is hostile.

const LIMIT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
const MAX_PROJECTS = 100;
const MAX_FOLDERS = 200;
const OURS = "agtmux";

type Env = Readonly<Record<string, string | undefined>>;
/** Null for what is not there, is no file, or is no size for what it should be. In a home, it may be a link. */
const readSmall = async (path: string): Promise<string | null> => {
  try {
    return (
      (await readPlain({ path: await realpath(path) }, { maxBytes: MAX_BYTES }))?.toString("utf8") ?? null
    );
  } catch {
    // Nothing is said of what cannot be read.
    return null;
  }
};

/** Programs of that name that are not links to agtmux, where editors' plugins look for one. */
const findPrograms = async (env: Env): Promise<string[]> => {
  const home = env["HOME"] ?? "/";
  const usual = [join(home, "bin"), join(home, ".local/bin"), join(home, ".cargo/bin"), "/usr/local/bin"];
  const folders = new Set([
    ...usual,
    ...(env["PATH"] ?? "").split(delimiter).filter((one) => one.startsWith("/")),
  ]);
  const found: string[] = [];
  for (const folder of folders) {
    const path = join(folder, "agent-doc");
    // Most folders of PATH have none.
    const real = await realpath(path).catch(() => null);
    if (real !== null && basename(real) !== OURS) found.push(path);
  }
  return found;
};

/** The hidden folders in which agents keep their settings. */
const settingsIn = async (folder: string): Promise<string[]> => {
  try {
    const names = (await readdir(folder)).filter((name) => name.startsWith("."));
    return names.slice(0, MAX_FOLDERS).map((name) => join(folder, name));
  } catch {
    // Nothing is said of what cannot be read.
    return [];
  }
};

/** The skill as agtmux writes it names its own command. */
const isOtherSkill = async (folder: string): Promise<boolean> =>
  (await readSmall(join(folder, "skills", "agent-doc", "SKILL.md")))?.includes("agtmux doc") === false;

/** Hooks are commands somewhere in the settings of an agent. */
const hasHooks = async (folder: string): Promise<boolean> => {
  const texts = await Promise.all(
    ["settings.json", "hooks.json"].map((name) => readSmall(join(folder, name))),
  );
  return texts.some((text) => text !== null && /"command"\s*:\s*"[^"]*\bagent-doc\b/.test(text));
};

/** What another program has left in a project that agtmux writes in. */
const findTraces = async (root: string, project: ProjectPaths, home: string): Promise<string[]> => {
  const traces: string[] = [];
  if (await isThere(join(project.folder, "locks"))) traces.push("its locks");
  for (const folder of await settingsIn(root))
    if (await isOtherSkill(folder)) traces.push(`its skill in ${basename(folder)}`);
  try {
    const { entries, own } = await readRegistry(project, home);
    const others = Object.keys(entries).filter((id) => !Object.hasOwn(own, id)).length;
    if (others > 0) traces.push(`its claims in sessions.json (${others})`);
  } catch {
    // The verbs say what is wrong with the registry.
  }
  return traces;
};

/** Projects that agents work in now, and that agtmux has written in. */
const findProjects = async ({ rows }: FeatureContext) => {
  const folders = new Set(
    rows
      .all()
      .flatMap(({ identity, activity }) =>
        identity.target === HOST_TARGET && activity?.folder ? [activity.folder] : [],
      ),
  );
  const projects = new Map<string, ProjectPaths>();
  for (const folder of [...folders].slice(0, MAX_PROJECTS)) {
    // What is another user's, or cannot be read, is no project of ours; each command on it says why.
    const project = await projectOf(folder).catch(() => null);
    if (project === null) continue;
    const own = await Promise.all(
      ["agtmux.json", "agtmux.lock.db"].map((name) => isThere(join(project.folder, name))),
    );
    if (own.includes(true)) projects.set(project.root, project);
  }
  return projects;
};

const REMEDY =
  "Use one of the two in a project. For agtmux: end the other one there, run 'agtmux doc skill install', and claim the documents again.";

const examine = async (context: FeatureContext): Promise<Diagnosis[] | null> => {
  const projects = await findProjects(context);
  if (projects.size === 0) return null;
  const found: Diagnosis[] = [];
  for (const [root, project] of projects) {
    const traces = await findTraces(root, project, context.homePath);
    if (traces.length > 0)
      found.push({
        status: "warning",
        summary: `Another agent-doc answers in the documents of ${root} too, and neither waits for the other's writes.`,
        evidence: `found: ${traces.join(", ")}`,
        remedy: REMEDY,
      });
  }
  for (const program of await findPrograms(context.env))
    found.push({
      status: "warning",
      summary: `${program} is another program than agtmux, and editors and skills that call it write beside agtmux.`,
      remedy: `Put a link to agtmux in its place: ln -sf "$(command -v agtmux)" ${quoteWord(program)}`,
    });
  for (const folder of await settingsIn(context.env["HOME"] ?? "/")) {
    const has = [
      ...((await isOtherSkill(folder)) ? ["skill"] : []),
      ...((await hasHooks(folder)) ? ["hooks"] : []),
    ];
    if (has.length > 0)
      found.push({
        status: "warning",
        summary: `${folder} has the ${has.join(" and the ")} of another agent-doc, for all projects, also for those of agtmux.`,
        remedy: "Take it out there, or answer in documents with that program alone.",
      });
  }
  return found;
};

export const documentChecks = (context: FeatureContext): Check[] => [
  { name: "documents.other", place: { group: "agent" }, limitMs: LIMIT_MS, run: () => examine(context) },
];

const TIMEOUT_MS = 3_000;
/** More than anybody works on in one pane. */
const MAX_DOCUMENTS = 20;
const MAX_TAIL = 200;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

type Life = Omit<PaneLife, "socket">;

/** The pane's present instance, by its process and its server; null where it is gone. */
const lifeOf = async (context: FeatureContext, { identity }: PaneView): Promise<Life | null> => {
  if (identity.pane_id === null) return null;
  const target = context.target(identity.target);
  const format = "#{pane_id} #{pid} #{start_time} #{pane_pid}";
  const tmux = target.tmux(identity.tmux_server);
  const { stdout } = await tmux.run(printWords(format, identity.pane_id), { timeoutMs: TIMEOUT_MS });
  const [id, serverPid, serverStart, panePid] = stdout.trim().split(" ");
  if (id !== identity.pane_id) return null;
  return { serverPid: Number(serverPid), serverStart: Number(serverStart), panePid: Number(panePid) };
};

/** Those that were claimed for this instance of the pane; entries of other programs name none, and are not shown. */
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
  return idsOf(registry, row.identity.pane_id ?? "", life)
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
    const text = await readText(paths.file, MAX_TEXT_BYTES);
    const isSeen = text === (await readKept(paths, paths.snapshot, MAX_TEXT_BYTES));
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
      answer: (call, input, caller) => answerOf(service, call)(input, caller),
      onChanges: () => {},
      keepsAwake: () => false,
      doctorChecks: () => documentChecks(context),
      close: () => Promise.resolve(),
    };
  },
});
