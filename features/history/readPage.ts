// One piece of a session's conversation, read backwards from the end of its log. A line that is too long to be one of a
// conversation is passed over as bytes, so that neither a picture in a log nor a log without line ends costs memory.
import type { FileHistory, LogLine, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import type { LogFile } from "./logFile.ts";
import { createPace } from "./pace.ts";

const PAGE_BYTES = 512 * 1024;
const MAX_LINE_BYTES = 1024 * 1024;
/** How much of a log is looked at for one page where nothing in it can be read. */
const MAX_BYTES_PER_PAGE = 16 * 1024 * 1024;

/** The bytes of the log before `end` are still to be read; `leaf` as in the port. */
export interface PageStart {
  end: number;
  leaf: string | null;
}

export interface Page {
  entries: TranscriptEntry[];
  /** Null at the beginning of the log. */
  before: PageStart | null;
}

export const isObject = (value: unknown): value is LogLine =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Null for what is no JSON object. */
export const parseLine = (line: string): LogLine | null => {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    // Half written, binary, or no JSON at all: it says nothing.
    return null;
  }
};

/** Whole lines that end before `end`, and where the first of them begins; null for `from` where no line begins in the stretch. */
const readLines = async (
  log: Pick<LogFile, "read">,
  end: number,
): Promise<{ text: string; from: number }> => {
  for (const size of [PAGE_BYTES, MAX_LINE_BYTES]) {
    const start = Math.max(0, end - size);
    const bytes = await log.read(start, end);
    if (start === 0) return { text: bytes.toString("utf8"), from: 0 };
    const newline = bytes.indexOf(10);
    if (newline !== -1 && newline < bytes.length - 1)
      return { text: bytes.toString("utf8", newline + 1), from: start + newline + 1 };
  }
  return { text: "", from: end - MAX_LINE_BYTES };
};

/** `at` null: the newest page. */
export const readPage = async (
  log: Pick<LogFile, "size" | "read">,
  history: FileHistory,
  at: PageStart | null,
): Promise<Page> => {
  const pace = createPace();
  let end = Math.min(at?.end ?? log.size, log.size);
  let leaf = at?.leaf ?? null;
  for (const stop = end - MAX_BYTES_PER_PAGE; end > 0 && end > stop;) {
    const { text, from } = await readLines(log, end);
    end = from;
    const lines: LogLine[] = [];
    for (const line of text.split("\n")) {
      const parsed = line.startsWith("{") && line.length <= MAX_LINE_BYTES ? parseLine(line) : null;
      if (parsed !== null) lines.push(parsed);
      await pace();
    }
    if (lines.length === 0) continue;
    const read = history.readEntries(lines, leaf);
    leaf = read.leaf;
    if (read.entries.length > 0)
      return { entries: [...read.entries], before: end > 0 ? { end, leaf } : null };
  }
  return { entries: [], before: end > 0 ? { end, leaf } : null };
};
