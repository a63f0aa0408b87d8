// Long work on the serving loop in short stretches: between two of them everybody who waits for an answer gets it.
import type { Clock } from "../ports/clock.ts";

/** A stretch takes this long, in milliseconds, and at most one step of the work longer. */
const STRETCH_MS = 3;

/**
 * For one stretch of work: to be awaited between its steps. It lets the loop turn when the last turn was a while ago. Whatever
 * was true before the call may have changed after it.
 */
export const createYielding = (clock: Pick<Clock, "now">): (() => Promise<void>) => {
  let since = clock.now();
  return async () => {
    if (clock.now() - since < STRETCH_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = clock.now();
  };
};
