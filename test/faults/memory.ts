// What a process takes, for the comparison of before and after.
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** A heap that grew is given back some ten seconds after the work has ended, by the engine's own clock. */
const REST_MS = 30_000;
const LOOK_EVERY_MS = 500;

/** Resident memory of a process in MB. Linux only; 0 elsewhere. */
export const memoryMb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
};

/** The same once the process has come to rest: at once where it takes no more than `enoughMb`, else the least it came down to. */
export const memoryAtRestMb = async (pid: number, enoughMb: number): Promise<number> => {
  const end = performance.now() + REST_MS;
  let least = memoryMb(pid);
  while (least > enoughMb && performance.now() < end) {
    await wait(LOOK_EVERY_MS);
    least = Math.min(least, memoryMb(pid));
  }
  return least;
};
