// When the history was lost: a damaged database was replaced by an empty one. Versions go on above everything that a client
// may have seen, so that they never go back.
import type BetterSqlite3 from "better-sqlite3";
import type { Store } from "../ports/store.ts";

const MARK = "history_lost_at";

export const createLosses = (db: BetterSqlite3.Database): Pick<Store, "noteLoss" | "lostAt"> => {
  const raise = db.prepare<[string, number]>(
    "INSERT INTO high_marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
  );
  const read = db.prepare<[string], number>("SELECT value FROM high_marks WHERE name = ?").pluck();
  const forget = db.prepare("DELETE FROM sqlite_sequence WHERE name = 'state_transitions'");
  const setVersion = db.prepare<[number]>(
    "INSERT INTO sqlite_sequence (name, seq) VALUES ('state_transitions', ?)",
  );
  return {
    noteLoss: db.transaction(({ at, version }: { at: number; version: number }): void => {
      raise.run(MARK, at);
      raise.run("ingested_at", at);
      forget.run();
      setVersion.run(version);
    }),
    lostAt: () => read.get(MARK) ?? null,
  };
};
