// The index of sessions, and of what answers used, in a database of its own. Everything in it can be read again from the agents'
// logs, so it may be deleted at any time, and one that is damaged or of another version is. Its texts are redacted before they come
// here.
import BetterSqlite3, { type Database } from "better-sqlite3";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { UsageRecord } from "../../core/ports/agentFiles.ts";
import { chmod, open, rm } from "node:fs/promises";
import { errorCodeOf } from "../../core/model/errors.ts";

// Usage: a row per answer, so that one that stands in several logs counts once.

const USAGE_SCHEMA = `
  CREATE TABLE usage (
    key TEXT PRIMARY KEY, target TEXT NOT NULL, agent TEXT NOT NULL, session_id TEXT NOT NULL, at REAL, model TEXT,
    input REAL NOT NULL, output REAL NOT NULL, cache_read REAL NOT NULL, cache_write REAL NOT NULL, cost REAL
  ) WITHOUT ROWID;
  CREATE TABLE usage_read (
    path TEXT PRIMARY KEY, size INTEGER, mtime REAL NOT NULL, read_to INTEGER NOT NULL, state TEXT NOT NULL
  ) WITHOUT ROWID;`;

/** How far a log was read for what was used, when it had this size and time. */
export interface UsageMark {
  path: string;
  size: number | null;
  mtime: number;
  readTo: number;
  state: string;
}

export type UsageRow = UsageRecord & { target: string; agent: string; sessionId: string };

/** What one log says; answers of different agents never have the same key. */
export const toUsageRows = (
  records: readonly UsageRecord[],
  of: { target: string; agent: string; sessionId: string },
): UsageRow[] => records.map((record) => ({ ...record, ...of, key: `${of.agent} ${record.key}` }));

const ROWS_AT_ONCE = 1_000;

/** `next` gives the rows whose key comes after one, `ROWS_AT_ONCE` of them where there are as many. */
function* inPieces<Row>(
  next: (after: string) => readonly Row[],
  keyOf: (row: Row) => string,
): Generator<readonly Row[]> {
  for (let after = ""; ;) {
    const rows = next(after);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = keyOf(last);
  }
}

const anyOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map(() => "?").join(", ")})`;

const createUsageDb = (db: Database) => {
  const markOf = db.prepare<[string], UsageMark>(
    "SELECT path, size, mtime, read_to AS readTo, state FROM usage_read WHERE path = ?",
  );
  const putMark = db.prepare<[UsageMark]>(
    "INSERT OR REPLACE INTO usage_read VALUES (@path, @size, @mtime, @readTo, @state)",
  );
  const putRow = db.prepare<[UsageRow]>(
    `INSERT INTO usage VALUES (@key, @target, @agent, @sessionId, @at, @model, @input, @output, @cacheRead, @cacheWrite, @cost)
      ON CONFLICT (key) DO UPDATE SET target = excluded.target, agent = excluded.agent, session_id = excluded.session_id,
        at = excluded.at, model = excluded.model, input = excluded.input, output = excluded.output,
        cache_read = excluded.cache_read, cache_write = excluded.cache_write, cost = excluded.cost
      WHERE excluded.target IN (usage.target, '${HOST_TARGET}')`,
  );
  /**
   * Both or nothing. A row takes the place of one with the same key: of its own machine, or where it is this machine's. What
   * another machine says never changes what was counted here.
   */
  const put: (rows: readonly UsageRow[], mark: UsageMark) => void = db.transaction(
    (rows: readonly UsageRow[], mark: UsageMark) => {
      for (const row of rows) putRow.run(row);
      putMark.run(mark);
    },
  );
  return {
    markOf: (path: string): UsageMark | null => markOf.get(path) ?? null,
    put,
    /** In pieces that take little time. */
    rows: ({ since = 0, target, agent }: ListFilter) => {
      const wanted = [
        ...(target === undefined ? [] : [{ sql: anyOf("target", target), names: target }]),
        ...(agent === undefined ? [] : [{ sql: anyOf("agent", agent), names: agent }]),
      ];
      const find = db.prepare<(string | number)[], UsageRow>(
        `SELECT key, target, agent, session_id AS sessionId, at, model, input, output, cache_read AS cacheRead,
          cache_write AS cacheWrite, cost FROM usage WHERE key > ? AND coalesce(at, 0) >= ? ${wanted.map(({ sql }) => `AND ${sql}`).join(" ")}
          ORDER BY key LIMIT ${ROWS_AT_ONCE}`,
      );
      const names = wanted.flatMap((one) => one.names);
      return inPieces(
        (after) => find.all(after, since, ...names),
        ({ key }) => key,
      );
    },
  };
};

const VERSION = 4;
const SCHEMA = `
  CREATE TABLE log (
    path TEXT PRIMARY KEY, target TEXT NOT NULL, agent TEXT NOT NULL, size INTEGER, mtime REAL NOT NULL,
    session_id TEXT, cwd TEXT, branch TEXT, title TEXT, first_prompt TEXT,
    started_at REAL, last_at REAL NOT NULL, parent_id TEXT, words TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX log_last_at ON log (last_at DESC) WHERE session_id IS NOT NULL;
  CREATE INDEX log_session ON log (session_id);
  CREATE INDEX log_target ON log (target, last_at DESC);
  CREATE INDEX log_agent ON log (agent, last_at DESC);${USAGE_SCHEMA}
  PRAGMA user_version = ${VERSION};`;

/** `sessionId` null: the file is no session, and is not read again until it changes. Times in epoch ms. */
export interface LogRow {
  /** Of the file; for a session in a database with `#` and its id; on another machine with its name and `:` before it. */
  path: string;
  /** The machine that it lies on. */
  target: string;
  agent: string;
  size: number | null;
  mtime: number;
  sessionId: string | null;
  cwd: string | null;
  branch: string | null;
  title: string | null;
  firstPrompt: string | null;
  startedAt: number | null;
  lastAt: number;
  parentId: string | null;
}

export type SessionRow = LogRow & { sessionId: string };

export type KnownLog = Pick<LogRow, "path" | "agent" | "size" | "mtime">;

export interface ListFilter {
  target?: readonly string[] | undefined;
  agent?: readonly string[] | undefined;
  folder?: string | undefined;
  since?: number | undefined;
  text?: string | undefined;
}

const COLUMNS = `path, target, agent, size, mtime, session_id AS sessionId, cwd, branch, title, first_prompt AS firstPrompt,
  started_at AS startedAt, last_at AS lastAt, parent_id AS parentId`;

const connect = (path: string): Database => {
  const db = new BetterSqlite3(path, { timeout: 1_000 });
  try {
    // After a power failure it may be damaged; then it is made again.
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = OFF");
    const version = db.pragma("user_version", { simple: true });
    if (version === 0) db.exec(SCHEMA);
    else if (version !== VERSION)
      throw Object.assign(new Error("another version"), { code: "SQLITE_NOTADB" });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

const whereOf = ({
  target,
  agent,
  folder,
  since,
  text,
}: ListFilter): { sql: string; values: (string | number)[] } => {
  const parts: [sql: string, ...values: (string | number)[]][] = [["session_id IS NOT NULL"]];
  if (target !== undefined) parts.push([anyOf("target", target), ...target]);
  if (agent !== undefined) parts.push([anyOf("agent", agent), ...agent]);
  if (folder !== undefined) {
    // Between the folder's own slash and the sign that follows it.
    const below = folder.replace(/\/$/, "");
    parts.push(["(cwd = ? OR (cwd > ? AND cwd < ?))", folder, `${below}/`, `${below}0`]);
  }
  if (since !== undefined) parts.push(["last_at >= ?", since]);
  if (text !== undefined) parts.push(["instr(words, ?) > 0", text.toLowerCase()]);
  return { sql: parts.map(([sql]) => sql).join(" AND "), values: parts.flatMap(([, ...values]) => values) };
};

/** What the list is searched by. */
const wordsOf = ({ title, firstPrompt, cwd }: LogRow): string =>
  [title, firstPrompt, cwd]
    .filter((text) => text !== null)
    .join("\n")
    .toLowerCase();

const createQueries = (db: Database) => {
  const putRow = db.prepare<[LogRow & { words: string }]>(
    `INSERT OR REPLACE INTO log VALUES (@path, @target, @agent, @size, @mtime, @sessionId, @cwd, @branch, @title, @firstPrompt,
      @startedAt, @lastAt, @parentId, @words)`,
  );
  const removeRow = db.prepare<[string]>("DELETE FROM log WHERE path = ?");
  const known = db.prepare<[string, string], KnownLog>(
    `SELECT path, agent, size, mtime FROM log WHERE path > ? AND target = ? ORDER BY path LIMIT ${ROWS_AT_ONCE}`,
  );
  const put: (rows: readonly LogRow[]) => void = db.transaction((rows: readonly LogRow[]) => {
    for (const row of rows) putRow.run({ ...row, words: wordsOf(row) });
  });
  const remove: (paths: readonly string[]) => void = db.transaction((paths: readonly string[]) => {
    for (const path of paths) removeRow.run(path);
  });
  return {
    usage: createUsageDb(db),
    /** What is known of each log of a machine, in pieces that take little time. */
    known: (target: string) =>
      inPieces(
        (after) => known.all(after, target),
        ({ path }) => path,
      ),
    /** Machines that have logs in the index. */
    targets: () => db.prepare<[], string>("SELECT DISTINCT target FROM log").pluck().all(),
    put,
    remove,
    count: (filter: ListFilter): number => {
      const { sql, values } = whereOf(filter);
      return (
        db
          .prepare<(string | number)[], number>(`SELECT count(*) FROM log WHERE ${sql}`)
          .pluck()
          .get(...values) ?? 0
      );
    },
    list: (filter: ListFilter, { limit, offset }: { limit: number; offset: number }) => {
      const { sql, values } = whereOf(filter);
      return db
        .prepare<(string | number)[], SessionRow>(
          `SELECT ${COLUMNS} FROM log WHERE ${sql} ORDER BY last_at DESC, path LIMIT ? OFFSET ?`,
        )
        .all(...values, limit, offset);
    },
    /** The newest sessions that come after one in the order of the list; null: from the beginning. */
    after: (filter: ListFilter, last: { lastAt: number; path: string } | null, limit: number) => {
      const { sql, values } = whereOf(filter);
      const { lastAt, path } = last ?? { lastAt: Number.MAX_VALUE, path: "" };
      return db
        .prepare<(string | number)[], SessionRow>(
          `SELECT ${COLUMNS} FROM log WHERE ${sql} AND (last_at < ? OR (last_at = ? AND path > ?))
            ORDER BY last_at DESC, path LIMIT ?`,
        )
        .all(...values, lastAt, lastAt, path, limit);
    },
    /** `target agent:id` of every session in this folder and below it. */
    sessionsIn: (folder: string): string[] => {
      const { sql, values } = whereOf({ folder });
      return db
        .prepare<(string | number)[], string>(
          `SELECT target || ' ' || agent || ':' || session_id FROM log WHERE ${sql}`,
        )
        .pluck()
        .all(...values);
    },
    /** The session of one log, if there still is one. */
    at: (path: string): SessionRow[] =>
      db
        .prepare<[string], SessionRow>(`SELECT ${COLUMNS} FROM log WHERE path = ? AND session_id IS NOT NULL`)
        .all(path),
    /** Sessions whose id begins or ends so, at most `limit`, newest first; those of this machine before others. */
    find: (
      { target = null, agent, id }: { target?: string | null; agent: string | null; id: string },
      limit: number,
    ): SessionRow[] =>
      db
        .prepare<(string | number | null)[], SessionRow>(
          `SELECT ${COLUMNS} FROM log WHERE session_id IS NOT NULL
            AND (session_id = ? OR substr(session_id, 1, ?) = ? OR substr(session_id, ?) = ?)
            AND (? IS NULL OR agent = ?) AND (? IS NULL OR target = ?) ORDER BY target <> '${HOST_TARGET}', last_at DESC, path LIMIT ?`,
        )
        .all(id, id.length, id, -id.length, id, agent, agent, target, target, limit),
    close: (): void => void db.close(),
  };
};

/** What SQLite says of a file that is no database any more. */
const isDamage = (error: unknown): boolean =>
  ["SQLITE_CORRUPT", "SQLITE_NOTADB"].some((code) => errorCodeOf(error).startsWith(code));

/** SQLite gives the files beside it the mode of the main file, so that one must be private before they exist. */
const createPrivateFile = async (path: string): Promise<void> => {
  await (await open(path, "a", 0o600)).close();
  await chmod(path, 0o600);
};

export type HistoryDb = ReturnType<typeof createQueries>;

/** Opens the index, and makes it again where it cannot be used. */
export const openHistoryDb = async (path: string) => {
  await createPrivateFile(path);
  try {
    return createQueries(connect(path));
  } catch (error) {
    if (!isDamage(error)) throw error;
    for (const ending of ["", "-wal", "-shm"]) await rm(`${path}${ending}`, { force: true });
    await createPrivateFile(path);
    return createQueries(connect(path));
  }
};
