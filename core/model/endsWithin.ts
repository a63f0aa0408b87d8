// Waits for work that may hang, but not for ever.

interface Timers {
  /** Starts a timer and returns the function that cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/**
 * True when `work` ends within `limitMs`, false when the time is over first; then the work goes on. Rejects when `work` rejects
 * in time.
 */
export const endsWithin = async (
  work: Promise<unknown>,
  limitMs: number,
  timers: Timers,
): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>();
  const cancel = timers.setTimer(limitMs, () => late.resolve(false));
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    cancel();
  }
};
