// Which processes run in a pane, and whether a pid still is the same process. Reads only; /proc on Linux, ps elsewhere. The
// name of a process is never cached, because the process may become another program at any moment.
import type { ProcessInfo } from "../model/runtime.ts";
import type { Meter, ProcessLife, ProcessTree } from "../ports/processTree.ts";
import type { OpenProcFile } from "../ports/targetExecutor.ts";
import {
  parseCmdline,
  parseProcStat,
  parseUptime,
  parseWritten,
  MAX_ARGS,
  type ProcStat,
} from "./procStat.ts";
import { createPsTree, type PsTreeOptions } from "./psTree.ts";
import { isSameStart } from "./sameStart.ts";
import { createSemaphore } from "../engine/semaphore.ts";
import { walkProcesses } from "./walkProcesses.ts";

const MAX_FILE_BYTES = 4_096;
/**
 * How long the identity of `/proc/<pid>` alone proves that a process lives. A zombie keeps it, so now and then the state is
 * read too.
 */
const FULL_CHECK_MS = 8_000;
const MAX_KNOWN = 4_096;
/** Files that stay open for watching; beyond, the one that was opened first is closed and opened again. */
const MAX_OPEN = 512;
/**
 * Panes or processes that are read at once. To start a thousand file reads together would block the serving loop for long, and
 * so would their ends; the thread pool with its four threads would gain nothing.
 */
const PARALLEL = 16;

export interface ProcessTreeOptions extends PsTreeOptions {
  /** The target's platform: `linux` has /proc. */
  platform: NodeJS.Platform;
}

/** Its command line is given as it is, and as vector. */
const argvOf = (cmdline: string): string[] => cmdline.replace(/\0+$/, "").split("\0");

interface Read {
  info: ProcessInfo;
  threadCount: number;
}
type ListChildren = (read: Read) => Promise<readonly number[]>;

const createLinuxTree = ({ executor, clock, programs }: ProcessTreeOptions): ProcessTree => {
  const { files } = executor;
  const meter = <T>(path: string, parse: (text: string) => T | null): Meter<T> | null => {
    const file = executor.openProc?.(path) ?? null;
    const read = (): T | null => {
      const text = file?.read() ?? null;
      return text === null ? null : parse(text);
    };
    return file === null ? null : { read, close: () => file.close() };
  };
  let bootAt: Promise<number> | null = null;
  const semaphore = createSemaphore(PARALLEL);
  const known = new Map<number, { madeAt: number; readAt: number; startedAt: number }>();
  const getBootAt = (): Promise<number> => {
    bootAt ??= files
      .readText("/proc/uptime", MAX_FILE_BYTES)
      .then((text) => {
        const uptime = parseUptime(text ?? "");
        if (uptime === null) throw new Error("read /proc/uptime: no number");
        return Math.round(clock.now() - uptime);
      })
      .catch((error: unknown) => {
        bootAt = null;
        throw error;
      });
    return bootAt;
  };
  /** A process may end between any two reads; then it is gone (ESRCH comes from an open file). */
  const readOrNull = (path: string, maxBytes = MAX_FILE_BYTES): Promise<string | null> =>
    files.readText(path, maxBytes).catch(() => null);
  const readStat = async (pid: number): Promise<ProcStat | null> => {
    const stat = parseProcStat((await readOrNull(`/proc/${pid}/stat`)) ?? "");
    return stat === null || stat.isZombie ? null : stat;
  };
  const toStartedAt = async (stat: ProcStat): Promise<number> =>
    (await getBootAt()) + stat.startedAfterBootMs;
  const readProcess = async (pid: number): Promise<Read | null> => {
    const [stat, cmdline] = await Promise.all([readStat(pid), readOrNull(`/proc/${pid}/cmdline`, MAX_ARGS)]);
    if (stat === null) return null;
    const args = parseCmdline(cmdline ?? "");
    const startedAt = await toStartedAt(stat);
    const { ppid, comm, isStopped, threadCount } = stat;
    const identity = `${pid} ${stat.startedAfterBootMs} ${comm} ${args}`;
    const program = { pid, argv: argvOf(cmdline ?? ""), executable: null };
    const file = (await programs?.fileOf(identity, program)) ?? null;
    return {
      info: {
        pid,
        ppid,
        comm,
        args: args === "" ? comm : args,
        startedAt,
        isStopped,
        ...(file === null ? {} : { file }),
      },
      threadCount,
    };
  };
  /** Any thread may have started a child. */
  const listByThread: ListChildren = async ({ info: { pid }, threadCount }) => {
    const threads = threadCount === 1 ? [String(pid)] : await files.list(`/proc/${pid}/task`).catch(() => []);
    const texts = await Promise.all(
      threads.map((thread) => readOrNull(`/proc/${pid}/task/${thread}/children`)),
    );
    return texts.flatMap((text) =>
      (text ?? "")
        .split(" ")
        .filter((part) => part !== "")
        .map(Number),
    );
  };
  /** For kernels without the `children` files: one pass over all processes. */
  const listByPass = async (): Promise<ListChildren> => {
    const names = await files.list("/proc");
    const stats = await Promise.all(
      names.filter((name) => /^\d+$/.test(name)).map((name) => readStat(Number(name))),
    );
    const byParent = Map.groupBy(
      stats.filter((stat) => stat !== null),
      (stat) => stat.ppid,
    );
    return ({ info }) => Promise.resolve((byParent.get(info.pid) ?? []).map((stat) => stat.pid));
  };
  const isStill = async (pid: number, startedAt: number): Promise<boolean> => {
    // The folder's own time is the moment when the kernel made its inode for this process: a cheap mark of identity. If it
    // cannot be read, the full check below finds out why.
    const folder = await files.stat(`/proc/${pid}`).catch(() => null);
    const before = known.get(pid);
    if (
      folder !== null &&
      before?.madeAt === folder.mtimeMs &&
      clock.now() - before.readAt < FULL_CHECK_MS &&
      isSameStart(before.startedAt, startedAt)
    )
      return true;
    known.delete(pid);
    const stat = folder === null ? null : await readStat(pid);
    if (folder === null || stat === null) return false;
    const actualStart = await toStartedAt(stat);
    if (!isSameStart(actualStart, startedAt)) return false;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(pid, { madeAt: folder.mtimeMs, readAt: clock.now(), startedAt: actualStart });
    return true;
  };
  const verify = (pid: number, startedAt: number): Promise<boolean> =>
    semaphore.run(() => isStill(pid, startedAt));
  /** Read from a file that stays open, which is this process's and no later one's. */
  const opened = new Map<number, { startedAt: number; file: OpenProcFile }>();
  const closeFile = (pid: number): void => {
    opened.get(pid)?.file.close();
    opened.delete(pid);
  };
  /** Of a process that was not looked at before; null where it is gone or another one. Others may look at it meanwhile. */
  const openStat = async (pid: number, startedAt: number): Promise<ProcStat | null> => {
    const file = executor.openProc?.(`/proc/${pid}/stat`) ?? null;
    const stat = parseProcStat(file?.read() ?? "");
    if (file === null || stat === null || !isSameStart(await toStartedAt(stat), startedAt)) {
      file?.close();
      return null;
    }
    closeFile(pid);
    const [oldest] = opened.size >= MAX_OPEN ? opened.keys() : [];
    if (oldest !== undefined) closeFile(oldest);
    opened.set(pid, { startedAt, file });
    return stat;
  };
  const lifeOf = async (pid: number, startedAt: number): Promise<ProcessLife> => {
    if (executor.openProc === undefined) {
      const stat = (await verify(pid, startedAt)) ? await semaphore.run(() => readStat(pid)) : null;
      return stat === null ? "gone" : stat.isStopped ? "stopped" : "running";
    }
    const known = opened.get(pid);
    // Read at once: after a wait the file may have been closed, and its number be another's.
    const stat =
      known !== undefined && isSameStart(known.startedAt, startedAt)
        ? parseProcStat(known.file.read() ?? "")
        : await openStat(pid, startedAt);
    if (stat !== null && !stat.isZombie) return stat.isStopped ? "stopped" : "running";
    closeFile(pid);
    return "gone";
  };
  return {
    ofPanes: async (panePids) => {
      const hasChildrenFiles = (await files.stat("/proc/thread-self/children").catch(() => null)) !== null;
      const listChildren = hasChildrenFiles ? listByThread : await listByPass();
      const trees = new Map<number, ProcessInfo[]>();
      await Promise.all(
        [...new Set(panePids)].map(async (pid) => {
          const tree = await semaphore.run(() => walkProcesses(pid, readProcess, listChildren));
          if (tree.length > 0)
            trees.set(
              pid,
              tree.map(({ info }) => info),
            );
        }),
      );
      return trees;
    },
    verify,
    lifeOf,
    isGone: (pid) => executor.isRunning?.(pid) === false,
    ...(executor.openProc === undefined
      ? {}
      : {
          meterOutput: (pid) => meter(`/proc/${pid}/io`, parseWritten),
          meterChildren: (pid) => meter(`/proc/${pid}/task/${pid}/children`, (text) => text),
        }),
  };
};

export const createProcessTree = (options: ProcessTreeOptions): ProcessTree =>
  options.platform === "linux" ? createLinuxTree(options) : createPsTree(options);
