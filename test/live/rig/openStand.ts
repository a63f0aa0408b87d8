// One agent ready to be driven: a loopback with the scripted model in it, a HOME made for the agent, a tmux server, and panes in
// which the agent is started. Everything is in one temporary folder, and what runs in it is ended with it. It knows nothing of agtmux.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { closeRunRoot, openRunRoot } from "../../setup/runRoot.ts";
import type { LiveAgent, Place } from "../agents/liveAgent.ts";
import type { Habitat } from "../habitats/habitat.ts";
import type { InstalledAgent } from "../install/cache.ts";
import { readExchanges, type Exchange } from "../model/modelLog.ts";
import type { Mode, Size } from "../results/result.ts";
import { createLivePane, untilTrue, type LivePane, type RunTmux } from "./livePane.ts";
import { openLoopback } from "./loopback.ts";
import type { Stopper } from "./stopper.ts";

const execFileAsync = promisify(execFile);
/** A busy machine takes long to start an agent for the first time. */
const READY_LIMIT_MS = 120_000;
/** A dialog of the start may come a moment after the prompt; one that is expected is waited for longer. */
const START_SETTLE_MS = 2_500;
const EXPECTED_DIALOG_MS = 12_000;
const SHELL_START_MS = 300;
const TMUX_CONFIG = `set -g default-terminal tmux-256color
set -g history-limit 5000
set -g focus-events on
`;

/** What an agent is driven with. */
export interface Stand extends AsyncDisposable {
  readonly agent: LiveAgent;
  /** Another one that can be started there. */
  readonly companion: LiveAgent | null;
  readonly mode: Mode;
  readonly place: Place;
  /** The folder that holds all of it. */
  readonly root: string;
  readonly socketPath: string;
  readonly tmux: RunTmux;
  /** Runs a command where the agents run, beside any pane, and gives what it printed. */
  run(...command: readonly string[]): Promise<string>;
  exchanges(): Exchange[];
  /** A session, or a pane beside another one, with a shell in which the agent is started. */
  openPane(
    session: string,
    options?: { agent?: LiveAgent; args?: string; answersDialogs?: boolean; splitFrom?: LivePane | null },
  ): Promise<LivePane>;
  /** Ends the tmux server with all that runs in it, and begins another one at the same socket. */
  restartServer(): Promise<void>;
  /** The environment in which the agent's command finds what it needs. */
  readonly shellEnv: Readonly<Record<string, string>>;
  /** Ended before all else, the newest first. */
  own(close: () => Promise<unknown>): void;
}

export interface RigAgent {
  agent: LiveAgent;
  installed: InstalledAgent;
}

export interface StandOptions extends RigAgent {
  companion: RigAgent | null;
  mode: Mode;
  size: Size;
  isTrusted: boolean;
  stopper: Stopper;
  /** How the agent is run otherwise than by its command in a shell; null: it is not. */
  habitat: Habitat | null;
}

/** Answers what the agent asks at its start, until it is at its prompt. @throws Error naming what stands on the screen instead. */
const settleStart = async (agent: LiveAgent, pane: LivePane, mode: Mode): Promise<void> => {
  const expected = new Set(agent.startDialogs.filter(({ expectedIn }) => expectedIn.includes(mode)));
  const deadline = Date.now() + READY_LIMIT_MS;
  let readyAt: number | null = null;
  while (Date.now() < deadline) {
    const dialog = await firstShown(agent, pane);
    if (dialog !== null) {
      expected.delete(dialog);
      await wait(agent.deafMs);
      await pane.press(dialog.keys);
      await pane.untilHidden(dialog.shown);
      readyAt = null;
    } else if (await pane.isShown(agent.markers.ready)) {
      readyAt ??= Date.now();
      if (Date.now() - readyAt > (expected.size === 0 ? START_SETTLE_MS : EXPECTED_DIALOG_MS)) return;
    }
    await wait(100);
  }
  throw new Error(`${agent.id} was not ready after ${READY_LIMIT_MS / 1_000} s:\n${await pane.screen()}`);
};

const firstShown = async (agent: LiveAgent, pane: LivePane) => {
  for (const dialog of agent.startDialogs) if (await pane.isShown(dialog.shown)) return dialog;
  return null;
};

/** Only what is named here is in an agent's environment. A client of tmux brings its own PATH, so that it gets the same. */
const shellEnvOf = (agents: readonly RigAgent[], place: Place): Record<string, string> => ({
  HOME: place.home,
  PATH: [
    ...agents.flatMap(({ installed }) => installed.programs),
    dirname(process.execPath),
    "/usr/local/bin:/usr/bin:/bin",
  ].join(":"),
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  SHELL: "/bin/bash",
  ...Object.assign({}, ...agents.map(({ agent }) => agent.environment(place))),
});

export const openStand = async (options: StandOptions): Promise<Stand> => {
  const { agent, installed, companion, mode, size, stopper, habitat } = options;
  const agents: readonly RigAgent[] = [{ agent, installed }, ...(companion === null ? [] : [companion])];
  await stopper.mayBegin();
  const root = openRunRoot();
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const end of closers.toReversed())
      await end().catch((error: unknown) => console.error(String(error)));
    closeRunRoot(root);
    disown();
  };
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= closeAll());
  // What was started outlives this process otherwise: agents, a tmux server, the daemon.
  const disown = stopper.own(close);
  try {
    const [home, socketPath, logPath] = [join(root, "home"), join(root, "tmux"), join(root, "model.jsonl")];
    const project = join(home, "project");
    mkdirSync(project, { recursive: true });
    await execFileAsync("git", ["init", "-q", project]);
    const loopback = await openLoopback(logPath, root);
    closers.push(() => loopback.close());
    const { modelUrl } = loopback;
    const place: Place = { home, project, modelUrl, isTrusted: options.isTrusted, folder: installed.folder };
    for (const one of agents) await one.agent.configure({ ...place, folder: one.installed.folder });
    await habitat?.configure?.(place);
    const shellEnv = { ...shellEnvOf(agents, place), ...habitat?.environment };
    // A login shell begins with the system's own PATH, as a person's would without their settings.
    writeFileSync(join(home, ".bash_profile"), `export PATH='${shellEnv["PATH"] ?? ""}'\n`);

    writeFileSync(join(root, "tmux.conf"), `${TMUX_CONFIG}${habitat?.tmux ?? ""}\n`);
    const variables = Object.entries(shellEnv).map(([name, value]) => `${name}=${value}`);
    const tmuxArgs = ["-u", "-S", socketPath, "-f", join(root, "tmux.conf")];
    const tmux: RunTmux = async (...args) => {
      const { stdout } = await execFileAsync("tmux", [...tmuxArgs, ...args], { env: shellEnv });
      return stdout.replace(/\n$/, "");
    };
    const sized = ["-x", String(size.columns), "-y", String(size.rows)];
    const run: Stand["run"] = async (...command) => {
      const [program = "", ...args] = loopback.inside("env", "-i", ...variables, ...command);
      return (await execFileAsync(program, args, { env: shellEnv, cwd: project })).stdout;
    };
    // The server is what is inside: its panes inherit network and environment.
    const start = ["tmux", ...tmuxArgs, "new-session", "-d", "-s", "base", ...sized, "exec sleep infinity"];
    const startServer = () => run(...start);
    await startServer();
    closers.push(() => tmux("kill-server"));

    return {
      agent,
      companion: companion?.agent ?? null,
      mode,
      place,
      root,
      socketPath,
      tmux,
      shellEnv,
      run,
      exchanges: () => readExchanges(logPath),
      restartServer: async () => {
        await tmux("kill-server");
        // It goes when its last process has.
        await untilTrue(async () => (await startServer().catch(() => null)) !== null, READY_LIMIT_MS);
      },
      openPane: async (
        session,
        { agent: opened = agent, args = "", answersDialogs = true, splitFrom = null } = {},
      ) => {
        const shell = ["-P", "-F", "#{pane_id}", "-c", project, "exec bash --norc --noprofile"];
        const paneId =
          splitFrom === null
            ? await tmux("new-session", "-d", "-s", session, ...sized, ...shell)
            : await tmux("split-window", "-h", "-d", "-t", splitFrom.paneId, ...shell);
        const pane = createLivePane(tmux, session, paneId, habitat?.keysBeforePrompt);
        await wait(SHELL_START_MS);
        const typed = `${opened.command} ${args}`.trim();
        const line = habitat?.command?.(opened, typed) ?? typed;
        await tmux("send-keys", "-t", paneId, "-l", `clear; ${line}`);
        await pane.press(["Enter"]);
        if (answersDialogs) await settleStart(opened, pane, mode);
        return pane;
      },
      own: (end) => void closers.push(end),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
