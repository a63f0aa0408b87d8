// The scene of the end-to-end figures: real tmux with many panes, played agents, and the daemon as a process of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AgtmuxError } from "../core/model/errors.ts";
import { runtimePaths, type RuntimePaths } from "../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../core/rpc/socketClient.ts";
import { createPrivateTmux, type PrivateTmux } from "../test/harness/privateTmux.ts";
import { createPlayer, type Player } from "../test/player/player.ts";

const AGTMUX = fileURLToPath(new URL("../bin/agtmux", import.meta.url));
const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const START_LIMIT_MS = 15_000;

export interface Scene {
  readonly tmux: PrivateTmux;
  readonly paths: RuntimePaths;
  readonly home: string;
  readonly players: readonly Player[];
  /** Starts the daemon's process and resolves when it answers. */
  startDaemon(): Promise<{ client: DaemonClient; pid: number; stop(): Promise<void> }>;
  close(): Promise<void>;
}

const connect = async (paths: RuntimePaths): Promise<DaemonClient> => {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await connectSocket({ paths, version: "bench", checkVersion: false, helloTimeoutMs: 5_000 });
    } catch (error) {
      if (!(error instanceof AgtmuxError) || performance.now() > deadline) throw error;
      await wait(20);
    }
  }
};

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });

/** `panes` in `sessions` sessions beside one pane per played agent. */
export const createScene = async (options: {
  sessions: number;
  panes: number;
  agents: number;
}): Promise<Scene> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-b-"));
  const home = join(root, "home");
  const paths = runtimePaths(join(root, "a"));
  mkdirSync(home, { recursive: true });
  mkdirSync(paths.home, { mode: 0o700 });
  const tmux = createPrivateTmux();
  const perSession = Math.floor(options.panes / options.sessions);
  for (let session = 0; session < options.sessions; session += 1) {
    await tmux.run("new-session", "-d", "-s", `s${session}`, "-x", "200", "-y", "50", "sleep 100000");
    for (let pane = 1; pane < perSession; pane += 1)
      await tmux.run("new-window", "-d", "-t", `s${session}:`, "sleep 100000");
  }
  const players: Player[] = [];
  for (let agent = 0; agent < options.agents; agent += 1)
    players.push(
      await createPlayer({
        tmux: { socketArgs: tmux.socketArgs, session: `s${agent % options.sessions}` },
        home,
        recordingsDir: RECORDINGS,
      }),
    );

  const daemons: ChildProcess[] = [];
  return {
    tmux,
    paths,
    home,
    players,
    startDaemon: async () => {
      const child = spawn(AGTMUX, ["daemon", "run", "--foreground"], {
        env: { ...process.env, HOME: home, AGTMUX_HOME: paths.home, AGTMUX_TMUX_SOCKETS: tmux.socketPath },
        stdio: "ignore",
      });
      daemons.push(child);
      const client = await connect(paths);
      return {
        client,
        pid: child.pid ?? 0,
        stop: async () => {
          child.kill("SIGTERM");
          await ended(child);
        },
      };
    },
    close: async () => {
      for (const child of daemons) child.kill("SIGKILL");
      await Promise.all(daemons.map(ended));
      for (const player of players) await player.close();
      await tmux.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
