// Table `high_marks`: values that only grow and must survive the pruning of the rows they came from.
import type BetterSqlite3 from "better-sqlite3";
import type { LossReason, Store } from "../ports/store.ts";
import type { DeferredWrites } from "./deferredWrites.ts";

export interface IngestMark {
  /** Raises the mark to `at` (epoch ms) when that is higher. */
  raise(at: number): void;
  /** Highest `ingested_at` ever stored; 0 when none. */
  read(): number;
}

export const createIngestMark = (db: BetterSqlite3.Database, deferred: DeferredWrites): IngestMark => {
  const raise = db.prepare<[number]>(
    "UPDATE high_marks SET value = max(value, ?) WHERE name = 'ingested_at'",
  );
  const read = db.prepare<[], number>("SELECT value FROM high_marks WHERE name = 'ingested_at'").pluck();
  return {
    raise: (at) => {
      deferred.put("ingested_at", () => raise.run(at), at);
    },
    read: () => {
      deferred.settle();
      return read.get() ?? 0;
    },
  };
};

/** Names of the times at which a database was set aside. */
const LOST_AT: Readonly<Record<LossReason, string>> = {
  damaged: "history_lost_at",
  unreleased: "unreleased_set_aside_at",
};

// When the history was lost: a database was set aside and replaced by an empty one. Versions continue above everything that a
// client may have seen, so that they never go back.
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
      raise.run(LOST_AT[reason], at);
      raise.run("ingested_at", at);
      forget.run();
      setVersion.run(version);
    }),
    lostAt: (reason) => read.get(LOST_AT[reason]) ?? null,
  };
};
