// How a command reaches the daemon: it connects, or takes the start lock, starts one on demand and waits for its hello. If many
// first commands run at once, one daemon comes up and answers all of them. After an upgrade the old daemon is replaced.
import {
  closeSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
  fstatSync,
  ftruncateSync,
} from "node:fs";
import { join } from "node:path";
import { errorCodeOf, AgtmuxError, ERROR_CODES, type ErrorCode } from "../model/errors.ts";
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { ensureHome, type RuntimePaths } from "./paths.ts";
import type { AnyRouter } from "@trpc/server";
import type { AppRouter } from "../api/router.ts";
import { connectCurrent, connectSocket, type DaemonClient } from "./socketClient.ts";

// Start lock: of many first commands, one spawns the daemon and the others wait for it. This only saves processes. The lock of
// `ownership.ts` decides who becomes the daemon, so a lost or stale file does no harm.

/** A start that takes longer (in milliseconds) counts as dead. */
const STALE_AFTER_MS = 15_000;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
};

const isStale = (path: string): boolean => {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    if (age > STALE_AFTER_MS) return true;
    const pid = Number(readFileSync(path, "utf8"));
    // A lock that was just created and not yet written counts as alive.
    return Number.isInteger(pid) && pid > 0 && !isAlive(pid);
  } catch {
    // The file disappeared meanwhile: it is not stale, and the next attempt will see.
    return false;
  }
};

const removeQuietly = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
};

/** Takes the right to start the daemon of `home`; null while another command has it. The returned function gives it back. */
export const tryStartLock = (home: string): (() => void) | null => {
  const path = join(home, "starting");
  if (isStale(path)) removeQuietly(path);
  try {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return null;
    throw error;
  }
  return () => removeQuietly(path);
};

// Connecting.

/** One hello on an accepted connection; generous because fifty commands may share two cores. */
const HELLO_TIMEOUT_MS = 5_000;
const FIRST_WAIT_MS = 15;
const LONGEST_WAIT_MS = 120;
/** The pause between two attempts while a daemon that does not answer owns the home. */
const RESTART_AFTER_MS = 500;
const MAX_START_LOG_BYTES = 256 * 1024;

export interface ConnectOptions {
  readonly paths: RuntimePaths;
  /** Our own version, for the message about a mismatch. */
  readonly version: string;
  /** The command that runs a daemon on demand; null: never start one. */
  readonly startCommand: readonly string[] | null;
  /** Environment for a daemon that is started. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a start may take in all, in milliseconds. */
  readonly timeoutMs: number;
}

interface Start {
  /** The daemon's own error when it failed; null while it runs, or when it ended because another one owns the home. */
  failure(): AgtmuxError | null;
  /** True when it ended because another daemon owned the home. That one may have been about to end, so try again. */
  isWorthRepeating(): boolean;
  /** Lets this process end while the daemon runs on. */
  release(): void;
}

const isErrorCode = (text: string | undefined): text is ErrorCode =>
  text !== undefined && text in ERROR_CODES;

/** Reads the last line that the daemon printed, in the form in which every command prints an error. */
const failureFrom = (log: string, exitCode: number | null, logPath: string): AgtmuxError => {
  const last = log.trimEnd().split("\n").at(-1) ?? "";
  const [, message, code, remedy] = /^agtmux: (.*) \[(E_[A-Z_]+)\]\. ?(.*)$/.exec(last) ?? [];
  if (message !== undefined && isErrorCode(code))
    return new AgtmuxError(code, message, remedy === undefined || remedy === "" ? {} : { remedy });
  return new AgtmuxError(
    "E_DAEMON_UNAVAILABLE",
    `the daemon could not start (${exitCode === null ? "killed" : `exit code ${exitCode}`})`,
    { remedy: `See ${logPath}.` },
  );
};

/** Spawns the daemon in a session of its own, so that neither Ctrl-C nor a closed terminal reaches it. */
const spawnDaemon = (command: readonly string[], options: ConnectOptions): Start => {
  const { paths } = options;
  const [file, ...args] = command;
  if (file === undefined) throw new AgtmuxError("E_INTERNAL", "the command that starts the daemon is empty");
  const log = openSync(paths.startLog, "a", 0o600);
  if (fstatSync(log).size > MAX_START_LOG_BYTES) ftruncateSync(log, 0);
  const offset = fstatSync(log).size;
  // The daemon must not take the starter's pane for its own.
  const { TMUX: _tmux, TMUX_PANE: _pane, ...env } = options.env;
  const child = spawn(file, args, {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
    env: { ...env, AGTMUX_HOME: paths.home },
  });
  closeSync(log);
  const startedAt = performance.now();
  let failure: AgtmuxError | null = null;
  let hasLeft = false;
  child.once("error", (cause) => {
    failure = new AgtmuxError("E_DAEMON_UNAVAILABLE", `the daemon could not be started with ${file}`, {
      cause,
    });
  });
  child.once("exit", (code) => {
    // Exit code 0 means that another daemon owns the home: its hello is what we wait for.
    hasLeft = true;
    if (code !== 0)
      failure = failureFrom(readFileSync(paths.startLog).subarray(offset).toString(), code, paths.startLog);
  });
  return {
    failure: () => failure,
    isWorthRepeating: () => hasLeft && performance.now() - startedAt > RESTART_AFTER_MS,
    release: () => child.unref(),
  };
};

/** Null when no daemon answers, or only an outdated one; every other failure is final. */
const tryConnect = <Router extends AnyRouter>({
  paths,
  version,
}: ConnectOptions): Promise<DaemonClient<Router> | null> =>
  connectCurrent<Router>({ paths, version, helloTimeoutMs: HELLO_TIMEOUT_MS });

/**
 * Connects to the daemon of the home, starting one when nobody answers or an outdated one does. Fails with
 * E_DAEMON_UNAVAILABLE when none came up in time, with the daemon's own error when it refused to start, with E_SOCKET_UNSAFE
 * or with E_DAEMON_VERSION.
 */
export const connectOrStart = async <Router extends AnyRouter = AppRouter>(
  options: ConnectOptions,
): Promise<DaemonClient<Router>> => {
  const { paths, version, startCommand } = options;
  if (startCommand === null)
    return connectSocket<Router>({ paths, version, checkVersion: true, helloTimeoutMs: HELLO_TIMEOUT_MS });
  const first = await tryConnect<Router>(options);
  if (first !== null) return first;
  ensureHome(paths);

  const deadline = performance.now() + options.timeoutMs;
  let unlock: (() => void) | null = null;
  let start: Start | null = null;
  try {
    for (
      let waitMs = FIRST_WAIT_MS;
      performance.now() < deadline;
      waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)
    ) {
      if (start === null) {
        unlock ??= tryStartLock(paths.home);
        // The holder of the lock before us may have just started a daemon: try again before spawning.
        const client = await tryConnect<Router>(options);
        if (client !== null) return client;
        if (unlock !== null) {
          // Loaded only now, because it needs SQLite.
          const { endOutdated } = await import("./ownership.ts");
          await endOutdated({ paths, version });
          start = spawnDaemon(startCommand, options);
        }
      }
      await delay(waitMs);
      const client = await tryConnect<Router>(options);
      if (client !== null) return client;
      const failure = start?.failure() ?? null;
      if (failure !== null) throw failure;
      if (start?.isWorthRepeating() === true) start = null;
    }
    throw new AgtmuxError("E_DAEMON_UNAVAILABLE", `no daemon answered within ${options.timeoutMs / 1000} s`, {
      remedy: `See ${paths.startLog} and ${paths.log}.`,
    });
  } finally {
    unlock?.();
    start?.release();
  }
};
