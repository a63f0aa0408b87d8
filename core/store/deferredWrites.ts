// Rows of which only the last value counts (states, cursors, the ingest mark) are written at the end of the transaction, so
// that a batch of hundreds of events writes each once. They are in the same commit as the rows that they belong to, and a
// failed savepoint takes its own values back. Outside of a transaction every write happens at once. Also table `high_marks`.
import type BetterSqlite3 from "better-sqlite3";
import type { Store } from "../ports/store.ts";

interface Waiting {
  rank: number;
  write: () => void;
}

const putInto = (waiting: Map<string, Waiting>, key: string, one: Waiting): void => {
  const known = waiting.get(key);
  if (known === undefined || known.rank <= one.rank) waiting.set(key, one);
};

export const createDeferredWrites = () => {
  let waiting: Map<string, Waiting> | null = null;
  /** The values that waited before each open savepoint, so that they can be put back when the savepoint fails. */
  let outer: Map<string, Waiting>[] = [];
  let undo: (() => void)[] = [];

  const writeAll = (values: Map<string, Waiting>): void => {
    for (const { write } of values.values()) write();
    values.clear();
  };
  const settle = (): void => {
    if (waiting === null) return;
    for (const values of outer) {
      if (values.size === 0) continue;
      const before = [...values];
      undo.push(() => {
        for (const [key, one] of before) values.set(key, one);
      });
      writeAll(values);
    }
    writeAll(waiting);
  };

  return {
    /** Writes the waiting values. To be called before such rows are read or deleted. */
    settle,
    /** Replaces what waits under `key`, unless that has a higher `rank`. `write` must not fail because of the row's content. */
    put: (key: string, write: () => void, rank: number = 0): void => {
      if (waiting === null) write();
      else putInto(waiting, key, { rank, write });
    },
    /** Wraps the work of a transaction; called within the transaction. */
    inTransaction: <T>(work: () => T): T => {
      waiting = new Map();
      outer = [];
      undo = [];
      try {
        const result = work();
        settle();
        return result;
      } finally {
        waiting = null;
        outer = [];
        undo = [];
      }
    },
    /** Wraps the work of a savepoint; called within the savepoint. */
    inSavepoint: <T>(work: () => T): T => {
      const before = waiting;
      if (before === null) return work();
      const own = new Map<string, Waiting>();
      outer.push(before);
      waiting = own;
      const undoFrom = undo.length;
      try {
        const result = work();
        for (const [key, one] of own) putInto(before, key, one);
        return result;
      } catch (error) {
        for (const restore of undo.splice(undoFrom).toReversed()) restore();
        throw error;
      } finally {
        outer.pop();
        waiting = before;
      }
    },
  };
};

export type DeferredWrites = ReturnType<typeof createDeferredWrites>;

/** Table `high_marks`: values that only grow and must survive the pruning of the rows they came from. */
export const createIngestMark = (db: BetterSqlite3.Database, deferred: DeferredWrites) => {
  const raise = db.prepare<[number]>(
    "UPDATE high_marks SET value = max(value, ?) WHERE name = 'ingested_at'",
  );
  const read = db.prepare<[], number>("SELECT value FROM high_marks WHERE name = 'ingested_at'").pluck();
  return {
    /** Raises the mark to `at` (epoch ms) when that is higher. */
    raise: (at: number): void => {
      deferred.put("ingested_at", () => raise.run(at), at);
    },
    /** Highest `ingested_at` ever stored; 0 when none. */
    read: (): number => {
      deferred.settle();
      return read.get() ?? 0;
    },
  };
};

export type IngestMark = ReturnType<typeof createIngestMark>;

/** When the history was lost to an empty database. Versions continue above all that a client may have seen: they never go back. */
export const createLosses = (db: BetterSqlite3.Database) => {
  const raise = db.prepare<[string, number]>(
    "INSERT INTO high_marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
  );
  const read = db.prepare<[], number>("SELECT value FROM high_marks WHERE name = 'history_lost_at'").pluck();
  const forget = db.prepare("DELETE FROM sqlite_sequence WHERE name = 'state_transitions'");
  const setVersion = db.prepare<[number]>(
    "INSERT INTO sqlite_sequence (name, seq) VALUES ('state_transitions', ?)",
  );
  const note = db.transaction(({ at, version }: { at: number; version: number }): void => {
    raise.run("history_lost_at", at);
    raise.run("ingested_at", at);
    forget.run();
    setVersion.run(version);
  });
  return {
    noteLoss: (loss) => note(loss),
    lostAt: () => read.get() ?? null,
  } satisfies Partial<Store>;
};
