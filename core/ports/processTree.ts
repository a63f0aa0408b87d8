// The processes of a target: which run in a pane, and whether a pid is still the same process.
import type { ProcessInfo } from "../model/runtime.ts";

/** `stopped`: suspended by a signal, as by Ctrl-Z. */
export type ProcessLife = "gone" | "running" | "stopped";

export interface ProcessTree {
  /**
   * For each pane's own process: it and its descendants, parents before children, at most 128. A process that is
   * gone has no entry.
   */
  ofPanes(panePids: readonly number[]): Promise<Map<number, ProcessInfo[]>>;
  /** True while `pid` lives, is not a zombie, and is the process that started at `startedAt` (epoch ms). */
  verify(pid: number, startedAt: number): Promise<boolean>;
  /**
   * The same for watching, with whether it is suspended. Unless `isFull`, it may rely on what was read some seconds ago where a look
   * costs the start of a program, as long as a process with that pid lives; without `look`, also where it costs a round trip.
   */
  lifeOf(pid: number, startedAt: number, look?: { isFull: boolean }): Promise<ProcessLife>;
  /**
   * True where surely no process has this id. It answers only what can be known at once without cost, so it is false for
   * another machine.
   */
  isGone(pid: number): boolean;
  /** How much a process has written in its life, in bytes. Left out where that is not to be had at next to no cost. */
  meterOutput?(pid: number): Meter<number> | null;
  /** The children of a process. Left out as above. */
  meterChildren?(pid: number): Meter<string> | null;
}

/** Something of one process that is read again and again, without asking the process. */
export interface Meter<T> {
  /** Null once the process has ended. */
  read(): T | null;
  close(): void;
}
