// Whether the quiet hours apply now. Pure: only the time on the person's wall clock counts, so the hour that daylight saving
// time skips or repeats needs no special care.
import type { QuietHours } from "../../model/notificationPolicy.ts";

const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** `minuteOfDay`: local, 0 to 1439. The minute `from` belongs to the quiet hours, the minute `to` does not. */
export const isQuiet = (hours: QuietHours | null, minuteOfDay: number): boolean => {
  if (hours === null) return false;
  const [from, to] = [toMinutes(hours.from), toMinutes(hours.to)];
  return from < to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
};

/** The wall clock of `timeZone`, or of the system where it is left out. `at`: epoch ms. */
export const minuteOfDay = (at: number, timeZone?: string): number => {
  if (timeZone === undefined) {
    const local = new Date(at);
    return local.getHours() * 60 + local.getMinutes();
  }
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(at);
  return toMinutes(parts);
};
