// Waits for work that may hang, but not for ever.

interface Timers {
  /** Gives the function that takes the timer back. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** True when `work` ends within `limitMs`, false when the time is over first; the work goes on then. Rejects as `work` does. */
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
