// The machine's own clock behind the port, for tests that run against real processes.
import { randomBytes } from "node:crypto";
import type { Clock, IdSource } from "../../core/ports/clock.ts";

export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export const randomIds: Pick<IdSource, "nonce"> = { nonce: () => randomBytes(16).toString("hex") };

/** Resolves once `isTrue` says so; looks again every few ms and fails after `timeoutMs`. */
export const until = async (
  isTrue: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 10_000,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await isTrue()) return;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 5));
  }
};
