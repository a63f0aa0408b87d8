// Reads the output of BSD's and macOS's ps. Pure. Columns are found by the header, because a name may hold spaces.
import type { ProcessInfo } from "../model/runtime.ts";
import { cleanText } from "./cleanText.ts";
import { MAX_ARGS } from "./procStat.ts";

const MAX_COMM = 64;

/** Times in UTC and English, arguments uncut. macOS cuts the name at its column's width. */
export const PS_ARGV: readonly string[] =
  "env LC_ALL=C TZ=UTC0 ps -axww -o pid=PID -o ppid=PPID -o lstart=STARTED -o comm=COMMNAME -o args=ARGUMENTS".split(
    " ",
  );

/** No system has pids of more digits. */
const LINE = /^\s*(\d{1,10})\s+(\d{1,10})\s+\w{3}\s+(\w{3}\s+\d{1,2}\s+\d{2}:\d{2}:\d{2}\s+\d{4})\s/;

/** The program's own name: the last part of its path, which `column` may hold only the start of. */
const nameOf = (column: string, width: number, args: string): string => {
  const isCut = column.length >= width - 1 && args.startsWith(column);
  const path = isCut ? column + (args.slice(column.length).split(" ")[0] ?? "") : column;
  return cleanText(path.slice(path.lastIndexOf("/") + 1), MAX_COMM);
};

/** Processes in the order of the output; lines that do not parse are left out. `startedAt` has a resolution of 1 s. */
export const parsePsTable = (output: string): ProcessInfo[] => {
  const [header = "", ...lines] = output.split("\n");
  const commAt = header.indexOf("COMMNAME");
  const argsAt = header.indexOf("ARGUMENTS");
  if (commAt === -1 || argsAt < commAt) return [];
  return lines.flatMap((line) => {
    const [, pid, ppid, started] = LINE.exec(line) ?? [];
    const startedAt = started === undefined ? Number.NaN : Date.parse(`${started} UTC`);
    if (pid === undefined || ppid === undefined || Number.isNaN(startedAt)) return [];
    const args = line.slice(argsAt).trim();
    const comm = nameOf(line.slice(commAt, argsAt).trim(), argsAt - commAt, args);
    return [{ pid: Number(pid), ppid: Number(ppid), comm, args: cleanText(args, MAX_ARGS), startedAt }];
  });
};
