// `agtmux doc start`: the document's agent runs in this pane. `agtmux doc route`: the agent is told to answer in the document. What
// is typed goes through the daemon's gate, to an agent that was checked before; where the document has no pane any more, it gets
// one that no other document has, or a new one.
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { callDaemon, withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { bindDocument } from "./claim.ts";
import {
  checkWatched,
  createPaneLook,
  openClaimed,
  claimedWindow,
  findClaimed,
  findPane,
  ownedPanes,
  rowOf,
  type ClaimedDocument,
  type PaneLook,
  askTmux,
  checkPaneId,
  listPanes,
  type TmuxPane,
} from "./claims.ts";
import { agentFor, readConfig, FALLBACK_AGENT } from "./documentConfig.ts";
import { localPath } from "./place.ts";
import type { PaneView } from "../../core/model/view.ts";
import { askInWords, isTellable } from "../../features/documents/calls.ts";
import { shownPath } from "../../features/documents/files/documentPaths.ts";
import {
  changeRegistry,
  readRegistry,
  withoutEntries,
  type Registry,
} from "../../features/documents/files/registry.ts";
import { cleanLine } from "../render/clean.ts";
import { printResult } from "../command/outcome.ts";
import { exitCodeOf, startedLines } from "../verbs/start.ts";
import { arrange, focusPane } from "./arrange.ts";

// Start: the agent replaces this command. Everything that could go wrong is checked before the document is touched.

/** The first of this name that can be run. */
const findProgram = async (context: CliContext, name: string): Promise<string> => {
  for (const folder of (context.env["PATH"] ?? "").split(delimiter)) {
    // An empty or relative entry would be a program of the folder that one is in.
    if (!folder.startsWith("/")) continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // The next folder may have it.
    }
  }
  throw new AgtmuxError("E_UNSUPPORTED", `'${name}' isn't on PATH`, {
    remedy: "Install it, or name another agent in the document; nothing was changed.",
  });
};

/** The words by which the agent starts, as its adapter knows them. @throws AgtmuxError E_USAGE where there is no such agent. */
const launchWords = async (context: CliContext, agent: string): Promise<readonly string[]> => {
  const { command } = await callDaemon(context, (api) =>
    api.workspaces.start.mutate({
      agent,
      folder: process.cwd(),
      isDryRun: true,
      surface: "cli",
    }),
  );
  return command.split(" ");
};

export const runStart = async (context: CliContext, file: string): Promise<void> => {
  localPath(file);
  const { TMUX: tmux = "", TMUX_PANE: own = "" } = context.env;
  if (tmux === "" || own === "")
    throw new AgtmuxError("E_UNSUPPORTED", "this is not inside tmux", {
      remedy: "Run it in the pane in which the agent is to work; 'agtmux doc route' makes one.",
    });
  if (!context.stdin.isTTY || !context.stdout.isTTY)
    throw new AgtmuxError("E_UNSUPPORTED", "start becomes the agent, which needs a terminal", {
      remedy: "Run it at the prompt of a pane, not from a program; 'agtmux doc claim' starts nothing.",
    });
  if (process.execve === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", "a command cannot become another program on this system", {
      remedy: "Start the agent, and run 'agtmux doc claim' in its pane.",
    });
  const document = await openClaimed(file);
  const look = createPaneLook(context);
  const pane = (await look.at(look.here)).find((one) => one.pane === own);
  if (pane === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `there is no pane ${own} in this tmux server`);
  const words = await launchWords(context, agentFor(document.frontmatter, await readConfig(context)));
  const program = await findProgram(context, words[0] ?? "");
  await checkWatched(context, pane);
  await bindDocument(context, document, pane);
  // A variable of a session around us would make the agent refuse to start.
  const { CLAUDECODE: _session, ...env } = process.env;
  process.execve(program, [...words], env);
};

// Route.

const START_WAIT_MS = 20_000;

/** What makes an agent answer in a document: its own word where it has one, else the same in plain words. */
const triggerFor = (agent: string, file: string): string =>
  agent === FALLBACK_AGENT ? `/agent-doc ${file}` : askInWords(file);

const checkName = ({ paths, name }: ClaimedDocument): void => {
  if (isTellable(shownPath(paths))) return;
  throw new AgtmuxError("E_UNSUPPORTED", `${name}: its name has characters that can't be typed`, {
    remedy: "Rename the document; nothing was sent.",
  });
};

/** `file`: from the project's folder. Sends through the gate, to this runtime only. Gives the exit status of the outcome. */
export const tell = async (
  context: CliContext,
  client: DaemonClient,
  { identity, agent }: PaneView,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<number> => {
  const { runtime_id: ifRuntime, pane_id: pane, pane_ref: ref } = identity;
  if (agent === null || ifRuntime === null || pane === null) throw noAgent(pane ?? ref, name);
  const guards = {
    ifRuntime,
    ifState: null,
    ifVersion: null,
    ifPrompt: null,
    ifUpdatedWithinMs: null,
    forceStale: false,
  };
  const text = triggerFor(agent, file);
  const result = await client.call((api) =>
    api.send.mutate({ ref, guards, surface: "cli", text, pressEnter: true, toShell: false }),
  );
  return printResult(context, result, false);
};

/** The document as `tell` takes it. */
const told = ({ paths, name }: ClaimedDocument) => ({ file: shownPath(paths), name });

export const noAgent = (pane: string, name: string): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", `no agent runs in pane ${pane}, which has ${name}`, {
    remedy: "Start the agent there, or claim the document in another pane; nothing was sent.",
  });

/**
 * The front pane of the session that is called like the agent, if exactly this agent rests there, in this project's folder, and no
 * document has the pane; null: none is.
 */
const findFree = async (
  context: CliContext,
  client: DaemonClient,
  look: PaneLook,
  wanted: { agent: string; root: string; registry: Registry },
): Promise<{ pane: TmuxPane; row: PaneView } | null> => {
  const panes = await look.at(look.here);
  const pane = panes.find(
    ({ sessionName, isWindowActive, isActive }) => sessionName === wanted.agent && isWindowActive && isActive,
  );
  if (pane === undefined || (await ownedPanes(look, wanted.registry)).has(pane.pane)) return null;
  const where = ["display-message", "-p", "-t", pane.pane, "#{pane_current_path}"];
  if ((await askTmux(context, look.here, where))?.replace(/\n$/, "") !== wanted.root) return null;
  const row = await rowOf(client, pane);
  const rests = row.state === "idle" || row.state === "completed";
  return row.agent === wanted.agent && rests && row.request === null ? { pane, row } : null;
};

/** A new pane with the agent, which is told to answer once it is ready. Gives the exit status. */
const startFor = async (
  context: CliContext,
  client: DaemonClient,
  look: PaneLook,
  { document, agent }: { document: ClaimedDocument; agent: string },
): Promise<number> => {
  const [any] = await look.at(look.here);
  const server = any === undefined ? null : (await rowOf(client, any)).identity.tmux_server;
  const started = await client.call((api) =>
    api.workspaces.start.mutate({
      agent,
      server,
      session: agent,
      folder: document.paths.root,
      text: triggerFor(agent, shownPath(document.paths)),
      waitMs: START_WAIT_MS,
      surface: "cli",
    }),
  );
  context.print(`${startedLines(started).join("\n")}\n`);
  const pane = (await listPanes(context, look.here)).find((one) => one.pane === started.pane_id);
  if (pane === undefined)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `the new pane is in the tmux server '${started.tmux_server}', not in this one`,
      {
        remedy: "Run 'agtmux doc claim' in it.",
      },
    );
  await bindDocument(context, document, pane);
  await focusPane(context, pane);
  return exitCodeOf(started.prompt);
};

/** Brings panes of documents that were claimed in this window, and went elsewhere, back to it; nobody else's pane moves. */
const gatherWindow = async (context: CliContext, { paths }: ClaimedDocument, { window }: TmuxPane) => {
  const look = createPaneLook(context);
  const registry = await readRegistry(paths, look.home);
  const columns = new Map<string, TmuxPane>();
  for (const [id, entry] of Object.entries(registry.entries)) {
    if (claimedWindow(entry) !== window) continue;
    const found = await findPane(look, registry, id);
    if (found.isAlive) columns.set(found.pane, found.live);
  }
  const panes = await look.at(look.here);
  const apart = [...columns.values()].filter((one) => one.window !== window);
  if (apart.length === 0) return;
  const inside = panes.filter((one) => one.window === window && columns.has(one.pane));
  const wanted = [...inside, ...apart].map((one) => [one]);
  await arrange(context, panes, {
    columns: wanted,
    window,
    mayLeave: () => false,
    isApart: false,
    focus: null,
  });
};

const bindAndTell = async (
  context: CliContext,
  client: DaemonClient,
  document: ClaimedDocument,
  { pane, row }: { pane: TmuxPane; row: PaneView },
): Promise<number> => {
  await bindDocument(context, document, pane);
  const status = await tell(context, client, row, told(document));
  try {
    await gatherWindow(context, document, pane);
  } catch (error) {
    // The agent has been told; where other panes stand is a nicety.
    if (!(error instanceof AgtmuxError)) throw error;
    context.stderr.write(`agtmux: warning: ${cleanLine(error.message)}\n`);
  }
  await focusPane(context, pane);
  return status;
};

/**
 * Removes the entries of other documents whose panes are gone or are others by now. The entry of this document is replaced
 * elsewhere; those of a server that does not answer stay.
 */
const forgetDead = async (
  look: PaneLook,
  { paths, frontmatter }: ClaimedDocument,
  registry: Registry,
): Promise<void> => {
  const gone: string[] = [];
  for (const id of Object.keys(registry.entries).filter((one) => one !== frontmatter.session)) {
    const panes = await look.at(registry.own[id]?.life?.socket ?? look.here);
    if (panes.length > 0 && !(await findPane(look, registry, id)).isAlive) gone.push(id);
  }
  if (gone.length > 0) await changeRegistry(paths, look.home, (before) => withoutEntries(before, gone));
};

/** Gives the exit status of the outcome. */
export const runRoute = async (
  context: CliContext,
  file: string,
  options: { pane?: string },
): Promise<number> => {
  const named = options.pane === undefined ? null : checkPaneId(options.pane);
  const document = await openClaimed(file);
  checkName(document);
  const look = createPaneLook(context);
  const registry = await readRegistry(document.paths, look.home);
  const pruning = forgetDead(look, document, registry);
  pruning.catch(() => {});
  // tmux is asked while the daemon is connected to.
  const finding = findClaimed(look, registry, document);
  // A failure is reported where it is awaited.
  finding.catch(() => {});
  return withDaemon(context, async (client) => {
    const found = await finding;
    await pruning;
    if (found.isAlive) {
      const status = await tell(context, client, await rowOf(client, found.live), told(document));
      await focusPane(context, found.live);
      return status;
    }
    if (named !== null) {
      const pane = (await look.at(look.here)).find((one) => one.pane === named);
      if (pane === undefined)
        throw new AgtmuxError("E_REF_NOT_FOUND", `there is no pane ${named} in this tmux server`);
      const row = await rowOf(client, pane);
      if (row.agent === null) throw noAgent(named, document.name);
      return bindAndTell(context, client, document, { pane, row });
    }
    const agent = agentFor(document.frontmatter, await readConfig(context));
    const free = await findFree(context, client, look, { agent, root: document.paths.root, registry });
    return free === null
      ? startFor(context, client, look, { document, agent })
      : bindAndTell(context, client, document, free);
  });
};
