// The daemon as a process of its own, from the sources, on a given home.
import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { DAEMON_ENVIRONMENT, DAEMON_NODE_FLAGS } from "../../cli/command/createContext.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const START_LIMIT_MS = 30_000;

export interface DaemonProcess {
  readonly pid: number;
  /** Ends it by the signal (SIGTERM) and resolves when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts without waiting for an answer: for tests that end it at any moment. */
export const startDaemonProcess = (options: {
  home: string;
  env: Readonly<Record<string, string>>;
  /** The command line's entry: the sources', unless many starts are worth a bundle. */
  main?: string;
}): DaemonProcess => {
  const args = [...DAEMON_NODE_FLAGS, options.main ?? CLI_ENTRY, "daemon", "run", "--foreground"];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...DAEMON_ENVIRONMENT, ...options.env, AGTMUX_HOME: options.home },
    stdio: "ignore",
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    pid: child.pid ?? 0,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      await gone;
    },
  };
};

/** Starts and resolves when it answers. */
export const spawnDaemon = async (options: {
  home: string;
  env: Readonly<Record<string, string>>;
}): Promise<DaemonProcess> => {
  const daemon = startDaemonProcess(options);
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      const client = await connectSocket({
        paths: runtimePaths(options.home),
        version: "test",
        checkVersion: false,
        helloTimeoutMs: 5_000,
      });
      client.close();
      return daemon;
    } catch (error) {
      if (!(error instanceof AgtmuxError) || performance.now() > deadline) {
        // Nobody else has it: it would stay.
        await daemon.stop("SIGKILL");
        throw error;
      }
      await wait(20);
    }
  }
};
