// The text that systems have for processes: files in Linux's /proc, and the output of `ps` of BSD and macOS. Pure. Names and
// arguments belong to strangers: they are cleaned and bounded.
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
  isInFront: boolean;
  threadCount: number;
}

/** `/proc/<pid>/stat`. The name stands between the first and the *last* parenthesis and may hold anything. */
export const parseProcStat = (text: string): ProcStat | null => {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open === -1 || close < open) return null;
  // After the name: state is field 3 of proc(5), the parent 4, its group 5, the terminal's group 8, the threads 20, the start time 22.
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
    isInFront: fields[2] !== undefined && fields[2] === fields[5],
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

/** `/proc/<pid>/io`: what the process has written since its start, in bytes, to files, terminals and pipes; or null. */
export const parseWritten = (text: string): number | null =>
  integerIn(/^wchar: (\d+)$/m.exec(text)?.[1], MAX_TICK_DIGITS);

/** `/proc/uptime`: milliseconds since boot, or null. */
export const parseUptime = (text: string): number | null => {
  const milliseconds = Number.parseFloat(text) * 1_000;
  return Number.isFinite(milliseconds) ? milliseconds : null;
};

// `ps` of BSD and macOS: its arguments, and the parser of its output. There the name and arguments of a process cost the kernel far
// more than everything else. So the table of all processes comes without them, and they are asked for only for the processes that
// matter.

/** Times in UTC and English. */
const PS: readonly string[] = ["env", "LC_ALL=C", "TZ=UTC0", "ps"];
const ROWS: readonly string[] = ["-o", "pid=", "-o", "ppid=", "-o", "stat=", "-o", "lstart="];
const toList = (pids: readonly number[]): string => pids.join(",");

/** All processes of the machine, as `parsePsRows` reads them. */
export const PS_ALL: readonly string[] = [...PS, "-ax", ...ROWS];
/** The arguments for some of the processes. The exit status is 1 where none of them exists. */
export const psRowsOf = (pids: readonly number[]): string[] => [...PS, ...ROWS, "-p", toList(pids)];
/** Their names and full arguments, as `parsePsNames` reads them. macOS cuts the name at its column's width. */
export const psNamesOf = (pids: readonly number[]): string[] => [
  ...PS,
  "-ww",
  "-o",
  "pid=PID",
  "-o",
  "comm=COMMNAME",
  "-o",
  "args=ARGUMENTS",
  "-p",
  toList(pids),
];

/** `startedAt`: epoch ms, with a resolution of 1 s. */
export interface PsRow {
  pid: number;
  ppid: number;
  startedAt: number;
  isStopped: boolean;
  isInFront: boolean;
}
export interface PsNames {
  comm: string;
  args: string;
  /** Of the executable, where the system gives it. */
  path: string | null;
}

const ROW = /^\s*(\d{1,10})\s+(\d{1,10})\s+(\S+)\s+\w{3}\s+(\w{3}\s+\d{1,2}\s+\d{2}:\d{2}:\d{2}\s+\d{4})\s*$/;

/** Living processes by pid, without zombies; a line that does not parse is left out. */
export const parsePsRows = (output: string): Map<number, PsRow> => {
  const rows = new Map<number, PsRow>();
  for (const line of output.split("\n")) {
    const [, pid, ppid, stat = "", started] = ROW.exec(line) ?? [];
    const startedAt = started === undefined ? Number.NaN : Date.parse(`${started} UTC`);
    if (pid === undefined || stat.startsWith("Z") || Number.isNaN(startedAt)) continue;
    rows.set(Number(pid), {
      pid: Number(pid),
      ppid: Number(ppid),
      startedAt,
      isStopped: stat.startsWith("T"),
      isInFront: stat.includes("+"),
    });
  }
  return rows;
};

/** The path of the program, or its name alone. `column` may hold only the start of that path. */
const pathOf = (column: string, width: number, args: string): string => {
  const isCut = column.length >= width - 1 && args.startsWith(column);
  return isCut ? column + (args.slice(column.length).split(" ")[0] ?? "") : column;
};

/** Names by pid. Columns are found by the header, because a name may hold spaces. */
export const parsePsNames = (output: string): Map<number, PsNames> => {
  const [header = "", ...lines] = output.split("\n");
  const commAt = header.indexOf("COMMNAME");
  const argsAt = header.indexOf("ARGUMENTS");
  const names = new Map<number, PsNames>();
  if (commAt === -1 || argsAt < commAt) return names;
  for (const line of lines) {
    const pid = /^\s*(\d{1,10})\s/.exec(line)?.[1];
    if (pid === undefined) continue;
    const args = line.slice(argsAt).trim();
    const path = pathOf(line.slice(commAt, argsAt).trim(), argsAt - commAt, args);
    names.set(Number(pid), {
      comm: cleanText(path.slice(path.lastIndexOf("/") + 1), MAX_COMM),
      args: cleanText(args, MAX_ARGS),
      path: path.startsWith("/") ? path : null,
    });
  }
  return names;
};
