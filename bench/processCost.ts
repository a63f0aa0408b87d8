// What processes cost, read from /proc: CPU time with all children that were waited for, memory, and children started. Without
// /proc it uses ps, which leaves out children that have ended.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

// Reads the table of all processes from `ps`, for machines without /proc. It knows nothing of children that have ended.

interface PsRow {
  readonly ppid: number;
  /** CPU seconds so far; macOS gives hundredths. */
  readonly seconds: number;
  readonly residentMb: number;
}

/** Reads `[days-][hours:]minutes:seconds`; the seconds may have a fraction. */
const secondsOf = (time: string): number => {
  const [clock = "", days = "0"] = time.split("-").toReversed();
  return clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
};

/** Rows of `ps -A -o pid=,ppid=,time=,rss=` by pid. */
export const parsePs = (text: string): Map<number, PsRow> => {
  const rows = new Map<number, PsRow>();
  for (const line of text.split("\n")) {
    const [pid, ppid, time, kilobytes] = line.trim().split(/\s+/);
    if (pid === undefined || ppid === undefined || time === undefined || kilobytes === undefined) continue;
    rows.set(Number(pid), {
      ppid: Number(ppid),
      seconds: secondsOf(time),
      residentMb: Number(kilobytes) / 1_024,
    });
  }
  return rows;
};

export const readPs = (): Map<number, PsRow> =>
  parsePs(
    execFileSync("ps", ["-A", "-o", "pid=,ppid=,time=,rss="], { encoding: "utf8", maxBuffer: 1 << 24 }),
  );

const HAS_PROC = existsSync("/proc/self/stat");
const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
/** How often children are looked for; ps takes twenty times as long. */
const LOOK_MS = HAS_PROC ? 2 : 50;

interface Stat {
  ppid: number;
  /** CPU seconds of its own, and of children that have ended and were waited for. */
  own: number;
  ended: number;
}

const statOf = (pid: number): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name may hold spaces and parentheses: fields count from the last one.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const sum = (...indexes: number[]): number =>
      indexes.reduce((total, index) => total + (fields[index] ?? 0), 0);
    return {
      ppid: fields[1] ?? 0,
      own: sum(11, 12) / TICKS_PER_SECOND,
      ended: sum(13, 14) / TICKS_PER_SECOND,
    };
  } catch {
    return null;
  }
};

/** The table of all processes. */
const statsNow = (): Map<number, Stat> => {
  const stats = new Map<number, Stat>();
  if (!HAS_PROC) {
    for (const [pid, { ppid, seconds }] of readPs()) stats.set(pid, { ppid, own: seconds, ended: 0 });
    return stats;
  }
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat !== null) stats.set(Number(name), stat);
  }
  return stats;
};

const familyIn = (stats: ReadonlyMap<number, Stat>, pid: number): number[] => {
  const parents = new Map<number, number[]>();
  for (const [child, { ppid }] of stats) parents.set(ppid, [...(parents.get(ppid) ?? []), child]);
  const family: number[] = [];
  for (const queue = [pid]; queue.length > 0;) {
    const next = queue.shift() ?? 0;
    family.push(next);
    queue.push(...(parents.get(next) ?? []));
  }
  return family;
};

/** The process and all of its living descendants. */
export const processFamily = (pid: number): number[] => familyIn(statsNow(), pid);

/** CPU seconds so far: of the process itself, and of its children: the living, and those that ended. */
export interface FamilyCpu {
  own: number;
  children: number;
}

export const familyCpuOf = (pid: number): FamilyCpu => {
  const stats = statsNow();
  const cpu = { own: 0, children: 0 };
  for (const member of familyIn(stats, pid)) {
    const { own = 0, ended = 0 } = stats.get(member) ?? {};
    cpu[member === pid ? "own" : "children"] += own;
    cpu.children += ended;
  }
  return cpu;
};

/** CPU seconds of a process of one thread, to the nanosecond; by ps to the hundredth of a second. */
export const threadCpuOf = (pid: number): number =>
  HAS_PROC
    ? Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e9
    : (readPs().get(pid)?.seconds ?? Number.NaN);

/** Resident memory in MB; 0 for a process that is gone. */
export const residentMbOf = (pid: number): number => {
  if (!HAS_PROC) return readPs().get(pid)?.residentMb ?? 0;
  try {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return 0;
  }
};

/** Living children, the oldest first. */
export const childrenOf = (pid: number): number[] =>
  HAS_PROC
    ? readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    : [...readPs()].flatMap(([child, { ppid }]) => (ppid === pid ? [child] : []));

/**
 * Counts the children that a process starts, by looking at its list of children every two milliseconds: a child that lives
 * shorter may be missed; a tmux command lives for about seven. By ps the interval is 50, so the count is a lower bound.
 */
export const countChildren = (pid: number): (() => number) => {
  const present = new Set(childrenOf(pid));
  const started = new Set<number>();
  const timer = setInterval(() => {
    for (const child of childrenOf(pid)) if (!present.has(child)) started.add(child);
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
    return started.size;
  };
};
