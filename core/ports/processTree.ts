// The processes of a target: which run in a pane, and whether a pid is still the same process.
import type { ProcessInfo } from "../model/runtime.ts";

export interface ProcessTree {
  /**
   * For each pane's own process: it and its descendants, parents before children, at most 64 and 8 deep. A process that is
   * gone has no entry.
   */
  ofPanes(panePids: readonly number[]): Promise<Map<number, ProcessInfo[]>>;
  /** True while `pid` lives, is not a zombie, and is the process that started at `startedAt` (epoch ms). */
  verify(pid: number, startedAt: number): Promise<boolean>;
  /** The same for watching: it may rely on what was read some seconds ago, as long as a process with that pid lives. */
  isAlive(pid: number, startedAt: number): Promise<boolean>;
  /**
   * True where surely no process has this id. It answers only what can be known at once without cost, so it is false for
   * another machine.
   */
  isGone(pid: number): boolean;
}
