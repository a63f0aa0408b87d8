// One piece of a search through the sessions, newest first. It keeps nothing between two pieces: where it goes on stands in the
// cursor, so that a search which nobody asks to go on costs nothing.
import * as z from "zod";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { AgentHistory, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import type { HistoryDb, ListFilter, SessionRow } from "./historyDb.ts";
import { withLog } from "./logFile.ts";
import { createPace } from "./pace.ts";
import { readSession } from "./readSession.ts";
import {
  createNeedle,
  MAX_MATCHES,
  searchLines,
  searchLog,
  type LogMatches,
  type Needle,
} from "./searchLog.ts";
import { parseLine } from "./readPage.ts";
import { linesOfRemoteLog, remotePath } from "./remote/remoteLogs.ts";
import type { RemoteSearch } from "./remote/remoteSearch.ts";
import type { StretchSpace } from "./stretches.ts";

/** How long one piece looks, in ms, and how long where it has found something. */
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

export interface FoundSession {
  row: SessionRow;
  entries: TranscriptEntry[];
  hasMore: boolean;
}

export interface SearchDeps {
  db: HistoryDb;
  homeDir: string;
  target: FeatureContext["target"];
  remote: RemoteSearch;
  /** Machines with sessions that are not known, and why: what is not known is not searched. */
  unknownOf: ReadonlyMap<string, string>;
  historyOf: (agent: string) => AgentHistory | undefined;
  space: StretchSpace;
}

interface Look {
  /** What could not be searched, and why. */
  problems: Set<string>;
  needle: Needle;
  isOver: () => boolean;
  pace: () => Promise<void> | void;
}

/** A session in a database has no bytes to search: what was said is read piece by piece. */
const searchPieces = async (
  { homeDir, target }: SearchDeps,
  history: AgentHistory,
  row: SessionRow,
  { needle, isOver, pace, start }: Look & { start: number },
): Promise<LogMatches> => {
  const found: TranscriptEntry[] = [];
  let before: string | null = start === 0 ? null : String(start);
  do {
    const piece = await readSession({ homeDir, history, target }, row, before);
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
  deps: SearchDeps,
  history: AgentHistory,
  row: SessionRow,
  look: Look & { start: number },
): Promise<LogMatches | null> => {
  const { db, remote, target } = deps;
  const { needle, pace, problems } = look;
  const paths = await remote.pathsWith(db, row.target, needle.inJson);
  // The same session again, in the next piece.
  if (paths === null) return { entries: [], hasMore: false, next: 0, bytes: 0 };
  if (paths instanceof Error) {
    if (!deps.unknownOf.has(row.target)) problems.add(`${row.target} was not searched: ${paths.message}`);
    return null;
  }
  const path = remotePath(row);
  if (!paths.has(path)) return null;
  if (history.kind === "database") return searchPieces(deps, history, row, look);
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
  deps: SearchDeps,
  row: SessionRow,
  look: Look & { start: number },
): Promise<LogMatches | null> => {
  const history = deps.historyOf(row.agent);
  if (history === undefined) return null;
  if (row.target !== HOST_TARGET) return searchRemote(deps, history, row, look);
  if (history.kind === "database") return searchPieces(deps, history, row, look);
  return withLog(row.path, (log) => searchLog(log, deps.space, { ...look, history }));
};

/** Looks for a moment; `cursor` as the piece before gave it, null for the first. */
export const searchSessions = async (
  deps: SearchDeps,
  { text, cursor, filter }: { text: string; cursor: string | null; filter: ListFilter },
): Promise<{ found: FoundSession[]; cursor: string | null; bytes: number; problems: string[] }> => {
  const began = performance.now();
  const found: FoundSession[] = [];
  let bytes = 0;
  const isOver = (): boolean => performance.now() - began > (found.length > 0 ? ENOUGH_MS : MAX_MS);
  const problems = new Set(
    [...deps.unknownOf].map(([name, problem]) => `${name} was not searched in full: ${problem}`),
  );
  const look: Look = { needle: createNeedle(text), isOver, pace: createPace(), problems };
  let at = readCursor(cursor);

  const searchOne = async (row: SessionRow, start: number): Promise<void> => {
    const matches = await searchSession(deps, row, { ...look, start });
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
      at !== null && start !== null ? deps.db.at(at.path) : deps.db.after(filter, at, SESSIONS_AT_ONCE);
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
