// The processes of a machine without /proc, by ps. It starts ps as rarely as it can, because each start costs time, and each
// name that ps looks up costs more.
import type { ProcessInfo } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProcessLife, ProcessTree } from "../ports/processTree.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import {
  parsePsNames,
  parsePsRows,
  PS_ALL,
  psNamesOf,
  psRowsOf,
  type PsNames,
  type PsRow,
} from "./psTable.ts";
import type { LocalPrograms } from "./localPrograms.ts";
import { isSameStart } from "./sameStart.ts";
import { walkProcesses } from "./walkProcesses.ts";

const TIMEOUT_MS = 5_000;
/** One table answers all questions within this time. */
const SHARED_MS = 500;
/** For this long, a process that can be signalled counts as the one that ps saw: a pid does not come back so soon. */
const FULL_CHECK_MS = 30_000;
const MAX_KNOWN = 4_096;
/** Processes that one ps is asked about: the list has to fit into its arguments. */
const PIDS_AT_ONCE = 500;

export interface PsTreeOptions {
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

export const createPsTree = (options: PsTreeOptions): ProcessTree => {
  const { executor, clock, programs, sharedMs = SHARED_MS } = options;
  let shared: { at: number; table: Promise<ReadonlyMap<number, PsRow>> } | null = null;
  let asking: { pids: Set<number>; rows: Promise<ReadonlyMap<number, PsRow>> } | null = null;
  const known = new Map<number, { readAt: number; startedAt: number; isStopped: boolean }>();

  const note = ({ pid, startedAt, isStopped }: PsRow): void => {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(pid, { readAt: clock.now(), startedAt, isStopped });
  };
  /** @throws where ps itself fails. Status 1 without a message means that none of them lives. */
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
      // One that was suspended is looked at until it goes on.
      const isFresh = before?.isStopped === false && clock.now() - before.readAt < FULL_CHECK_MS;
      return isFresh && isSameStart(before.startedAt, startedAt) ? "running" : look(pid, startedAt);
    },
  };
};
