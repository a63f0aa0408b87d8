// Commands, files and sockets of the machine that the daemon itself runs on. Every child and connection has an owner here:
// `close()` ends them all.
import { stat } from "node:fs/promises";
import { createConnection } from "node:net";
import { delimiter, isAbsolute } from "node:path";
import { execa } from "execa";
import { isMissing } from "../../model/systemError.ts";
import type { SocketConnection, RunResult, TargetExecutor } from "../../ports/targetExecutor.ts";
import { createLocalFiles, openProcFile } from "./localFiles.ts";

// Unix sockets of this machine: whose they are, and connections to them.
/**
 * See TargetSockets. Connecting does not change a socket's time of change. The inode alone is not enough, because it may be
 * used again.
 */
const identifyLocalSocket = async (path: string): Promise<string | null> => {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null || !found.isSocket() || found.uid !== BigInt(process.geteuid?.() ?? -1)) return null;
  return `${found.dev} ${found.ino} ${found.mtimeNs}`;
};

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
    run: async (argv, options): Promise<RunResult> => {
      const [file = "", ...args] = argv;
      const running = execa(file, args, {
        env,
        extendEnv: false,
        reject: false,
        timeout: options.timeoutMs,
        forceKillAfterDelay: FORCE_KILL_AFTER_MS,
        maxBuffer: options.maxBytes ?? DEFAULT_MAX_BYTES,
        stripFinalNewline: false,
        cancelSignal: closing.signal,
        ...(options.stdin === undefined ? { stdin: "ignore" as const } : { input: options.stdin }),
      });
      let isOutputHeld = false;
      // What it started may outlive it and keep its output open.
      const letGo = setTimeout(
        () => {
          isOutputHeld = true;
          running.stdout?.destroy();
          running.stderr?.destroy();
        },
        options.timeoutMs + 2 * FORCE_KILL_AFTER_MS,
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
    },
    sockets: {
      identify: identifyLocalSocket,
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
