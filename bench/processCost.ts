// What processes cost, read from /proc: CPU time with all children that were waited for, memory, and children started.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

interface Stat {
  ppid: number;
  /** Clock ticks of its own, and of children that have ended and were waited for. */
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
    return { ppid: fields[1] ?? 0, own: sum(11, 12), ended: sum(13, 14) };
  } catch {
    return null;
  }
};

/** The process and all of its living descendants. */
export const processFamily = (pid: number): number[] => {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat !== null) parents.set(stat.ppid, [...(parents.get(stat.ppid) ?? []), Number(name)]);
  }
  const family: number[] = [];
  for (const queue = [pid]; queue.length > 0;) {
    const next = queue.shift() ?? 0;
    family.push(next);
    queue.push(...(parents.get(next) ?? []));
  }
  return family;
};

/** CPU seconds so far: of the process itself, and of its children: the living, and those that ended. */
export interface FamilyCpu {
  own: number;
  children: number;
}

export const familyCpuOf = (pid: number): FamilyCpu => {
  const stats = processFamily(pid).map((member) => ({ member, stat: statOf(member) }));
  const ticks = { own: 0, children: 0 };
  for (const { member, stat } of stats) {
    if (stat === null) continue;
    ticks[member === pid ? "own" : "children"] += stat.own;
    ticks.children += stat.ended;
  }
  return { own: ticks.own / TICKS_PER_SECOND, children: ticks.children / TICKS_PER_SECOND };
};

/** CPU seconds of a process of one thread, to the nanosecond. */
export const threadCpuOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e9;

/** Resident memory in MB; 0 for a process that is gone. */
export const residentMbOf = (pid: number): number => {
  try {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return 0;
  }
};

/**
 * Counts the children that a process starts, by looking at its list of children every two milliseconds: what lives shorter
 * than that may be missed; a tmux command lives for about seven.
 */
export const countChildren = (pid: number): (() => number) => {
  const path = `/proc/${pid}/task/${pid}/children`;
  const look = (): string[] => readFileSync(path, "utf8").split(" ").filter(Boolean);
  const present = new Set(look());
  const started = new Set<string>();
  const timer = setInterval(() => {
    for (const child of look()) if (!present.has(child)) started.add(child);
  }, 2);
  return () => {
    clearInterval(timer);
    return started.size;
  };
};
