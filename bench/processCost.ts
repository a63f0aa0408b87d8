// What processes cost, read from /proc: CPU time with all children that were waited for, memory, and forks of the machine.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = (): number => Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

interface Stat {
  ppid: number;
  /** Own and waited-for children's CPU time, in clock ticks. */
  ticks: number;
}

const statOf = (pid: number): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name may hold spaces and parentheses: fields count from the last one.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    return {
      ppid: fields[1] ?? 0,
      ticks: [11, 12, 13, 14].reduce((sum, field) => sum + (fields[field] ?? 0), 0),
    };
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

/** CPU seconds that a set of processes has used so far. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0), 0) / ticksPerSecond();

/** Resident memory in MB. */
export const residentMbOf = (pid: number): number => {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
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
