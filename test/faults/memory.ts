// What a process takes, for the comparison of before and after.
import { readFileSync } from "node:fs";

/** Resident memory of a process in MB. Linux only; 0 elsewhere. */
export const memoryMb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
};
