// How adapters word what goes beside a state: the same words for the same thing, whatever agent says it. Nothing that
// ticks: no seconds, no tokens.

/** `2 background tasks`, `1 queued prompt`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `retry 3 of 10`; the limit only where the agent names it. */
export const retryOf = (attempt: number | string, limit?: number | string | null): string =>
  `retry ${attempt}${limit === undefined || limit === null ? "" : ` of ${limit}`}`;

/** Several things on one line, empty ones left out; null for none. */
export const progressOf = (...parts: readonly (string | null)[]): string | null =>
  parts.filter((part) => part !== null && part !== "").join(" · ") || null;
