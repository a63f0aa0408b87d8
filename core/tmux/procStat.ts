// Reads the text of files in Linux's /proc. Pure. Names and arguments belong to strangers: they are cleaned and bounded.
import { cleanText } from "./cleanText.ts";

/** `USER_HZ`, in which /proc counts on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const MAX_COMM = 64;
export const MAX_ARGS = 4_096;

/** No system has pids with more digits, and such a number would not be exact. */
const MAX_PID_DIGITS = 10;
const MAX_TICK_DIGITS = 15;

/** A number in decimal digits; null for any other text, even if `Number` would accept it. */
const integerIn = (text: string | undefined, maxDigits: number): number | null =>
  text !== undefined && text.length <= maxDigits && /^\d+$/.test(text) ? Number(text) : null;

export interface ProcStat {
  pid: number;
  ppid: number;
  comm: string;
  /** Since boot, in ms; 10 ms resolution. */
  startedAfterBootMs: number;
  isZombie: boolean;
  /** By a signal; one that a debugger holds is not. */
  isStopped: boolean;
  threadCount: number;
}

/** `/proc/<pid>/stat`. The name stands between the first and the *last* parenthesis and may hold anything. */
export const parseProcStat = (text: string): ProcStat | null => {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open === -1 || close < open) return null;
  // After the name: state is field 3 of proc(5), the parent 4, the threads 20, the start time 22.
  const fields = text.slice(close + 2).split(" ");
  const pid = integerIn(text.slice(0, open).trim(), MAX_PID_DIGITS);
  const ppid = integerIn(fields[1], MAX_PID_DIGITS);
  const ticks = integerIn(fields[19], MAX_TICK_DIGITS);
  if (pid === null || pid === 0 || ppid === null || ticks === null) return null;
  return {
    pid,
    ppid,
    comm: cleanText(text.slice(open + 1, close), MAX_COMM),
    startedAfterBootMs: (ticks * 1_000) / TICKS_PER_SECOND,
    isZombie: fields[0] === "Z" || fields[0] === "X",
    isStopped: fields[0] === "T",
    threadCount: integerIn(fields[17], MAX_PID_DIGITS) ?? 0,
  };
};

/** `/proc/<pid>/cmdline`: arguments that each end in NUL, joined by a space. */
export const parseCmdline = (text: string): string => {
  // Done by hand, because a regular expression for trailing NULs would start again at every NUL before the end.
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return cleanText(text.slice(0, end).replaceAll("\0", " "), MAX_ARGS);
};

/** `/proc/<pid>/io`: what the process has written in its life, in bytes, to files, terminals and pipes; or null. */
export const parseWritten = (text: string): number | null =>
  integerIn(/^wchar: (\d+)$/m.exec(text)?.[1], MAX_TICK_DIGITS);

/** `/proc/uptime`: milliseconds since boot, or null. */
export const parseUptime = (text: string): number | null => {
  const milliseconds = Number.parseFloat(text) * 1_000;
  return Number.isFinite(milliseconds) ? milliseconds : null;
};
