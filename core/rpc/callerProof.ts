// Finds which process is at the other end of the socket. Node has no SO_PEERCRED, so a caller that is asked for a proof listens on
// a socket in the home while its call is under way. The daemon asks there whether the call is its own, and asks the system which
// processes hold that socket. A pid that somebody names proves nothing. Where the system does not say, no process is the caller.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile, readlink, unlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const FORM = /^([0-9a-f]{8}\.sk) ([0-9a-f]{32})$/;
const CONFIRM_MS = 2_000;
const LSOF_MS = 5_000;
const SOCKET_LINK = /^socket:\[(\d+)\]$/;
const IS_MINE = "mine";

interface CallerProof {
  readonly header: string;
  close(): void;
}

/** Until it is closed, this process can be found as the caller of a request with the header. @throws if no socket can be made. */
export const openCallerProof = async (home: string): Promise<CallerProof> => {
  const [name, secret] = [`${randomBytes(4).toString("hex")}.sk`, randomBytes(16).toString("hex")];
  const server = createServer((socket) => {
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    let asked = "";
    socket.on("data", (text: string) => {
      asked += text;
      if (asked.length >= secret.length) socket.end(asked === secret ? IS_MINE : "");
    });
  });
  // Open connections must not keep the process, nor the socket the event loop.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", resolve);
    // Node binds inside listen(): the socket never exists wider than 0600.
    const previous = process.umask(0o177);
    try {
      server.listen(join(home, name));
    } finally {
      process.umask(previous);
    }
  });
  return { header: `${name} ${secret}`, close: () => server.close() };
};

/** Whoever listens there says that the call with this secret is its own. */
const isConfirmed = (path: string, secret: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    let said = "";
    const settle = (isMine: boolean): void => {
      socket.destroy();
      resolve(isMine);
    };
    socket.setEncoding("utf8");
    socket.setTimeout(CONFIRM_MS, () => settle(false));
    socket.on("error", () => settle(false));
    socket.on("data", (text: string) => {
      said += text;
      if (said.length > IS_MINE.length) settle(false);
    });
    socket.on("close", () => settle(said === IS_MINE));
    socket.write(secret);
  });

/** Inodes of all sockets whose path ends in the name, so that a second socket of the same name does not stay unseen. */
const inodesOf = (sockets: string, name: string): Set<string> =>
  new Set(
    sockets.split("\n").flatMap((line) => {
      const [, , , , , , inode, path = ""] = line.trim().split(/\s+/);
      return inode !== undefined && (path === name || path.endsWith(`/${name}`)) ? [inode] : [];
    }),
  );

/** False for processes that end meanwhile or belong to other users. */
const holds = async (pid: string, inodes: ReadonlySet<string>): Promise<boolean> => {
  const folder = `/proc/${pid}/fd`;
  const fds = await readdir(folder).catch(() => []);
  for (const fd of fds) {
    const [, inode] = SOCKET_LINK.exec(await readlink(join(folder, fd)).catch(() => "")) ?? [];
    if (inode !== undefined && inodes.has(inode)) return true;
  }
  return false;
};

const holdersByProc = async (name: string): Promise<number[]> => {
  const inodes = inodesOf(await readFile("/proc/net/unix", "utf8"), name);
  if (inodes.size === 0) return [];
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const held: number[] = [];
  for (const pid of pids) if (await holds(pid, inodes)) held.push(Number(pid));
  return held;
};

const holdersByLsof = async (path: string): Promise<number[]> => {
  const { stdout } = await promisify(execFile)("/usr/sbin/lsof", ["-w", "-F", "p", "--", path], {
    timeout: LSOF_MS,
  });
  return stdout.split("\n").flatMap((line) => (/^p\d+$/.test(line) ? [Number(line.slice(1))] : []));
};

/** The processes that are the caller of a request with this header; none where that cannot be established. Never rejects. */
export const findCallers = async (home: string, header: unknown): Promise<readonly number[]> => {
  const [, name, secret] = FORM.exec(typeof header === "string" ? header : "") ?? [];
  if (name === undefined || secret === undefined) return [];
  const path = join(home, name);
  try {
    const held = process.platform === "linux" ? await holdersByProc(name) : await holdersByLsof(path);
    return held.length > 0 && (await isConfirmed(path, secret)) ? held : [];
  } catch {
    // The system does not say.
    return [];
  } finally {
    // Also of a caller that is killed meanwhile; most often it is gone by now.
    await unlink(path).catch(() => {});
  }
};
