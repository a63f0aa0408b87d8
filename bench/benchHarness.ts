// The harness for figures that need panes: real tmux with many panes, some with an agent of the bench, and the daemon in its
// own process, started as it is installed.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loadRecording } from "../adapters/testkit/recordings.ts";
import { runtimePaths, type RuntimePaths } from "../core/rpc/paths.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import { connectOnceUp } from "../test/harness/daemonProcess.ts";
import { dropEvent, eventText } from "../test/harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../test/harness/privateTmux.ts";
import { drawFrame } from "../test/player/frames.ts";
import { childrenOf } from "./processCost.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RECORDINGS = join(ROOT, "test/fixtures/recordings/claude");
const AGENT_SCRIPT = fileURLToPath(new URL("agent.sh", import.meta.url));
const FRAMES = ["idle_fresh", "running", "tool_running", "waiting_approval", "completed"] as const;
const START_LIMIT_MS = 30_000;
/** Windows that one tmux command makes. */
const AT_ONCE = 40;

export interface BenchAgent {
  readonly paneId: string;
  readonly pid: number;
  readonly sessionId: string;
  /** Makes the agent draw a recorded frame; returns the time just before the command. */
  frame(name: (typeof FRAMES)[number]): number;
  /** Makes the agent redraw whole frames of a running turn, this many seconds apart, until it rests. */
  busy(pace: number): void;
  rest(): void;
}

export interface Harness {
  readonly tmux: PrivateTmux;
  readonly tmuxPid: number;
  /** Of the person. */
  readonly home: string;
  readonly paths: RuntimePaths;
  readonly agents: readonly BenchAgent[];
  /** The event file of an agent. */
  textOf(agent: BenchAgent, event: string, payload?: Record<string, unknown>): string;
  /** Drops an event file exactly as the hook does; returns the time just before the rename. */
  drop(agent: BenchAgent, event: string, payload?: Record<string, unknown>): number;
  /** Starts the daemon's process and resolves when it answers. */
  startDaemon(): Promise<{ client: DaemonClient; pid: number; stop(): Promise<void> }>;
  close(): Promise<void>;
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });

/** The built command line without sources beside it, as it is installed; the one of the source tree where nothing is built. */
export const installCommand = (folder: string): string => {
  if (!existsSync(join(ROOT, "dist/cli/agtmux.cjs"))) return join(ROOT, "bin/agtmux");
  for (const part of ["bin", "dist/cli", "resources", "package.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "bin", "agtmux");
};

/** Panes that each run a command, in this many sessions; agents are spread evenly among them. */
const openPanes = async (
  tmux: PrivateTmux,
  commands: readonly string[],
  sessions: number,
): Promise<{ paneId: string; pid: number; name: string }[]> => {
  const options = ["-x", "120", "-y", "40"];
  const windows = commands.map((command, index) => {
    const session = `s${index % sessions}`;
    const name = `w${index}`;
    return index < sessions
      ? ["new-session", "-d", "-s", session, "-n", name, ...options, command]
      : ["new-window", "-d", "-t", `${session}:`, "-n", name, command];
  });
  for (let from = 0; from < windows.length; from += AT_ONCE)
    await tmux.run(...windows.slice(from, from + AT_ONCE).flatMap((words) => [...words, ";"]));
  const listing = await tmux.run("list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{window_name}");
  return listing.split("\n").map((text) => {
    const [paneId = "", pid = "", name = ""] = text.split(" ");
    return { paneId, pid: Number(pid), name };
  });
};

const prepareAgents = (
  root: string,
  count: number,
): { fifos: string[]; commandOf: (index: number) => string } => {
  // Where npm puts it: the file of a program is part of what identifies it.
  const [frames, bin, fifoDir] = ["frames", "node_modules/@anthropic-ai/claude-code/bin", "fifos"].map(
    (name) => join(root, name),
  );
  for (const folder of [frames, bin, fifoDir]) mkdirSync(folder ?? "", { recursive: true });
  for (const name of FRAMES)
    writeFileSync(join(frames ?? "", name), drawFrame(loadRecording(RECORDINGS, name)));
  const bash = execFileSync("sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim();
  copyFileSync(bash, join(bin ?? "", "claude"));
  const fifos = Array.from({ length: count }, (_, index) => join(fifoDir ?? "", String(index)));
  if (count > 0) execFileSync("mkfifo", fifos);
  return {
    fifos,
    commandOf: (index) => `env LC_ALL=C '${bin}/claude' '${AGENT_SCRIPT}' '${fifos[index]}' '${frames}'`,
  };
};

/** The only child of a process; waits if it was not started yet. */
const childOf = async (pid: number): Promise<number> => {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    const [child] = childrenOf(pid);
    if (child !== undefined) return child;
    if (performance.now() > deadline) throw new Error(`bench: process ${pid} has no child`);
    await wait(20);
  }
};

/**
 * `panes` in up to 20 sessions, `agents` of them with an agent that shows a fresh prompt. `isInShell`: a shell waits for it, so
 * that its pane stays when it ends.
 */
export const createHarness = async (options: {
  panes: number;
  agents: number;
  isInShell?: boolean;
}): Promise<Harness> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-b-"));
  const home = join(root, "home");
  const paths = runtimePaths(join(root, "a"));
  for (const folder of [home, join(root, "installed")]) mkdirSync(folder);
  mkdirSync(paths.home, { mode: 0o700 });
  const tmux = createPrivateTmux();
  const { fifos, commandOf } = prepareAgents(root, options.agents);
  const every = Math.floor(options.panes / options.agents);
  const commands = Array.from({ length: options.panes }, (_, index) =>
    index % every === 0 && index / every < options.agents
      ? options.isInShell === true
        ? `${commandOf(index / every)}; exec sleep 100000`
        : `exec ${commandOf(index / every)}`
      : "exec sleep 100000",
  );
  const opened = await openPanes(tmux, commands, Math.max(1, Math.min(20, Math.floor(options.panes / 5))));
  const tmuxPid = await tmux.serverPid();
  const openAgent = async (fifo: string, index: number): Promise<BenchAgent> => {
    const pane = opened.find(({ name }) => name === `w${index * every}`);
    if (pane === undefined) throw new Error(`bench: the pane of agent ${index} did not open`);
    const tell = (line: string): number => {
      const at = performance.now();
      writeFileSync(fifo, `${line}\n`);
      return at;
    };
    return {
      paneId: pane.paneId,
      pid: options.isInShell === true ? await childOf(pane.pid) : pane.pid,
      sessionId: crypto.randomUUID(),
      frame: (name) => tell(`frame ${name}`),
      busy: (pace) => void tell(`busy ${pace}`),
      rest: () => void tell("rest"),
    };
  };
  const agents = await Promise.all(fifos.map(openAgent));
  for (const agent of agents) agent.frame("idle_fresh");

  const agtmux = installCommand(join(root, "installed"));
  const daemons: ChildProcess[] = [];
  let dropped = 0;
  const textOf: Harness["textOf"] = ({ paneId: pane, pid: ppid, sessionId }, event, payload = {}) =>
    eventText({ event, sessionId, tmux: `${tmux.socketPath},${tmuxPid},0`, pane, ppid, payload });
  return {
    tmux,
    tmuxPid,
    home,
    paths,
    agents,
    textOf,
    drop: (agent, event, payload = {}) => {
      dropped += 1;
      return dropEvent(paths.spool, `9${String(dropped).padStart(8, "0")}-0`, textOf(agent, event, payload));
    },
    startDaemon: async () => {
      const child = spawn(agtmux, ["daemon", "run", "--foreground"], {
        env: { ...process.env, HOME: home, AGTMUX_HOME: paths.home, AGTMUX_TMUX_SOCKETS: tmux.socketPath },
        stdio: "ignore",
      });
      daemons.push(child);
      const client = await connectOnceUp(paths.home);
      return {
        client,
        pid: child.pid ?? 0,
        stop: async () => {
          client.close();
          child.kill("SIGTERM");
          await ended(child);
        },
      };
    },
    close: async () => {
      for (const child of daemons) child.kill("SIGKILL");
      await Promise.all(daemons.map(ended));
      await tmux.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
