// Reads agents' logs within bounds: opening one (`openLog`), its bytes in stretches of whole lines (`readStretches`), the lines in
// which something stands (`linesWith`), a page from its end (`readPage`), and the pace of long work (`createPace`). Only plain
// files are opened, and never is more read than asked.
import { FileProblem, openPlain } from "../../core/files/plainFile.ts";
import type { FileHistory, LogLine, TranscriptEntry } from "../../core/ports/agentFiles.ts";

/** What is in a log, wherever it is. */
export interface LogContent {
  readonly size: number;
  /** The bytes from `start` up to `end`, fewer where the file ends before. The buffer is valid until the next read. */
  read(start: number, end: number): Promise<Buffer>;
}

export interface LogFile extends LogContent {
  readonly mtimeMs: number;
  /** Fills `space` from `offset` on with what stands at `start`; gives the number of bytes. */
  readInto(space: Buffer, offset: number, start: number): Promise<number>;
  close(): Promise<void>;
}

/** Null where there is no plain file that may be read. The caller closes it. */
export const openLog = async (path: string): Promise<LogFile | null> => {
  const handle = await openPlain({ path }).catch((error: unknown) => {
    if (error instanceof FileProblem) return null;
    throw error;
  });
  if (handle === null) return null;
  const stat = await handle.stat();
  let space = Buffer.alloc(0);
  return {
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    read: async (start, end) => {
      const wanted = Math.max(0, Math.min(end, stat.size) - start);
      if (space.length < wanted) space = Buffer.allocUnsafeSlow(wanted);
      const { bytesRead } = await handle.read(space, 0, wanted, start);
      return space.subarray(0, bytesRead);
    },
    readInto: async (space, offset, start) =>
      (await handle.read(space, offset, space.length - offset, start)).bytesRead,
    close: () => handle.close(),
  };
};

/** Opens, works and closes, whatever happens; null where there is no log. */
export const withLog = async <T>(path: string, work: (log: LogFile) => Promise<T>): Promise<T | null> => {
  const log = await openLog(path);
  if (log === null) return null;
  try {
    return await work(log);
  } finally {
    await log.close();
  }
};

// Stretches: a log's bytes from one end to the other, as whole lines, with the next one read meanwhile. A line above 1 MB is left
// out, so that what a log holds decides neither memory nor time.

const CHUNK_BYTES = 256 * 1024;
export const MAX_LINE_BYTES = 1024 * 1024;

/** Memory for two stretches; one reader at a time, of any number of logs. */
export class StretchSpace {
  readonly buffers: readonly [Buffer, Buffer] = [
    Buffer.allocUnsafeSlow(MAX_LINE_BYTES + CHUNK_BYTES),
    Buffer.allocUnsafeSlow(MAX_LINE_BYTES + CHUNK_BYTES),
  ];
}

interface Stretch {
  /** Whole lines; at the end of the log perhaps a last one without its end. Valid until the next stretch is asked for. */
  lines: Buffer;
  /** Where the next line begins. */
  end: number;
}

/** From `start`, the beginning of a line. Close the log only when this has ended. */
export async function* readStretches(
  log: LogFile,
  { buffers }: StretchSpace,
  start: number,
): AsyncGenerator<Stretch> {
  let [current, ahead] = buffers;
  let at = start;
  let carried = 0;
  let isInLongLine = false;
  let reading = log.readInto(current, MAX_LINE_BYTES, at);
  try {
    for (;;) {
      const size = await reading;
      at += size;
      const isEnd = size < CHUNK_BYTES;
      if (!isEnd) reading = log.readInto(ahead, MAX_LINE_BYTES, at);
      const bytes = current.subarray(MAX_LINE_BYTES - carried, MAX_LINE_BYTES + size);
      const from = isInLongLine ? bytes.indexOf(10) + 1 : 0;
      const last = isEnd ? bytes.length : bytes.lastIndexOf(10) + 1;
      isInLongLine = last === 0;
      carried = isInLongLine || isEnd ? 0 : bytes.length - last;
      const lines = isInLongLine ? bytes.subarray(0, 0) : bytes.subarray(from, last);
      yield { lines, end: at - carried };
      if (isEnd) return;
      bytes.copy(ahead, MAX_LINE_BYTES - carried, bytes.length - carried);
      [current, ahead] = [ahead, current];
    }
  } finally {
    // The log is closed after this, and must not be while it is read.
    await reading;
  }
}

/**
 * Searched at once. Larger pieces are put outside of V8's own memory, which takes longer than to search them: measured 1.3 GB/s
 * with pieces of 8 to 64 kB, 0.6 GB/s with 256 kB.
 */
const WINDOW_BYTES = 32 * 1024;

interface FoundLine {
  from: number;
  /** Without its line end. */
  end: number;
  /** False for a last line without its line end. */
  isWhole: boolean;
}

/** Every line once, in order. `pattern`: global, one character per byte, never over a line end, at most `longest` bytes. */
export function* linesWith(lines: Buffer, pattern: RegExp, longest: number): Generator<FoundLine> {
  for (let at = 0; at < lines.length;) {
    const to = Math.min(lines.length, at + WINDOW_BYTES + longest);
    pattern.lastIndex = 0;
    const hit = pattern.exec(lines.toString("latin1", at, to));
    if (hit === null) {
      at = to === lines.length ? to : at + WINDOW_BYTES;
      continue;
    }
    const index = at + hit.index;
    const newline = lines.indexOf(10, index);
    const end = newline === -1 ? lines.length : newline;
    yield { from: lines.lastIndexOf(10, index) + 1, end, isWhole: newline !== -1 };
    at = end;
  }
}

// Pace: long work on the daemon's loop in short stretches, so that between two of them everybody else gets an answer.

/** How long a stretch takes, in milliseconds; it may be longer by one step. */
const STRETCH_MS = 2;

/** Await it between the steps of one work: it lets the loop turn if the last turn was a while ago. */
export const createPace = (): (() => Promise<void> | void) => {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
};

// Pages: one piece of a session's conversation, read backwards from the end of its log. A line that is too long to be one of a
// conversation is passed over as bytes, so that neither a picture in a log nor a log without line ends costs memory.

const PAGE_BYTES = 512 * 1024;
/** How much of a log is read for one page where nothing in it can be understood. */
const MAX_BYTES_PER_PAGE = 16 * 1024 * 1024;

/** The bytes of the log before `end` are still to be read; `leaf` as in the port. */
export interface PageStart {
  end: number;
  leaf: string | null;
}

interface Page {
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
const readLines = async (log: LogContent, end: number): Promise<{ text: string; from: number }> => {
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
  log: LogContent,
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
