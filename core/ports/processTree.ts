// The processes of a target: which run in a pane, and whether one is still the one that it was.
import type { ProcessInfo } from "../model/runtime.ts";

export interface ProcessTree {
  /**
   * For each pane's own process: it and its descendants, parents before children, at most 64 and 8 deep. A process that is
   * gone has no entry.
   */
  ofPanes(panePids: readonly number[]): Promise<Map<number, ProcessInfo[]>>;
  /** True while `pid` lives, is no zombie, and is the process that started at `startedAt` (epoch ms). */
  verify(pid: number, startedAt: number): Promise<boolean>;
  /** The same for watching: it may take what was read some seconds ago for true, as long as a process of that pid lives. */
  isAlive(pid: number, startedAt: number): Promise<boolean>;
  /** True where no process has this id; only what is known at once and costs nothing, so false on another machine. */
  isGone(pid: number): boolean;
}
