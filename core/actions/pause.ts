// Waiting within an action, on the injected clock.
import type { Clock } from "../ports/clock.ts";

/** Resolves after `delayMs`. */
export const pause = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });

/** Asks again every `everyMs` until the answer is not null or `limitMs` is over; then null. The first question is at once. */
export const poll = async <T>(
  clock: Clock,
  { everyMs, limitMs }: { everyMs: number; limitMs: number },
  ask: () => Promise<T | null>,
): Promise<T | null> => {
  const end = clock.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null || clock.now() >= end) return answer;
    await pause(clock, everyMs);
  }
};
