// Durations and times as options take them.
import { readDuration } from "../../core/model/duration.ts";
import { AgtmuxError } from "../../core/model/errors.ts";

/** Fails with E_USAGE naming the option. */
export const parseDuration = (text: string, option: string): number => {
  const ms = readDuration(text);
  if (ms === null)
    throw new AgtmuxError("E_USAGE", `${option} does not understand '${text}'`, {
      remedy: "Write a duration such as 500ms, 30s, 5m or 2h.",
    });
  return ms;
};

/** `07:00`, or a day with it. */
const TIME = /^(?:(\d{4})-(\d{2})-(\d{2})[T ])?(\d{1,2}):(\d{2})$/;

/**
 * A time as people write it: `07:00`, the next one that comes, or `2026-11-24 07:00`; on the wall clock of this machine. Epoch ms, as
 * `now`. Fails with E_USAGE.
 */
export const parseTime = (text: string, now: number): number => {
  const refuse = (): AgtmuxError =>
    new AgtmuxError("E_USAGE", `--at does not understand '${text.slice(0, 40)}'`, {
      remedy: "Write 07:00, or 2026-11-24T07:00.",
    });
  const match = TIME.exec(text.trim());
  if (match === null) throw refuse();
  const [year, month, day, hour = 0, minute = 0] = match
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  if (hour > 23 || minute > 59) throw refuse();
  const today = new Date(now);
  const isNamed = year !== undefined && month !== undefined && day !== undefined;
  const at = isNamed
    ? new Date(year, month - 1, day, hour, minute)
    : new Date(today.getFullYear(), today.getMonth(), today.getDate(), hour, minute);
  // The 31st of a month with thirty days is no day.
  if (isNamed && (at.getMonth() !== month - 1 || at.getDate() !== day)) throw refuse();
  if (!isNamed && at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
};
