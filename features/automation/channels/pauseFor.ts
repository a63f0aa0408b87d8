// A pause that ends early, for whatever waits between two tries.
import type { Clock } from "../../../core/ports/clock.ts";

/** Resolves after `delayMs`, or once `signal` is aborted; never rejects. */
export const pauseFor = (delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.setTimer(delayMs, end);
    signal.addEventListener("abort", end, { once: true });
  });
};
