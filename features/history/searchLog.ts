// Looks for a text inside one log. The bytes are searched as they are, and only a line in which they stand is read: what counts
// is what somebody said or asked, not the names of fields. Case does not matter for ASCII letters.
import type { FileHistory, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import type { LogFile } from "./logFile.ts";
import { linesWith } from "./linesWith.ts";
import { parseLine } from "./readPage.ts";
import { MAX_LINE_BYTES, readStretches, type StretchSpace } from "./stretches.ts";

/** After so many entries the next session is looked at. */
export const MAX_MATCHES = 3;

export interface Needle {
  /** In the text of an entry. */
  isIn(text: string): boolean;
  /** In the bytes of a log of JSON, one character per byte; may also stand where `isIn` does not. */
  readonly inBytes: RegExp;
  /** As it stands in a log of JSON. */
  readonly inJson: string;
}

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

export const createNeedle = (text: string): Needle => {
  const lower = text.toLowerCase();
  const inJson = JSON.stringify(text).slice(1, -1);
  return {
    isIn: (entry) => entry.toLowerCase().includes(lower),
    inJson,
    inBytes: new RegExp(escape(Buffer.from(inJson, "utf8").toString("latin1")), "gi"),
  };
};

export interface LogMatches {
  entries: TranscriptEntry[];
  /** There may be more than `entries`. */
  hasMore: boolean;
  /** Where to go on in this log; null at its end, and where enough was found. */
  next: number | null;
  bytes: number;
}

export interface LineSearch {
  needle: Needle;
  history: FileHistory;
  found: TranscriptEntry[];
  pace: () => Promise<void> | void;
}

/** Searches whole lines; false once enough is found. */
export const searchLines = async (
  lines: Buffer,
  { needle, history, found, pace }: LineSearch,
): Promise<boolean> => {
  for (const { from, end } of linesWith(lines, needle.inBytes, needle.inJson.length * 3)) {
    const line = end - from > MAX_LINE_BYTES ? null : parseLine(lines.toString("utf8", from, end));
    for (const entry of line === null ? [] : history.readEntries([line], null).entries)
      // Some agents write an entry again when it has grown, or the whole history when a session goes on.
      if (
        needle.isIn(entry.text) &&
        !found.some(({ role, text: same }) => role === entry.role && same === entry.text)
      )
        found.push(entry);
    if (found.length > MAX_MATCHES) return false;
    await pace();
  }
  return true;
};

/** Searches from `start` (the beginning of a line) until enough is found or `isOver` says that the time is. */
export const searchLog = async (
  log: LogFile,
  space: StretchSpace,
  search: Omit<LineSearch, "found"> & { start: number; isOver: () => boolean },
): Promise<LogMatches> => {
  const found: TranscriptEntry[] = [];
  let at = search.start;
  let isOver = false;
  for await (const { lines, end } of readStretches(log, space, search.start)) {
    at = end;
    if (!(await searchLines(lines, { ...search, found }))) break;
    isOver = at < log.size && search.isOver();
    if (isOver) break;
    await search.pace();
  }
  return {
    entries: found.slice(0, MAX_MATCHES),
    hasMore: found.length > MAX_MATCHES,
    next: isOver ? at : null,
    bytes: at - search.start,
  };
};
