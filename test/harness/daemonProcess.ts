// The daemon as a process of its own, from the sources, on a given home.
import { DAEMON_ENVIRONMENT, DAEMON_NODE_FLAGS } from "../../cli/command/createContext.ts";
import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../../core/rpc/socketClient.ts";
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

/** A client of the daemon of this home, of whatever version that is. @throws AgtmuxError when it does not answer. */
export const connectTo = (home: string, helloTimeoutMs = 5_000): Promise<DaemonClient> =>
  connectSocket({ paths: runtimePaths(home), version: "test", checkVersion: false, helloTimeoutMs });

/** The same once it answers. @throws AgtmuxError when it did not within `limitMs`. */
export const connectOnceUp = async (home: string, limitMs = START_LIMIT_MS): Promise<DaemonClient> => {
  const deadline = performance.now() + limitMs;
  for (;;)
    try {
      return await connectTo(home);
    } catch (error) {
      if (!(error instanceof AgtmuxError) || performance.now() > deadline) throw error;
      await wait(20);
    }
};

/** Starts and resolves when it answers. */
export const spawnDaemon = async (options: {
  home: string;
  env: Readonly<Record<string, string>>;
}): Promise<DaemonProcess> => {
  const daemon = startDaemonProcess(options);
  try {
    (await connectOnceUp(options.home)).close();
    return daemon;
  } catch (error) {
    // Nobody else has it: it would stay.
    await daemon.stop("SIGKILL");
    throw error;
  }
};
