// Real daemons as real processes in a temporary home with no tmux server, ended with their test.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { CLI_ENTRY } from "./cliEntry.ts";
import { makeFakeHome, type FakeHome } from "./fakeHome.ts";

export interface RealDaemon {
  readonly home: FakeHome;
  /** With this, commands start a daemon where none runs. */
  readonly env: Record<string, string>;
  /** Starts `agtmux daemon run` as our child and waits until it answers. */
  readonly startDaemon: (args: readonly string[]) => Promise<ChildProcess>;
  readonly end: (child: ChildProcess, signal: NodeJS.Signals) => Promise<number | null>;
  readonly statusOf: () => Promise<{ pid: number; is_on_demand: boolean }>;
}

const end: RealDaemon["end"] = async (child, signal) => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
  return child.exitCode;
};

/** To be called once in a test file: the home is new in each test. */
export const useRealDaemon = (): RealDaemon => {
  let home: FakeHome;
  let env: Record<string, string>;
  const daemons: ChildProcess[] = [];
  beforeEach(() => {
    home = makeFakeHome();
    env = { AGTMUX_NO_START: "", TMUX_TMPDIR: dirname(home.paths.home) };
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await end(daemon, "SIGKILL");
    // A daemon on demand is nobody's child here: ask it to leave.
    if (existsSync(home.paths.socket)) await home.run(["daemon", "stop"]);
    await home.close();
  });
  return {
    get home() {
      return home;
    },
    get env() {
      return env;
    },
    startDaemon: async (args) => {
      const child = spawn("node", [CLI_ENTRY, "daemon", "run", ...args], {
        env: { ...process.env, ...env, AGTMUX_HOME: home.paths.home },
        stdio: ["ignore", "ignore", "ignore"],
      });
      daemons.push(child);
      await vi.waitFor(async () => expect((await home.run(["daemon", "status"])).code).toBe(0), {
        timeout: 20_000,
        interval: 100,
      });
      return child;
    },
    end,
    statusOf: async () => {
      const { stdout } = await home.run(["daemon", "status", "--json"]);
      const status: { pid: number; is_on_demand: boolean } = JSON.parse(stdout);
      return status;
    },
  };
};
