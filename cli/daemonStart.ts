// How a daemon's process is started so that it stays small and idle costs little. bin/agtmux, which also starts one, has the
// same in sh; cli/bin.test.ts checks that both agree.
import type { Clock } from "../core/ports/clock.ts";

/**
 * Its heap is small, so parallel collection costs more than it saves; and the space for short-lived objects does not grow to
 * 50 MB with a thousand panes. V8's optimising compilers save a sixth of a busy daemon's time, and their code alone is 7 MB
 * that stay resident; one thread is enough for the one that is left. `returnMemory` below collects by itself.
 */
export const DAEMON_NODE_FLAGS: readonly string[] = [
  "--single-threaded-gc",
  "--min-semi-space-size=1",
  "--max-semi-space-size=8",
  "--no-turbofan",
  "--v8-pool-size=1",
  "--no-maglev",
  "--expose-gc",
];

/**
 * For glibc: blocks larger than this go back to the system when they are freed. Otherwise 10 MB and more that compiling leaves
 * behind would stay resident as long as the daemon runs.
 */
export const DAEMON_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_MMAP_THRESHOLD_: "32768" };

/** It is for the daemon only: its children must not inherit it. */
export const dropDaemonEnvironment = (env: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(DAEMON_ENVIRONMENT)) delete env[name];
};

/** After the start and what it reads, and once more when all that runs again and again has run. */
const FIRST_AFTER_MS = [5_000, 60_000];
const EVERY_MS = 15 * 60_000;
/** A collection of a heap of this size takes 150 ms, in which nothing else is done; a larger one is left to V8. */
const MAX_HEAP_BYTES = 40 * 1024 * 1024;

/**
 * What the start of a daemon leaves behind goes back to the system. Left alone, V8 keeps it until the heap is full again, which
 * in a daemon that rests takes hours: 80 MB resident instead of 69. Returns how to end it.
 */
export const returnMemory = (clock: Pick<Clock, "setTimer">): (() => void) => {
  const { gc } = globalThis;
  if (gc === undefined) return () => {};
  const collect = (): void => {
    if (process.memoryUsage().heapUsed <= MAX_HEAP_BYTES)
      gc({ type: "major", flavor: "last-resort", execution: "sync" });
  };
  let cancel: () => void;
  const next = ([delayMs = EVERY_MS, ...later]: readonly number[]): void => {
    cancel = clock.setTimer(delayMs, () => {
      collect();
      next(later);
    });
  };
  next(FIRST_AFTER_MS);
  return () => cancel();
};
