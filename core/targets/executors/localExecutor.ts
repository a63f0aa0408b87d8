// Commands, files and sockets of the machine that the daemon itself runs on. Every child and connection has an owner here:
// `close()` ends them all.
import {
  close,
  closeSync,
  constants,
  type Stats,
  open as openFile,
  openSync,
  read,
  readSync,
  statSync,
} from "node:fs";
import { chmod, lstat, mkdir, open, readdir, readlink, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve, delimiter, isAbsolute } from "node:path";
import { promisify } from "node:util";
import { AgtmuxError, unlessMissing } from "../../model/errors.ts";
import type {
  OpenProcFile,
  TargetFiles,
  SocketConnection,
  TargetExecutor,
} from "../../ports/targetExecutor.ts";
import { createConnection } from "node:net";
import { findLocalSocket, guardedCommand, runLocalTmux } from "../ownSocket.ts";
import { runProgram } from "../runProgram.ts";

// Files: the TargetFiles port of this machine, asynchronous except for /proc. Special files never block: a FIFO or a device in the
// way of a path that we read is opened without waiting for a peer.

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const READ_CHUNK = 64 * 1024;
const MAX_SYMLINKS = 40;

/** Hundreds of small files are read each second, and many do not exist. With file handles each read would cost 50 % more. */
const openPlain = promisify(openFile);
const readPlain = promisify(read);
const closePlain = promisify(close);

/** The kernel has this in memory, so it is read synchronously: over the thread pool it would cost twenty times as much. */
const PROCESS_FOLDER = /^\/proc\/\d+$/;

const PROC_BYTES = 64 * 1024;
/** Shared by all reads, each of which is over before the next one begins. */
let procBuffer: Buffer | null = null;

/** See TargetExecutor. Synchronous: the kernel has it in memory, so a read is one system call and needs no thread. */
const openProcFile = (path: string): OpenProcFile | null => {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY);
  } catch {
    // The process is gone, or not ours.
    return null;
  }
  return {
    read: () => {
      procBuffer ??= Buffer.alloc(PROC_BYTES);
      try {
        return procBuffer.toString("latin1", 0, readSync(file, procBuffer, 0, PROC_BYTES, 0));
      } catch {
        // ESRCH: the process has ended.
        return null;
      }
    },
    close: () => closeSync(file),
  };
};

/** Reads at most `maxBytes` from the start; sizes are not trusted (files of /proc say 0). */
const readPrefix = async (path: string, maxBytes: number): Promise<string> => {
  const file = await openPlain(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    while (total < maxBytes) {
      const wanted = Math.min(READ_CHUNK, maxBytes - total);
      const { bytesRead, buffer } = await readPlain(file, Buffer.allocUnsafe(wanted), 0, wanted, null);
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
      // A short read means the end of the file. Asking once more would add a third to the cost of a small file.
      if (bytesRead < wanted) break;
    }
    return Buffer.concat(chunks, total).toString("utf8");
  } finally {
    await closePlain(file);
  }
};

/** Reads at most the last `maxBytes`. The file may grow meanwhile: what comes later is left for the next read. */
const readSuffix = async (path: string, maxBytes: number): Promise<string> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxBytes);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await handle.close();
  }
};

/** The rename puts a plain file of ours in place, so it must not replace a device or somebody else's file. */
const refuseForeign = (path: string, found: Stats): void => {
  const uid = process.geteuid?.();
  const why = !found.isFile()
    ? "is not a regular file"
    : uid !== undefined && found.uid !== uid
      ? "belongs to another user"
      : null;
  if (why !== null)
    throw new AgtmuxError("E_INTEGRATION_REFUSED", `${path} ${why}`, {
      remedy: "Check what it is, and move it away if it is not yours; it was not changed.",
    });
};

/** Where a write to `path` must land: the end of its chain of symlinks, which need not exist yet. */
const followLinks = async (path: string): Promise<string> => {
  let current = resolve(path);
  for (let hop = 0; hop < MAX_SYMLINKS; hop++) {
    const found = await unlessMissing(lstat(current));
    if (found === null || !found.isSymbolicLink()) return current;
    current = resolve(dirname(current), await readlink(current));
  }
  throw new Error(`write ${path}: too many symbolic links`);
};

/**
 * The local TargetFiles. `readText` gives the first `maxBytes` (16 MB) as UTF-8; `list` of a missing folder is empty;
 * `writeText` replaces by temp file + rename with the mode of the file it replaces, else `mode`, else 0600; anything but a
 * regular file of this user is refused with E_INTEGRATION_REFUSED.
 */
export const createLocalFiles = (): TargetFiles => {
  // Makes temp names unique within this process; the pid does so between processes, "wx" between runs.
  let writes = 0;
  return {
    readText: (path, maxBytes = MAX_FILE_BYTES) => unlessMissing(readPrefix(path, maxBytes)),
    readTail: (path, maxBytes) => unlessMissing(readSuffix(path, maxBytes)),
    readLink: async (path) => {
      try {
        return await readlink(path);
      } catch {
        // Not a link, no such file, or another user's process: the caller treats these alike.
        return null;
      }
    },
    list: async (path) => (await unlessMissing(readdir(path))) ?? [],
    stat: async (path) => {
      const found = PROCESS_FOLDER.test(path)
        ? (statSync(path, { throwIfNoEntry: false }) ?? null)
        : await unlessMissing(stat(path));
      return found === null
        ? null
        : {
            mtimeMs: found.mtimeMs,
            size: found.size,
            isFile: found.isFile(),
            mode: found.mode & 0o7777,
            inode: found.ino,
          };
    },
    writeText: async (path, text, mode) => {
      const destination = await followLinks(path);
      await mkdir(dirname(destination), { recursive: true, mode: 0o700 });
      const previous = await unlessMissing(stat(destination));
      if (previous !== null) refuseForeign(destination, previous);
      const temp = join(dirname(destination), `.agtmux-${process.pid}-${++writes}.tmp`);
      await rm(temp, { force: true });
      const handle = await open(temp, "wx", 0o600);
      try {
        try {
          await handle.writeFile(text);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await chmod(temp, previous === null ? (mode ?? 0o600) : previous.mode & 0o7777);
        await rename(temp, destination);
      } catch (error) {
        await rm(temp, { force: true });
        throw error;
      }
    },
    remove: (path) => rm(path, { force: true }),
  };
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

/** The local TargetExecutor; `run` is `runProgram`. `homeDir` is `HOME` of `env`. */
export const createLocalExecutor = (options: {
  targetId: string;
  /** The whole environment of the children, except entries of PATH that mean the current folder. */
  env: NodeJS.ProcessEnv;
}): TargetExecutor => {
  const { targetId } = options;
  const env = withAbsolutePath(options.env);
  const connections = new Set<SocketConnection>();
  const closing = new AbortController();

  const run = (argv: readonly string[], call: Omit<Parameters<typeof runProgram>[1], "env" | "signal">) =>
    runProgram(argv, { ...call, env, signal: closing.signal });

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
