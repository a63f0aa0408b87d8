// Which processes run in a pane, and whether a process is still the one that it was. Reads only; /proc on Linux, ps
// elsewhere. What a process is called is never cached, because it may become another program at any moment.
import type { ProcessInfo } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { parseCmdline, parseProcStat, parseUptime, MAX_ARGS, type ProcStat } from "./procStat.ts";
import { parsePsTable, PS_ARGV } from "./psTable.ts";
import { createTurns } from "./turns.ts";

/** Processes below a pane's own that are looked at, and how deep. */
const MAX_PROCESSES = 64;
const MAX_DEPTH = 8;
const MAX_FILE_BYTES = 4_096;
const PS_TIMEOUT_MS = 5_000;
/** How long the identity of `/proc/<pid>` alone proves life; a zombie keeps it, so now and then the state is read. */
const FULL_CHECK_MS = 8_000;
const MAX_KNOWN = 4_096;
/** Panes or processes that are read at once. */
const PARALLEL = 16;
/** One table of ps serves all questions of this time. */
const PS_SHARED_MS = 500;

/**
 * Start times of one process may differ by this between two lives of the daemon: boot time is derived from the wall clock,
 * which is adjusted, and ps has whole seconds. No pid comes back within that time.
 */
export const SAME_START_TOLERANCE_MS = 2_000;
export const isSameStart = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_START_TOLERANCE_MS;

export interface ProcessTree {
  /**
   * For each pane's own process: it and its descendants, parents before children, at most 64 and 8 deep. A process that is
   * gone has no entry.
   */
  ofPanes(panePids: readonly number[]): Promise<Map<number, ProcessInfo[]>>;
  /** True while `pid` lives, is no zombie, and is the process that started at `startedAt` (epoch ms). */
  verify(pid: number, startedAt: number): Promise<boolean>;
}

export interface ProcessTreeOptions {
  executor: TargetExecutor;
  /** Of the target: `linux` has /proc. */
  platform: NodeJS.Platform;
  clock: Clock;
  /** How long one table of ps answers all questions; half a second unless given. */
  sharedMs?: number;
}

interface Read {
  info: ProcessInfo;
  threadCount: number;
}
type ListChildren = (read: Read) => Promise<readonly number[]>;

/** Breadth first, so that the bound cuts the deepest. */
const walk = async (
  root: number,
  read: (pid: number) => Promise<Read | null>,
  listChildren: ListChildren,
): Promise<ProcessInfo[]> => {
  const found: ProcessInfo[] = [];
  const seen = new Set<number>([root]);
  let level: readonly number[] = [root];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0 && found.length < MAX_PROCESSES; depth++) {
    // oxlint-disable-next-line no-await-in-loop -- a level needs the one above
    const entries = await Promise.all(
      level.slice(0, MAX_PROCESSES - found.length).map(async (pid) => {
        const process = await read(pid);
        return { process, children: process === null ? [] : await listChildren(process) };
      }),
    );
    const next: number[] = [];
    for (const { process, children } of entries) {
      if (process !== null) found.push(process.info);
      for (const child of children)
        if (!seen.has(child)) {
          seen.add(child);
          next.push(child);
        }
    }
    level = next;
  }
  return found;
};

const createLinuxTree = ({ executor, clock }: ProcessTreeOptions): ProcessTree => {
  const { files } = executor;
  let bootAt: Promise<number> | null = null;
  const inTurn = createTurns(PARALLEL);
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
    const info = { pid, ppid: stat.ppid, comm: stat.comm, args: args === "" ? stat.comm : args, startedAt };
    return { info, threadCount: stat.threadCount };
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
    // The folder's own time is the moment when the kernel made its inode for this process: a cheap mark of identity.
    // Where it cannot be read, the full check below says why.
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
  return {
    ofPanes: async (panePids) => {
      const hasChildrenFiles = (await files.stat("/proc/thread-self/children").catch(() => null)) !== null;
      const listChildren = hasChildrenFiles ? listByThread : await listByPass();
      const trees = new Map<number, ProcessInfo[]>();
      await Promise.all(
        [...new Set(panePids)].map(async (pid) => {
          const tree = await inTurn(() => walk(pid, readProcess, listChildren));
          if (tree.length > 0) trees.set(pid, tree);
        }),
      );
      return trees;
    },
    verify: (pid, startedAt) => inTurn(() => isStill(pid, startedAt)),
  };
};

const createPsTree = ({ executor, clock, sharedMs = PS_SHARED_MS }: ProcessTreeOptions): ProcessTree => {
  let shared: { at: number; table: Promise<ReadonlyMap<number, ProcessInfo>> } | null = null;
  const readTable = async (): Promise<ReadonlyMap<number, ProcessInfo>> => {
    const result = await executor.run(PS_ARGV, { timeoutMs: PS_TIMEOUT_MS });
    if (result.exitCode !== 0) throw new Error("list processes: ps failed");
    return new Map(parsePsTable(result.stdout).map((process) => [process.pid, process]));
  };
  const getTable = (): Promise<ReadonlyMap<number, ProcessInfo>> => {
    if (shared === null || clock.now() - shared.at > sharedMs) {
      const table = readTable();
      shared = { at: clock.now(), table };
      table.catch(() => (shared = null));
    }
    return shared.table;
  };
  return {
    ofPanes: async (panePids) => {
      const table = await getTable();
      const byParent = Map.groupBy(table.values(), (process) => process.ppid);
      const read = (pid: number): Promise<Read | null> => {
        const info = table.get(pid);
        return Promise.resolve(info === undefined ? null : { info, threadCount: 1 });
      };
      const listChildren: ListChildren = ({ info }) =>
        Promise.resolve((byParent.get(info.pid) ?? []).map((process) => process.pid));
      const trees = new Map<number, ProcessInfo[]>();
      for (const pid of panePids) {
        // oxlint-disable-next-line no-await-in-loop -- nothing is waited for: the table is here
        const tree = await walk(pid, read, listChildren);
        if (tree.length > 0) trees.set(pid, tree);
      }
      return trees;
    },
    verify: async (pid, startedAt) => {
      const process = (await getTable()).get(pid);
      return process !== undefined && isSameStart(process.startedAt, startedAt);
    },
  };
};

export const createProcessTree = (options: ProcessTreeOptions): ProcessTree =>
  options.platform === "linux" ? createLinuxTree(options) : createPsTree(options);
