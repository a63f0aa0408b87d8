// Waits for work that may hang, but not for ever.

/** Resolves with what `work` does, or after `limitMs`; never rejects. */
export const withinLimit = async (
  work: Promise<void>,
  limitMs: number,
): Promise<"done" | "failed" | "late"> => {
  const { promise, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), limitMs);
  try {
    return await Promise.race([
      work.then(
        () => "done" as const,
        () => "failed" as const,
      ),
      promise,
    ]);
  } finally {
    clearTimeout(timer);
  }
};
