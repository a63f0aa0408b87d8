// Reads an agent's database, which the agent may be writing at this moment and whose content is hostile. It is opened for
// reading alone and for a moment; only plain tables are asked, because a view or a computed column would be somebody's program.
import { lstat } from "node:fs/promises";
import BetterSqlite3 from "better-sqlite3";
import { errorCodeOf, isMissing } from "../../core/model/systemError.ts";
import type { LogLine, ReadRows } from "../../core/ports/agentHistory.ts";

/** When the database last changed, in epoch ms, by its file or the log beside it; null where there is none. */
export const changedAt = async (path: string): Promise<number | null> => {
  const times = await Promise.all(
    [path, `${path}-wal`].map(async (file) => {
      try {
        const stat = await lstat(file);
        return stat.isFile() ? stat.mtimeMs : null;
      } catch (error) {
        if (isMissing(error) || errorCodeOf(error) === "EACCES") return null;
        throw error;
      }
    }),
  );
  const [own = null] = times;
  return own === null ? null : Math.max(...times.map((time) => time ?? 0));
};

const isPlain = (db: BetterSqlite3.Database, table: string): boolean =>
  db
    .prepare<[string], number>(
      "SELECT count(*) FROM sqlite_schema WHERE name = ? AND type = 'table' AND rootpage > 0",
    )
    .pluck()
    .get(table) === 1 &&
  db
    .prepare<[string], number>("SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden <> 0")
    .pluck()
    .get(table) === 0;

/** Null where there is no such database, or one of its tables is no plain table. */
export const withForeignDb = <T>(
  path: string,
  tables: readonly string[],
  work: (rows: ReadRows) => T,
): T | null => {
  let db: BetterSqlite3.Database;
  try {
    db = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 20 });
  } catch (error) {
    if (errorCodeOf(error) === "SQLITE_CANTOPEN") return null;
    throw error;
  }
  try {
    db.pragma("trusted_schema = OFF");
    db.pragma("cell_size_check = ON");
    if (!tables.every((table) => isPlain(db, table))) return null;
    return work((sql, ...values) => db.prepare<(string | number)[], LogLine>(sql).all(...values));
  } finally {
    db.close();
  }
};
