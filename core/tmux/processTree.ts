// Which processes run in a pane, and whether a pid still is the same process: by /proc on Linux, by ps elsewhere. Reads only. The
// name of a process is never cached, because the process may become another program at any moment.
import type { ProcessInfo } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  ProcessLife,
  ProcessTree,
  TargetExecutor,
  Meter,
  OpenProcFile,
} from "../ports/targetExecutor.ts";
import {
  parsePsNames,
  parsePsRows,
  PS_ALL,
  psNamesOf,
  psRowsOf,
  type PsNames,
  type PsRow,
  parseCmdline,
  parseProcStat,
  parseUptime,
  parseWritten,
  MAX_ARGS,
  type ProcStat,
} from "./processText.ts";
import type { LocalPrograms } from "./localPrograms.ts";
import { createSemaphore } from "../engine/semaphore.ts";

/**
 * Start times of one process may differ by this between two runs of the daemon: boot time is derived from the wall clock, which is
 * adjusted, and ps has whole seconds. No pid comes back within that time.
 */
const SAME_START_TOLERANCE_MS = 2_000;
const isSameStart = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_START_TOLERANCE_MS;

/** Most processes of a pane that are read. */
const MAX_PROCESSES = 128;

/** A pane's process and its descendants, breadth first, so that the bound cuts the deepest. `read`: null for one that is gone. */
const walkProcesses = async <T>(
  root: number,
  read: (pid: number) => Promise<T | null>,
  listChildren: (process: T) => Promise<readonly number[]>,
): Promise<T[]> => {
  const found: T[] = [];
  const seen = new Set<number>([root]);
  let level: readonly number[] = [root];
  while (level.length > 0 && found.length < MAX_PROCESSES) {
    const entries = await Promise.all(
      level.slice(0, MAX_PROCESSES - found.length).map(async (pid) => {
        const process = await read(pid);
        return { process, children: process === null ? [] : await listChildren(process) };
      }),
    );
    const next: number[] = [];
    for (const { process, children } of entries) {
      if (process !== null) found.push(process);
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

// By ps, on a machine without /proc: ps is started as rarely as possible, because each start costs time, and each name that it
// looks up costs more.

const TIMEOUT_MS = 5_000;
/** One table answers all questions within this time. */
const SHARED_MS = 500;
/** For this long, a process that can be signalled counts as the one that ps saw: a pid does not come back so soon. */
const PS_FULL_CHECK_MS = 30_000;
const MAX_KNOWN = 4_096;
/** Processes that one ps is asked about: the list has to fit into its arguments. */
const PIDS_AT_ONCE = 500;

/** `platform`: the target's; `linux` has /proc. */
interface TreeSource {
  platform: NodeJS.Platform;
  executor: TargetExecutor;
  clock: Clock;
  /** How long one table of ps answers all questions; half a second unless given. */
  sharedMs?: number;
  /** Only for the daemon's own machine. */
  programs?: LocalPrograms;
}

const inParts = (pids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(pids.length / PIDS_AT_ONCE) }, (_, part) =>
    pids.slice(part * PIDS_AT_ONCE, (part + 1) * PIDS_AT_ONCE),
  );

const createPsTree = (options: TreeSource): ProcessTree => {
  const { executor, clock, programs, sharedMs = SHARED_MS } = options;
  let shared: { at: number; table: Promise<ReadonlyMap<number, PsRow>> } | null = null;
  let asking: { pids: Set<number>; rows: Promise<ReadonlyMap<number, PsRow>> } | null = null;
  const known = new Map<number, { readAt: number; startedAt: number; isStopped: boolean }>();

  const note = ({ pid, startedAt, isStopped }: PsRow): void => {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(pid, { readAt: clock.now(), startedAt, isStopped });
  };
  /** @throws where ps itself fails. Status 1 without a message means that none of the processes exists. */
  const runPs = async (argv: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await executor.run(argv, { timeoutMs: TIMEOUT_MS });
    if (exitCode === 0 || (exitCode === 1 && stdout.trim() === "" && stderr.trim() === "")) return stdout;
    throw new Error(`list processes: ps failed${stderr === "" ? "" : ` (${stderr.trim().split("\n")[0]})`}`);
  };
  const getTable = (): Promise<ReadonlyMap<number, PsRow>> => {
    if (shared === null || clock.now() - shared.at > sharedMs) {
      const table = runPs(PS_ALL).then(parsePsRows);
      shared = { at: clock.now(), table };
      table.catch(() => (shared = null));
    }
    return shared.table;
  };
  /** All questions of one moment share one ps. */
  const readRow = async (pid: number): Promise<PsRow | undefined> => {
    if (asking === null) {
      const pids = new Set<number>();
      const rows = Promise.resolve().then(async () => {
        asking = null;
        const answers = await Promise.all(inParts([...pids]).map((part) => runPs(psRowsOf(part))));
        return parsePsRows(answers.join("\n"));
      });
      asking = { pids, rows };
    }
    asking.pids.add(pid);
    return (await asking.rows).get(pid);
  };
  const look = async (pid: number, startedAt: number): Promise<ProcessLife> => {
    const row = await readRow(pid);
    if (row === undefined || !isSameStart(row.startedAt, startedAt)) {
      known.delete(pid);
      return "gone";
    }
    note(row);
    return row.isStopped ? "stopped" : "running";
  };

  const withFile = async (row: PsRow, { comm, args, path }: PsNames): Promise<ProcessInfo> => {
    const identity = `${row.pid} ${row.startedAt} ${comm} ${args}`;
    const program = { pid: row.pid, argv: args.split(" "), executable: path };
    const file = (await programs?.fileOf(identity, program)) ?? null;
    return { ...row, comm, args, ...(file === null ? {} : { file }) };
  };

  return {
    ofPanes: async (panePids) => {
      const table = await getTable();
      const byParent = Map.groupBy(table.values(), ({ ppid }) => ppid);
      const rows = await Promise.all(
        [...new Set(panePids)].map(async (panePid) => ({
          panePid,
          tree: await walkProcesses(
            panePid,
            (pid) => Promise.resolve(table.get(pid) ?? null),
            ({ pid }) => Promise.resolve((byParent.get(pid) ?? []).map((child) => child.pid)),
          ),
        })),
      );
      const wanted = [...new Set(rows.flatMap(({ tree }) => tree.map(({ pid }) => pid)))];
      const answers = await Promise.all(inParts(wanted).map((part) => runPs(psNamesOf(part))));
      const names = new Map(answers.flatMap((answer) => [...parsePsNames(answer)]));
      const trees = new Map<number, ProcessInfo[]>();
      for (const { panePid, tree } of rows) {
        // A process that ended since the table was read has no name.
        const found = tree.flatMap((row) => {
          const name = names.get(row.pid);
          if (name !== undefined) note(row);
          return name === undefined ? [] : [withFile(row, name)];
        });
        if (found.length > 0) trees.set(panePid, await Promise.all(found));
      }
      return trees;
    },
    verify: async (pid, startedAt) => (await look(pid, startedAt)) !== "gone",
    isGone: (pid) => executor.isRunning?.(pid) === false,
    lifeOf: async (pid, startedAt, { isFull } = { isFull: false }) => {
      if (executor.isRunning === undefined || isFull) return look(pid, startedAt);
      const before = known.get(pid);
      if (!executor.isRunning(pid)) {
        known.delete(pid);
        return "gone";
      }
      // A suspended process is looked up each time until it continues.
      const isFresh = before?.isStopped === false && clock.now() - before.readAt < PS_FULL_CHECK_MS;
      return isFresh && isSameStart(before.startedAt, startedAt) ? "running" : look(pid, startedAt);
    },
  };
};

// By /proc, on Linux.

const MAX_FILE_BYTES = 4_096;
/**
 * How long the identity of `/proc/<pid>` alone proves that a process exists. A zombie keeps it, so now and then the state is read
 * too.
 */
const PROC_FULL_CHECK_MS = 8_000;
/** Files that stay open for watching; beyond, the one that was opened first is closed and opened again. */
const MAX_OPEN = 512;
/**
 * Panes or processes that are read at once. A thousand file reads started together, and their ends, would block the serving loop
 * for long; the thread pool with its four threads would gain nothing.
 */
const PARALLEL = 16;

const argvOf = (cmdline: string): string[] => cmdline.replace(/\0+$/, "").split("\0");

interface Read {
  info: ProcessInfo;
  threadCount: number;
}
type ListChildren = (read: Read) => Promise<readonly number[]>;

const createLinuxTree = ({ executor, clock, programs }: TreeSource): ProcessTree => {
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
    const { ppid, comm, isStopped, isInFront, threadCount } = stat;
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
        isInFront,
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
      clock.now() - before.readAt < PROC_FULL_CHECK_MS &&
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
  /** Files that stay open: each reads its own process, and never a later one with the same pid. */
  const opened = new Map<number, { startedAt: number; file: OpenProcFile }>();
  const closeFile = (pid: number): void => {
    opened.get(pid)?.file.close();
    opened.delete(pid);
  };
  /** Opens the file of a process that has none open; null where it is gone or another one. Another call may do so meanwhile. */
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

export const createProcessTree = (options: TreeSource): ProcessTree =>
  options.platform === "linux" ? createLinuxTree(options) : createPsTree(options);
