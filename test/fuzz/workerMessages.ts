// What the runner and its worker threads say to each other.
import type { Batch, BatchResult, Finding } from "./runBatch.ts";

export type WorkerOrder =
  | { kind: "run"; target: string; batch: Batch }
  | { kind: "describe"; target: string; batch: Batch; caseNumber: number }
  | { kind: "close" };

export type WorkerReport =
  | { kind: "done"; target: string; result: BatchResult }
  | { kind: "stray"; finding: Finding }
  | { kind: "described"; value: string }
  | { kind: "failed"; target: string; message: string }
  | { kind: "closed" };

/** `[0]`: number of the case under way, -1 between cases. `[1]`: how many cases began, to tell one from the next. */
export const BEAT_CELLS = 2;
