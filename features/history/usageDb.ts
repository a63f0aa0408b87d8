// What answers used, in the index beside the sessions: a row per answer, so that one that stands in several logs counts once.
import type { Database } from "better-sqlite3";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { UsageRecord } from "../../core/ports/agentHistory.ts";

export const USAGE_SCHEMA = `
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

export interface UsageFilter {
  target?: readonly string[] | undefined;
  agent?: readonly string[] | undefined;
  since?: number | undefined;
}

export interface UsageDb {
  markOf(path: string): UsageMark | null;
  /**
   * Both or nothing. A row takes the place of one with the same key: of its own machine, or where it is this machine's. What
   * another machine says never changes what was counted here.
   */
  put(rows: readonly UsageRow[], mark: UsageMark): void;
  /** In pieces that take little time. */
  rows(filter: UsageFilter): Generator<readonly UsageRow[]>;
}

const ROWS_AT_ONCE = 1_000;

export const createUsageDb = (db: Database): UsageDb => {
  const markOf = db.prepare<[string], UsageMark>(
    "SELECT path, size, mtime, read_to AS readTo, state FROM usage_read WHERE path = ?",
  );
  const putMark = db.prepare<[UsageMark]>(
    "INSERT OR REPLACE INTO usage_read VALUES (@path, @size, @mtime, @readTo, @state)",
  );
  const put = db.prepare<[UsageRow]>(
    `INSERT INTO usage VALUES (@key, @target, @agent, @sessionId, @at, @model, @input, @output, @cacheRead, @cacheWrite, @cost)
      ON CONFLICT (key) DO UPDATE SET target = excluded.target, agent = excluded.agent, session_id = excluded.session_id,
        at = excluded.at, model = excluded.model, input = excluded.input, output = excluded.output,
        cache_read = excluded.cache_read, cache_write = excluded.cache_write, cost = excluded.cost
      WHERE excluded.target IN (usage.target, '${HOST_TARGET}')`,
  );
  return {
    markOf: (path) => markOf.get(path) ?? null,
    put: db.transaction((rows: readonly UsageRow[], mark: UsageMark) => {
      for (const row of rows) put.run(row);
      putMark.run(mark);
    }),
    *rows({ target, agent, since }) {
      const anyOf = (column: string, names: readonly string[] | undefined): string =>
        names === undefined ? "" : `AND ${column} IN (${names.map(() => "?").join(", ")})`;
      const find = db.prepare<(string | number)[], UsageRow>(
        `SELECT key, target, agent, session_id AS sessionId, at, model, input, output, cache_read AS cacheRead,
          cache_write AS cacheWrite, cost FROM usage WHERE key > ? AND coalesce(at, 0) >= ? ${anyOf("target", target)} ${anyOf("agent", agent)}
          ORDER BY key LIMIT ${ROWS_AT_ONCE}`,
      );
      for (let after = ""; ;) {
        const rows = find.all(after, since ?? 0, ...(target ?? []), ...(agent ?? []));
        yield rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < ROWS_AT_ONCE) return;
        after = last.key;
      }
    },
  };
};
