// When a limit of the provider ends, from the agent's own words. Recorded: "resets 10:27am (UTC)" and "resets Nov 26, 3:38am (UTC)"
// (Claude Code 2.1.329), "try again at 10:26 AM." and "try again at Nov 26th, 2026 3:36 AM." (Codex 0.169.0, which names no zone).
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const TIME =
  /\b(?:resets|try again at) (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}) )?)?(\d{1,2})(?::(\d{2}))? ?(am|pm)\b(?: \(([\w+/-]{1,40})\))?/i;
const DAY_MS = 86_400_000;
/** The longest limits last a month. A time further away was read wrongly. */
const FURTHEST_MS = 32 * DAY_MS;

interface WallTime {
  year: number;
  /** From 0. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** The wall time in a zone at `at`, epoch ms. @throws RangeError for a zone that is not known. */
const wallTimeAt = (at: number, timeZone: string): WallTime => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: of("year"),
    month: of("month") - 1,
    day: of("day"),
    hour: of("hour"),
    minute: of("minute"),
  };
};

const asUtc = ({ year, month, day, hour, minute }: WallTime): number =>
  Date.UTC(year, month, day, hour, minute);

/** Epoch ms. Where a clock is set back this wall time comes twice: the later one, when the limit is over in any case. */
const toEpoch = (wall: WallTime, timeZone: string): number => {
  const wanted = asUtc(wall);
  const offsetAt = (at: number): number => asUtc(wallTimeAt(at, timeZone)) - at;
  return Math.max(...[wanted - DAY_MS, wanted + DAY_MS].map((near) => wanted - offsetAt(near)));
};

const clockOf = (
  hour: string,
  minute: string | undefined,
  half: string,
): { hour: number; minute: number } => ({
  hour: (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0),
  minute: Number(minute ?? 0),
});

/**
 * Epoch ms, or null where the text names no time, or one in a zone that is not known. `at`: when it was first seen, epoch ms.
 * `timeZone`: of the agent's machine, for a text without one; null: it is not known.
 */
export const readResetTime = (
  text: string,
  { at, timeZone }: { at: number; timeZone: string | null },
): number | null => {
  const found = TIME.exec(text);
  const zone = found?.[7] ?? timeZone;
  if (found === null || zone === null) return null;
  const [, month, day, year, hour = "", minute, half = ""] = found;
  const clock = clockOf(hour, minute, half);
  if (Number(hour) < 1 || Number(hour) > 12 || clock.minute > 59) return null;
  try {
    const today = wallTimeAt(at, zone);
    const at24 = (days: number): number => toEpoch({ ...today, ...clock, day: today.day + days }, zone);
    const inMonth = (inYear: number): number =>
      toEpoch(
        { year: inYear, month: MONTHS.indexOf((month ?? "").toLowerCase()), day: Number(day), ...clock },
        zone,
      );
    if (month !== undefined && !MONTHS.includes(month.toLowerCase())) return null;
    const times =
      month === undefined
        ? [at24(0), at24(1)]
        : year === undefined
          ? [inMonth(today.year), inMonth(today.year + 1)]
          : [inMonth(Number(year))];
    return times.find((time) => time > at && time - at <= FURTHEST_MS) ?? null;
  } catch (error) {
    // A zone that this machine does not know.
    if (error instanceof RangeError) return null;
    throw error;
  }
};
