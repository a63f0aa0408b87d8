// A search through the sessions, newest first: one piece of it (`searchSessions`), and inside one log (`searchLog`). Nothing is
// kept between two pieces: where it goes on stands in the cursor, so that a search which nobody continues costs nothing.
import type { FileHistory, TranscriptEntry, AgentHistory } from "../../core/ports/agentFiles.ts";
import {
  type LogFile,
  linesWith,
  parseLine,
  MAX_LINE_BYTES,
  readStretches,
  type StretchSpace,
  withLog,
  createPace,
} from "./logFile.ts";
import * as z from "zod";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { HistoryDb, ListFilter, SessionRow } from "./historyDb.ts";
import { readSession, type Sessions } from "./sessions.ts";
import { linesOfRemoteLog, remotePath } from "./remoteLogs.ts";
import type { RemoteSearch } from "./remoteSearch.ts";

// One log: its bytes are searched as they are, and only a line in which the text stands is parsed: what counts is what somebody
// said or asked, not the names of fields. Case does not matter for ASCII letters.

/** After so many entries the next session is searched. */
const MAX_MATCHES = 3;

interface Needle {
  /** In the text of an entry. */
  isIn(text: string): boolean;
  /** In the bytes of a log of JSON, one character per byte; may also stand where `isIn` does not. */
  readonly inBytes: RegExp;
  /** As it stands in a log of JSON. */
  readonly inJson: string;
}

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const createNeedle = (text: string): Needle => {
  const lower = text.toLowerCase();
  const inJson = JSON.stringify(text).slice(1, -1);
  return {
    isIn: (entry) => entry.toLowerCase().includes(lower),
    inJson,
    inBytes: new RegExp(escape(Buffer.from(inJson, "utf8").toString("latin1")), "gi"),
  };
};

interface LogMatches {
  entries: TranscriptEntry[];
  /** There may be more than `entries`. */
  hasMore: boolean;
  /** Where to go on in this log; null at its end, and where enough was found. */
  next: number | null;
  bytes: number;
}

interface LineSearch {
  needle: Needle;
  history: FileHistory;
  found: TranscriptEntry[];
  pace: () => Promise<void> | void;
}

/** Searches whole lines; false once enough is found. */
const searchLines = async (lines: Buffer, { needle, history, found, pace }: LineSearch): Promise<boolean> => {
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
const searchLog = async (
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

/** How long one piece searches, in ms, and how long where it has found something. */
const MAX_MS = 250;
const ENOUGH_MS = 100;
const SESSIONS_AT_ONCE = 50;

const cursorSchema = z.object({
  lastAt: z.number(),
  path: z.string(),
  /** In the log at `path`; null: it is done. */
  offset: z.number().nullable(),
});
type Cursor = z.infer<typeof cursorSchema>;

const readCursor = (text: string | null): Cursor | null =>
  text === null ? null : (cursorSchema.safeParse(parseLine(text)).data ?? null);

interface FoundSession {
  row: SessionRow;
  entries: TranscriptEntry[];
  hasMore: boolean;
}

type Ground = Sessions & {
  db: HistoryDb;
  remote: RemoteSearch;
  /** Machines with sessions that are not known, and why: what is not known is not searched. */
  unknownOf: ReadonlyMap<string, string>;
  space: StretchSpace;
};

interface Look {
  /** What could not be searched, and why. */
  problems: Set<string>;
  needle: Needle;
  isOver: () => boolean;
  pace: () => Promise<void> | void;
}

/** A session in a database has no bytes to search: what was said is read piece by piece. */
const searchPieces = async (
  { target }: Ground,
  history: AgentHistory,
  row: SessionRow,
  { needle, isOver, pace, start }: Look & { start: number },
): Promise<LogMatches> => {
  const found: TranscriptEntry[] = [];
  let before: string | null = start === 0 ? null : String(start);
  do {
    const piece = await readSession({ history, target }, row, before);
    found.push(...(piece?.entries ?? []).filter(({ text }) => needle.isIn(text)));
    before = piece?.before ?? null;
    await pace();
  } while (before !== null && found.length <= MAX_MATCHES && !isOver());
  const isDone = before === null || found.length > MAX_MATCHES;
  return {
    entries: found.slice(0, MAX_MATCHES),
    hasMore: found.length > MAX_MATCHES,
    next: isDone ? null : Number(before),
    bytes: 0,
  };
};

/** Null: nothing there, or its machine does not say. */
const searchRemote = async (
  ground: Ground,
  history: AgentHistory,
  row: SessionRow,
  look: Look & { start: number },
): Promise<LogMatches | null> => {
  const { db, remote, target } = ground;
  const { needle, pace, problems } = look;
  const paths = await remote.pathsWith(db, row.target, needle.inJson);
  // The same session again, in the next piece.
  if (paths === null) return { entries: [], hasMore: false, next: 0, bytes: 0 };
  if (paths instanceof Error) {
    if (!ground.unknownOf.has(row.target)) problems.add(`${row.target} was not searched: ${paths.message}`);
    return null;
  }
  const path = remotePath(row);
  if (!paths.has(path)) return null;
  if (history.kind === "database") return searchPieces(ground, history, row, look);
  const lines = await linesOfRemoteLog(target(row.target), path, needle.inJson);
  const found: TranscriptEntry[] = [];
  await searchLines(lines, { needle, history, found, pace });
  return {
    entries: found.slice(0, MAX_MATCHES),
    hasMore: found.length > MAX_MATCHES,
    next: null,
    bytes: lines.length,
  };
};

const searchSession = async (
  ground: Ground,
  row: SessionRow,
  look: Look & { start: number },
): Promise<LogMatches | null> => {
  const history = ground.historyOf(row.agent);
  if (history === undefined) return null;
  if (row.target !== HOST_TARGET) return searchRemote(ground, history, row, look);
  if (history.kind === "database") return searchPieces(ground, history, row, look);
  return withLog(row.path, (log) => searchLog(log, ground.space, { ...look, history }));
};

/** Searches for a moment; `cursor` as the piece before gave it, null for the first. */
export const searchSessions = async (
  ground: Ground,
  { text, cursor, filter }: { text: string; cursor: string | null; filter: ListFilter },
): Promise<{ found: FoundSession[]; cursor: string | null; bytes: number; problems: string[] }> => {
  const began = performance.now();
  const found: FoundSession[] = [];
  let bytes = 0;
  const isOver = (): boolean => performance.now() - began > (found.length > 0 ? ENOUGH_MS : MAX_MS);
  const problems = new Set(
    [...ground.unknownOf].map(([name, problem]) => `${name} was not searched in full: ${problem}`),
  );
  const look: Look = { needle: createNeedle(text), isOver, pace: createPace(), problems };
  let at = readCursor(cursor);

  const searchOne = async (row: SessionRow, start: number): Promise<void> => {
    const matches = await searchSession(ground, row, { ...look, start });
    bytes += matches?.bytes ?? 0;
    if (matches !== null && matches.entries.length > 0)
      found.push({ row, entries: matches.entries, hasMore: matches.hasMore });
    at = { lastAt: row.lastAt, path: row.path, offset: matches?.next ?? null };
  };
  const result = (isDone: boolean) => ({
    found,
    cursor: isDone ? null : JSON.stringify(at),
    bytes,
    problems: [...problems],
  });

  for (;;) {
    const start = at?.offset ?? null;
    const rows =
      at !== null && start !== null ? ground.db.at(at.path) : ground.db.after(filter, at, SESSIONS_AT_ONCE);
    if (rows.length === 0 && start === null) return result(true);
    // It went since: the search goes on behind it.
    if (rows.length === 0 && at !== null) at = { ...at, offset: null };
    for (const row of rows) {
      await searchOne(row, start ?? 0);
      await look.pace();
      if (isOver()) return result(false);
    }
  }
};
