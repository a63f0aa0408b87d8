// Splits long work on the serving loop into short stretches: between two of them everybody who waits for an answer gets it.
import type { Clock } from "../ports/clock.ts";

/** How long a stretch takes, in milliseconds; it may be longer by one step of the work. */
const STRETCH_MS = 3;

/**
 * Await it between the steps of one long work. It lets the loop turn if the last turn was a while ago. After the call,
 * everything may have changed.
 */
export const createYielding = (clock: Pick<Clock, "now">): (() => Promise<void>) => {
  let since = clock.now();
  return async () => {
    if (clock.now() - since < STRETCH_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = clock.now();
  };
};
