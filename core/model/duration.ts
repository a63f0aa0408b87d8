// Durations as people write them: `500ms`, `30s`, `5m`, `2h`, `1d`; a bare number means seconds. Pure.

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Longest duration, about a thousand years: longer ones do not fit a timer or a time. */
const LONGEST_MS = 3e13;

/** Milliseconds, above zero; null when the text is not a duration or is too long. */
export const readDuration = (text: string): number | null => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? [];
  if (number === undefined) return null;
  const ms = Number(number) * (UNIT_MS[unit ?? "s"] ?? 1_000);
  return ms > 0 && ms <= LONGEST_MS ? ms : null;
};
