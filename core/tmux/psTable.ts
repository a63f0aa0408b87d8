// The arguments for `ps` of BSD and macOS, and the parser of its output. Pure. There the name and arguments of a process cost
// the kernel far more than everything else. So the table of all processes comes without them, and they are asked for only for
// the processes that matter.
import { cleanText } from "./cleanText.ts";
import { MAX_ARGS } from "./procStat.ts";

const MAX_COMM = 64;

/** Times in UTC and English. */
const PS: readonly string[] = ["env", "LC_ALL=C", "TZ=UTC0", "ps"];
const ROWS: readonly string[] = ["-o", "pid=", "-o", "ppid=", "-o", "stat=", "-o", "lstart="];
const toList = (pids: readonly number[]): string => pids.join(",");

/** All processes of the machine, as `parsePsRows` reads them. */
export const PS_ALL: readonly string[] = [...PS, "-ax", ...ROWS];
/** The arguments for some of the processes. The exit status is 1 where none of them lives. */
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
}
export interface PsNames {
  comm: string;
  args: string;
  /** Of the executable, where the system tells it. */
  path: string | null;
}

/** No system has pids of more digits. */
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
