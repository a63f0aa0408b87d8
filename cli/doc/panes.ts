// `agtmux doc claim|route|focus|resync`: documents and the panes that answer in them. What types goes through the daemon's
// gate; tmux itself is only asked, and told which pane to select.
import { execFile } from "node:child_process";
import { appendFile, realpath } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import {
  locateDocument,
  shownPath,
  type DocumentPaths,
} from "../../features/documents/files/documentPaths.ts";
import {
  changeRegistry,
  readRegistry,
  withoutEntries,
  type PaneLife,
  type Registry,
  type RegistryEntry,
} from "../../features/documents/files/registry.ts";
import { claimDocument } from "../../features/documents/flow/documentChanges.ts";
import { readText } from "../../features/documents/files/wholeFile.ts";
import { readFrontmatter } from "../../features/documents/model/frontmatter.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";
import { printResult } from "../render/outcome.ts";

const TIMEOUT_MS = 5_000;
const PANE_ID = /^%\d+$/;
const FORMAT = ["pid", "start_time", "pane_pid", "window_id"].map((name) => `#{${name}}`).join(" ");

interface LivePane {
  readonly life: PaneLife;
  readonly window: string;
}

const runTmux = (context: CliContext, socket: string, args: readonly string[]): Promise<string | null> =>
  new Promise((done) => {
    execFile(
      "tmux",
      ["-S", socket, ...args],
      { env: { ...context.env, TMUX: "" }, timeout: TIMEOUT_MS },
      (error, stdout) => done(error === null ? stdout : null),
    );
  });

/** The pane as it is now; null where there is none of that id. */
const lookAt = async (context: CliContext, socket: string, pane: string): Promise<LivePane | null> => {
  // tmux answers for some other pane where it does not know this one, so the id is asked for as well.
  const text = await runTmux(context, socket, ["display-message", "-p", "-t", pane, `#{pane_id} ${FORMAT}`]);
  const [id, serverPid, serverStart, panePid, window = ""] = (text ?? "").trim().split(" ");
  if (id !== pane) return null;
  const life = {
    socket,
    serverPid: Number(serverPid),
    serverStart: Number(serverStart),
    panePid: Number(panePid),
  };
  return { life, window };
};

const isSameLife = (a: PaneLife, b: PaneLife): boolean =>
  a.socket === b.socket &&
  a.serverPid === b.serverPid &&
  a.serverStart === b.serverStart &&
  a.panePid === b.panePid;

/** The tmux server that a command is typed in. */
export const currentSocket = ({ env }: CliContext): string => {
  const [socket = ""] = (env["TMUX"] ?? "").split(",");
  if (socket !== "") return socket;
  throw new AgtmuxError("E_UNSUPPORTED", "this is not inside tmux", {
    remedy: "Run it in a pane of the tmux server that has the agent.",
  });
};

type Found =
  | { readonly isAlive: true; readonly pane: string; readonly live: LivePane }
  | { readonly isAlive: false; readonly reason: string };

/** Whether an entry still means the pane that was claimed. An entry of another program has only its id to go by. */
export const findPane = async (context: CliContext, registry: Registry, id: string): Promise<Found> => {
  const entry = registry.entries[id];
  if (entry === undefined) return { isAlive: false, reason: "no pane is claimed for it" };
  const known = registry.own[id]?.life ?? null;
  if (!PANE_ID.test(entry.pane)) return { isAlive: false, reason: `'${entry.pane}' is no pane` };
  const live = await lookAt(context, known?.socket ?? currentSocket(context), entry.pane);
  if (live === null) return { isAlive: false, reason: `pane ${entry.pane} is gone` };
  if (known !== null && !isSameLife(known, live.life))
    return {
      isAlive: false,
      reason:
        known.serverPid === live.life.serverPid && known.serverStart === live.life.serverStart
          ? `pane ${entry.pane} has another program now`
          : `the tmux server was started again, and ${entry.pane} is another pane`,
    };
  return { isAlive: true, pane: entry.pane, live };
};

const dead = (name: string, reason: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `${name}: ${reason}`, {
    remedy: "Run 'agtmux doc claim' for it in the pane of its agent; nothing was sent.",
  });

/** The document with its id. */
export const openClaimed = async (file: string) => {
  const paths = await locateDocument(resolve(file), process.cwd());
  const name = cleanLine(shownPath(paths));
  const { session } = readFrontmatter(await readText(paths.file));
  return { paths, name, session };
};

const claimedPane = async (context: CliContext, file: string) => {
  const { paths, name, session } = await openClaimed(file);
  const registry = await readRegistry(paths);
  const found: Found =
    session === null
      ? { isAlive: false, reason: "no pane is claimed for it" }
      : await findPane(context, registry, session);
  if (!found.isAlive) throw dead(name, found.reason);
  return { paths, name, pane: found.pane, life: found.live.life };
};

const checkPane = (pane: string): string => {
  if (PANE_ID.test(pane)) return pane;
  throw new AgtmuxError("E_USAGE", `'${pane}' is no id of a pane`, { remedy: "Ids look like %4." });
};

export const runClaim = async (
  context: CliContext,
  file: string,
  options: { pane?: string },
): Promise<void> => {
  const socket = currentSocket(context);
  const pane = checkPane(options.pane ?? context.env["TMUX_PANE"] ?? "");
  const live = await lookAt(context, socket, pane);
  if (live === null) throw new AgtmuxError("E_REF_NOT_FOUND", `there is no pane ${pane} in this tmux server`);
  const { paths, name } = await openClaimed(file);
  // A registry that cannot be read is found before the document is touched.
  await readRegistry(paths);
  const session = await claimDocument(paths, randomUUID);
  const entry: RegistryEntry = {
    pane,
    pid: live.life.panePid,
    cwd: paths.root,
    started: new Date(context.now()).toISOString().replace(/\.\d+Z$/, "Z"),
    file: shownPath(paths),
    window: live.window,
  };
  await changeRegistry(paths, ({ entries, own }) => ({
    entries: { ...entries, [session]: { ...entries[session], ...entry } },
    own: { ...own, [session]: { life: live.life, shownPrompt: null } },
  }));
  const message = `Claimed ${name} (pane ${pane})`;
  // `#` would begin a format of tmux.
  await runTmux(context, socket, [
    "display-message",
    "-d",
    "3000",
    "-t",
    pane,
    message.replaceAll("#", "##"),
  ]);
  await appendFile(join(paths.folder, "claims.log"), `Claimed ${name} for pane ${pane}\n`);
  context.print(`${message}.\n`);
};

/** What makes an agent answer in a document: its own word where it has one, else the same in plain words. */
const triggerFor = (agent: string, file: string): string =>
  agent === "claude" ? `/agent-doc ${file}` : `Use the skill agent-doc: answer in the document ${file}`;

const focusPane = async (context: CliContext, { socket }: PaneLife, pane: string): Promise<void> => {
  const isDone = await runTmux(context, socket, [
    "select-window",
    "-t",
    pane,
    ";",
    "select-pane",
    "-t",
    pane,
  ]);
  if (isDone === null) throw dead(pane, "it cannot be selected");
};

/** Gives the exit status of the outcome. */
export const runRoute = async (context: CliContext, file: string): Promise<number> => {
  const { paths, name, pane, life } = await claimedPane(context, file);
  const status = await withDaemon(context, async (client) => {
    const insideTmux = `${await realpath(life.socket)},${life.serverPid},0`;
    const row = await client.call((api) => api.resolve.query({ ref: pane, insideTmux, tmuxPane: pane }));
    const { agent, identity } = row;
    if (agent === null || identity.runtime_id === null)
      throw new AgtmuxError("E_UNSUPPORTED", `no agent runs in pane ${pane}, which has ${name}`, {
        remedy: "Start the agent there, or claim the document in another pane; nothing was sent.",
      });
    const guards = {
      ifRuntime: identity.runtime_id,
      ifState: null,
      ifVersion: null,
      ifPrompt: null,
      ifUpdatedWithinMs: null,
      forceStale: false,
    };
    const text = triggerFor(agent, shownPath(paths));
    const result = await client.call((api) =>
      api.send.mutate({
        ref: identity.pane_ref,
        guards,
        surface: "cli",
        text,
        pressEnter: true,
        toShell: false,
      }),
    );
    return printResult(context, result, false);
  });
  await focusPane(context, life, pane);
  return status;
};

export const runFocus = async (
  context: CliContext,
  file: string,
  options: { pane?: string },
): Promise<void> => {
  if (options.pane === undefined) {
    const { pane, life } = await claimedPane(context, file);
    await focusPane(context, life, pane);
    return;
  }
  const live = await lookAt(context, currentSocket(context), checkPane(options.pane));
  if (live === null) throw dead(options.pane, "there is no such pane");
  await focusPane(context, live.life, options.pane);
};

/** The registry of the folder that a command is typed in. */
export const currentProject = async (): Promise<Pick<DocumentPaths, "folder" | "lock" | "root">> => {
  const { projectOf } = await import("../../features/documents/files/documentPaths.ts");
  return projectOf(process.cwd());
};

export const runResync = async (context: CliContext): Promise<void> => {
  const project = await currentProject();
  const registry = await readRegistry(project);
  const lines: string[] = [];
  const gone: string[] = [];
  for (const [id, { file, pane }] of Object.entries(registry.entries)) {
    const found = await findPane(context, registry, id);
    if (!found.isAlive) gone.push(id);
    lines.push(
      found.isAlive
        ? `${cleanLine(file)}: pane ${pane}`
        : `${cleanLine(file)}: removed, ${cleanLine(found.reason)}`,
    );
  }
  if (gone.length > 0) await changeRegistry(project, (before) => withoutEntries(before, gone));
  context.print(lines.length === 0 ? "No document is claimed.\n" : `${lines.join("\n")}\n`);
};
