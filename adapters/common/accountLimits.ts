// What agents say of the limits of the person's account: the windows as their files have them, and the newest line of a log that
// states any. What is no window is left out; nothing is made up.
import type { LimitReading, LimitWindow } from "../../core/ports/agentFiles.ts";
import { asPayload, fieldOf, type Payload, parsePayload } from "./events.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The longest windows last a month; a time further away was read wrongly. */
const FURTHEST_MS = 40 * DAY_MS;
/** A share above this is no share: providers let some go a little over. */
const MOST_PERCENT = 200;

const numberOf = (payload: Payload, name: string): number | null => {
  const value = fieldOf(payload, name);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};

/**
 * `percent`: the key of the used share. `saidAt`: when it was written, epoch ms. The end stands in `resets_at` (epoch s); before that
 * in `resets_in_seconds`. Null for what is none, and for one that ends nowhere.
 */
export const limitWindow = (
  value: unknown,
  saidAt: number,
  { percent, minutes }: { percent: string; minutes: number | null },
): LimitWindow | null => {
  const payload = asPayload(value);
  const used = payload === null ? null : numberOf(payload, percent);
  if (payload === null || used === null || used < 0 || used > MOST_PERCENT) return null;
  const at = numberOf(payload, "resets_at");
  const inSeconds = numberOf(payload, "resets_in_seconds");
  const resetsAt = at !== null ? at * 1_000 : inSeconds !== null ? saidAt + inSeconds * 1_000 : null;
  if (resetsAt === null || resetsAt <= saidAt || resetsAt - saidAt > FURTHEST_MS) return null;
  const told = minutes ?? numberOf(payload, "window_minutes");
  const isLength = told !== null && told >= 1 && told * MINUTE_MS <= FURTHEST_MS;
  return { minutes: isLength ? Math.round(told) : null, usedPercent: used, resetsAt };
};

/** The newest line that `read` takes, from the end; null: there is none. `mark` stands in each of them. */
export const newestLimits = (
  text: string,
  mark: RegExp,
  read: (line: Payload) => LimitReading | null,
): LimitReading | null => {
  const lines = text.split("\n");
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    // The first line of a tail is cut, the last may be in the middle of being written: they are not JSON.
    const parsed = mark.test(line) ? parsePayload(line) : null;
    const reading = parsed === null ? null : read(parsed);
    if (reading !== null) return reading;
  }
  return null;
};
