// Reads the table of all processes from `ps`, for machines without /proc. It knows nothing of children that have ended.
import { execFileSync } from "node:child_process";

export interface PsRow {
  readonly ppid: number;
  /** CPU seconds so far; macOS gives hundredths. */
  readonly seconds: number;
  readonly residentMb: number;
}

/** Reads `[days-][hours:]minutes:seconds`; the seconds may have a fraction. */
const secondsOf = (time: string): number => {
  const [clock = "", days = "0"] = time.split("-").toReversed();
  return clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
};

/** Rows of `ps -A -o pid=,ppid=,time=,rss=` by pid. */
export const parsePs = (text: string): Map<number, PsRow> => {
  const rows = new Map<number, PsRow>();
  for (const line of text.split("\n")) {
    const [pid, ppid, time, kilobytes] = line.trim().split(/\s+/);
    if (pid === undefined || ppid === undefined || time === undefined || kilobytes === undefined) continue;
    rows.set(Number(pid), {
      ppid: Number(ppid),
      seconds: secondsOf(time),
      residentMb: Number(kilobytes) / 1_024,
    });
  }
  return rows;
};

export const readPs = (): Map<number, PsRow> =>
  parsePs(
    execFileSync("ps", ["-A", "-o", "pid=,ppid=,time=,rss="], { encoding: "utf8", maxBuffer: 1 << 24 }),
  );
