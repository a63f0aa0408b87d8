// The real clock, its continuation after an earlier process, and ids. `now()` never goes back within a process: a wall clock that
// is set back is bridged with the monotonic one; one that jumps ahead (sleep, time sync) is followed at once.
import { randomBytes } from "node:crypto";
import type { Clock, IdSource } from "../ports/clock.ts";

export const createSystemClock = (): Clock => {
  let last = Date.now();
  let lastMonotonic = performance.now();
  return {
    now: () => {
      const monotonic = performance.now();
      const expected = last + (monotonic - lastMonotonic);
      last = Math.max(expected, Date.now());
      lastMonotonic = monotonic;
      return last;
    },
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  };
};

/** If the difference is larger, the clock was wrong before and not set back: then the stored times are not continued. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * The clock of a process that continues after `lastAt` (epoch ms) of an earlier one. If the wall clock was set back since, new
 * events must not look older than stored ones, so this clock runs on from `lastAt` until the wall clock has caught up.
 */
export const continueClock = (clock: Clock, lastAt: number): Clock => {
  const aheadMs = lastAt - clock.now();
  if (aheadMs <= 0 || aheadMs > MAX_AHEAD_MS) return clock;
  const from = performance.now();
  return {
    now: () => Math.max(clock.now(), lastAt + performance.now() - from),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
  };
};

/** Each call for random bytes costs 30 µs, however few are requested. */
const RANDOM_POOL_BYTES = 4_096;

/** Random bytes in hex, each given out once. */
const createRandomHex = (): ((bytes: number) => string) => {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (pool.length < bytes) pool = randomBytes(RANDOM_POOL_BYTES);
    const hex = pool.toString("hex", 0, bytes);
    pool = pool.subarray(bytes);
    return hex;
  };
};

/** Ids sort by creation within a process: milliseconds, a counter and 40 random bits. */
export const createIdSource = (now: () => number): IdSource => {
  const randomHex = createRandomHex();
  let counter = 0;
  return {
    next: (prefix) => {
      counter = (counter + 1) % 1_679_616;
      const time = Math.floor(now()).toString(36).padStart(9, "0");
      return `${prefix}_${time}${counter.toString(36).padStart(4, "0")}${randomHex(5)}`;
    },
    nonce: () => randomHex(16),
  };
};
