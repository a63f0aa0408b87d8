// Commands, files and sockets of the machine that the daemon itself runs on. Every child and connection has an owner here:
// `close()` ends them all.
import { createConnection } from "node:net";
import { delimiter, isAbsolute } from "node:path";
import { execa } from "execa";
import type { SocketConnection, RunResult, TargetExecutor } from "../../ports/targetExecutor.ts";
import { findLocalSocket, guardedCommand, runLocalTmux } from "../ownSocket.ts";
import { createLocalFiles, openProcFile } from "./localFiles.ts";

/** `onGone` is called once, however it ends. */
export const connectLocalSocket = (path: string, onGone: () => void): SocketConnection => {
  const socket = createConnection(path);
  let reason = "closed by the other side";
  let closeListener: ((reason: string) => void) | null = null;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    reason = error.code ?? error.message;
  });
  socket.on("close", () => {
    onGone();
    closeListener?.(reason);
  });
  return {
    write: (bytes) => void socket.write(bytes),
    onData: (listener) => void socket.on("data", listener),
    onClose: (listener) => {
      closeListener = listener;
    },
    close: () => void socket.destroy(),
  };
};

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** After its time limit a child is asked to end, and after this long it is ended. */
const FORCE_KILL_AFTER_MS = 500;

export interface LocalExecutorOptions {
  targetId: string;
  /** The whole environment of the children, except entries of PATH that mean the current folder. */
  env: NodeJS.ProcessEnv;
}

interface RunOptions {
  timeoutMs: number;
  stdin?: string;
  maxBytes?: number;
  /** An open file that the program gets as its fourth. */
  file?: number | null;
}

/** A daemon that was started inside a project must not run the programs that lie there. */
const withAbsolutePath = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { PATH } = env;
  return PATH === undefined
    ? env
    : {
        ...env,
        PATH: PATH.split(delimiter)
          .filter((folder) => isAbsolute(folder))
          .join(delimiter),
      };
};

/**
 * The local TargetExecutor. `run` throws when the program cannot be started; output beyond `maxBytes` (8 MB per stream)
 * ends the child, which shows as exit code null. `homeDir` is `HOME` of `env`.
 */
export const createLocalExecutor = (options: LocalExecutorOptions): TargetExecutor => {
  const { targetId } = options;
  const env = withAbsolutePath(options.env);
  const connections = new Set<SocketConnection>();
  const closing = new AbortController();

  const run = async (
    argv: readonly string[],
    { timeoutMs, maxBytes, stdin, file: held = null }: RunOptions,
  ): Promise<RunResult> => {
    const [file = "", ...args] = argv;
    const running = execa(file, args, {
      env,
      extendEnv: false,
      reject: false,
      timeout: timeoutMs,
      forceKillAfterDelay: FORCE_KILL_AFTER_MS,
      maxBuffer: maxBytes ?? DEFAULT_MAX_BYTES,
      stripFinalNewline: false,
      cancelSignal: closing.signal,
      stdio: [
        stdin === undefined ? "ignore" : "pipe",
        "pipe",
        "pipe",
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an open file is passed on; execa's types leave it out
        ...(held === null ? [] : [held as unknown as "ignore"]),
      ],
      ...(stdin === undefined ? {} : { input: stdin }),
    });
    let isOutputHeld = false;
    // What it started may outlive it and keep its output open.
    const letGo = setTimeout(
      () => {
        isOutputHeld = true;
        running.stdout?.destroy();
        running.stderr?.destroy();
      },
      timeoutMs + 2 * FORCE_KILL_AFTER_MS,
    );
    const result = await running.finally(() => clearTimeout(letGo));
    const isStarted = result.exitCode !== undefined || result.signal !== undefined;
    if (!isStarted && !result.timedOut && !isOutputHeld && !result.isMaxBuffer && !result.isCanceled)
      throw new Error(`run ${file}: could not start`, { cause: result.cause });
    return {
      exitCode: result.isMaxBuffer || isOutputHeld ? null : (result.exitCode ?? null),
      stdout: result.stdout,
      stderr: result.stderr,
      timedOut: result.timedOut || isOutputHeld,
    };
  };

  return {
    targetId,
    kind: "local",
    files: createLocalFiles(),
    homeDir: () => {
      const home = env["HOME"];
      if (home === undefined || home === "")
        return Promise.reject(new Error("find home folder: HOME is not set"));
      return Promise.resolve(home.length > 1 ? home.replace(/\/+$/, "") : home);
    },
    run,
    runTmux: (call, options) => runLocalTmux(call, (argv, file) => run(argv, { ...options, file })),
    tmuxForTerminal: guardedCommand,
    sockets: {
      find: findLocalSocket,
      connect: (path) => {
        if (closing.signal.aborted) throw new Error(`connect to ${path}: the executor is closed`);
        const connection = connectLocalSocket(path, () => connections.delete(connection));
        connections.add(connection);
        return connection;
      },
    },
    isRunning: (pid) => {
      try {
        return process.kill(pid, 0);
      } catch (error) {
        // The process exists, but belongs to somebody else.
        return error instanceof Error && "code" in error && error.code === "EPERM";
      }
    },
    ...(process.platform === "linux" ? { openProc: openProcFile } : {}),
    close: () => {
      closing.abort();
      for (const connection of connections) connection.close();
      return Promise.resolve();
    },
  };
};
