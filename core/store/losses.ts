// When the history was lost: a database was set aside and replaced by an empty one. Versions go on above everything that a client
// may have seen, so that they never go back.
import type BetterSqlite3 from "better-sqlite3";
import type { LossReason, Store } from "../ports/store.ts";

/** Names in `high_marks`. */
const MARKS: Readonly<Record<LossReason, string>> = {
  damaged: "history_lost_at",
  unreleased: "unreleased_set_aside_at",
};

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
    noteLoss: db.transaction(({ reason, at, version }: Parameters<Store["noteLoss"]>[0]): void => {
      raise.run(MARKS[reason], at);
      raise.run("ingested_at", at);
      forget.run();
      setVersion.run(version);
    }),
    lostAt: (reason) => read.get(MARKS[reason]) ?? null,
  };
};
