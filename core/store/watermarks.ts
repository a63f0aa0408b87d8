// Table `high_marks`: values that only grow and must survive the pruning of the rows they came from.
import type BetterSqlite3 from "better-sqlite3";
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
