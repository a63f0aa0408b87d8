// Opens the database file, puts the repositories together, and removes what is too old. It owns the connection and its settings;
// what the tables hold is each repository's business.
//
// Durability: write-ahead log with synchronous=NORMAL. A commit has written its pages to the operating system before it
// returns, so it survives `kill -9` of the daemon. NORMAL leaves out the disk flush per commit (it flushes at
// checkpoints): after a power failure the file is consistent but may lack the commits of the last minute. That is enough here,
// because a power failure ends every local agent as well, and it keeps a commit in the tenths of a millisecond on the
// serving loop.
import BetterSqlite3 from "better-sqlite3";
import type { Store } from "../ports/store.ts";
import {
  type DeferredWrites,
  createDeferredWrites,
  createIngestMark,
  createLosses,
} from "./deferredWrites.ts";
import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { AgtmuxError } from "../model/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { createAudit, createUsedKeys, createSnapshots } from "./audit.ts";
import { createJobs, createRules } from "./automation.ts";
import { createEvents, createPending } from "./events.ts";
import { assertUsable, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { createPanes, createRuntimes, createAdapters, createTargets } from "./topology.ts";
import { createRowReader } from "./rowReader.ts";
import { createStates, createTransitions } from "./states.ts";

// Retention: evidence and transitions are removed by age and by number, everything else by age. Kept are evidence of live
// candidates, the newest transition, live runtimes and the watermarks.

/** Evidence that may be removed: all but that of a living runtime that the caller keeps. */
const REMOVABLE = `
  NOT (event_id IN (SELECT value FROM json_each(@keep))
       AND runtime_id IN (SELECT runtime_id FROM runtimes WHERE ended_at IS NULL))`;

const createRetention = (db: BetterSqlite3.Database, last: DeferredWrites) => {
  const eventsByAge = db.prepare<[{ olderThan: number; keep: string }]>(
    `DELETE FROM events WHERE ingested_at < @olderThan AND ${REMOVABLE}`,
  );
  const countEvents = db.prepare<[], number>("SELECT count(*) FROM events").pluck();
  const oldestEvents = db.prepare<[{ excess: number; keep: string }]>(
    `DELETE FROM events WHERE event_row IN (
       SELECT event_row FROM events WHERE ${REMOVABLE} ORDER BY event_row LIMIT @excess)`,
  );
  // The same number bounds both, because an event may make a transition, which takes as much space.
  const oldestTransitions = db.prepare<[number]>(
    "DELETE FROM state_transitions WHERE version <= (SELECT max(version) FROM state_transitions) - ?",
  );
  const byAge = [
    "DELETE FROM state_transitions WHERE at < ? AND version < (SELECT max(version) FROM state_transitions)",
    "DELETE FROM audit WHERE at < ?",
    "DELETE FROM used_keys WHERE at < ?",
    "DELETE FROM action_snapshots WHERE expires_at < ?",
    "DELETE FROM spool_names WHERE at < ?",
    "DELETE FROM pending_events WHERE ingested_at < ?",
    // What is armed stays; what a job reported goes with it.
    "DELETE FROM jobs WHERE expires_at < ? AND state NOT IN ('armed', 'held')",
    // A crashed runtime is still listed while it has a state. Its evidence and cursors are removed with it (cascade).
    `DELETE FROM runtimes WHERE ended_at < ? AND runtime_id NOT IN (SELECT runtime_id FROM states)`,
  ].map((sql) => db.prepare<[number]>(sql));

  return {
    prune: db.transaction(
      (options: { olderThan: number; maxEvents: number; keepEventIds: ReadonlySet<string> }): number => {
        last.settle();
        const keep = JSON.stringify([...options.keepEventIds]);
        const before = countEvents.get() ?? 0;
        eventsByAge.run({ olderThan: options.olderThan, keep });
        const excess = (countEvents.get() ?? 0) - options.maxEvents;
        if (excess > 0) oldestEvents.run({ excess, keep });
        let removed = oldestTransitions.run(options.maxEvents).changes;
        for (const statement of byAge) removed += statement.run(options.olderThan).changes;
        // Counted as a difference, because the cascade removes evidence without reporting it.
        return removed + before - (countEvents.get() ?? 0);
      },
    ),
  } satisfies Partial<Store>;
};

/**
 * How long one statement waits for another process's lock. The database has one owner, so a wait is due to a backup, or to a
 * person who reads the database.
 */
const BUSY_TIMEOUT_MS = 2_000;

/**
 * So many pages the log may have before it is moved into the file. An event changes about ten, most of them again and again, so
 * that a long log is moved with fewer writes; a longer one would hold the serving loop for longer.
 */
const LOG_PAGES = 4_000;
/** The log is moved this long after a commit, however short it is: until then a power failure takes it. */
const FLUSH_MS = 60_000;

/** SQLite gives the log files the mode of the main file, so that one must be private before they exist. */
const createPrivateFile = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
};

const connect = (path: string, logger: Logger): BetterSqlite3.Database => {
  try {
    createPrivateFile(path);
  } catch (cause) {
    throw new AgtmuxError("E_INTERNAL", `Creating the database ${path} failed.`, {
      cause,
      remedy: "Check that the folder exists and is yours.",
    });
  }
  const db = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    assertUsable(db, path, MIGRATIONS);
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    db.pragma("foreign_keys = ON");
    migrate(db, { path, migrations: MIGRATIONS, logger });
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
};

/** To be called after a commit. */
const createFlush = (db: BetterSqlite3.Database, logger: Logger): (() => void) => {
  let isPlanned = false;
  const flush = (): void => {
    isPlanned = false;
    if (!db.open) return;
    try {
      db.pragma("wal_checkpoint(PASSIVE)");
    } catch (error) {
      // What was committed is in the log all the same, and SQLite moves it when the log is long.
      logger.warn({ error }, "the log of the database could not be moved into its file");
    }
  };
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(flush, FLUSH_MS).unref();
  };
};

const createTransactions = (db: BetterSqlite3.Database, deferred: DeferredWrites, logger: Logger) => {
  const flush = createFlush(db, logger);
  // Prepared once: every event of a batch has a savepoint, and better-sqlite3 would build a function for each.
  const begin = db.prepare<[]>("SAVEPOINT one");
  const release = db.prepare<[]>("RELEASE one");
  const undo = db.prepare<[]>("ROLLBACK TO one");
  return {
    transaction: (work) => {
      if (db.inTransaction) throw new Error("store.transaction: already in one; use savepoint");
      const result = db.transaction(() => deferred.inTransaction(work)).immediate();
      flush();
      return result;
    },
    savepoint: (work) => {
      if (!db.inTransaction) throw new Error("store.savepoint: outside of a transaction");
      begin.run();
      try {
        const result = deferred.inSavepoint(work);
        release.run();
        return result;
      } catch (error) {
        // A full disk may have ended the whole transaction already.
        if (db.inTransaction) {
          undo.run();
          release.run();
        }
        throw error;
      }
    },
  } satisfies Partial<Store>;
};

export interface OpenedStore extends Store {
  isOpen(): boolean;
  /** Writes all that was committed to a new database at `path`, for the owner only. No file may exist there. */
  copyTo(path: string): void;
}

const createRepositories = (db: BetterSqlite3.Database, logger: Logger): OpenedStore => {
  const rows = createRowReader(logger);
  const deferred = createDeferredWrites();
  const mark = createIngestMark(db, deferred);
  return {
    ...createTransactions(db, deferred, logger),
    ...createTargets(db, rows, deferred),
    ...createPanes(db, rows),
    ...createRuntimes(db, rows),
    ...createEvents(db, rows, { mark, deferred }),
    ...createPending(db, rows, mark),
    ...createStates(db, rows, deferred),
    ...createTransitions(db, rows),
    ...createSnapshots(db, rows),
    ...createAudit(db),
    ...createUsedKeys(db),
    ...createAdapters(db),
    ...createJobs(db, rows),
    ...createRules(db, rows),
    ...createLosses(db),
    ...createRetention(db, deferred),
    isOpen: () => db.open,
    copyTo: (path) => {
      createPrivateFile(path);
      db.prepare("VACUUM INTO ?").run(path);
    },
    close: () => {
      db.close();
    },
  };
};

/**
 * Opens `path`, creating it (mode 0600) or migrating it as needed. The caller owns the file exclusively (owner lock).
 * @throws AgtmuxError E_DATABASE_NEWER (also for a schema that is not the one of its number), E_DATABASE_DAMAGED (the file is
 *   left as it is in both cases), E_INTERNAL when a migration fails or the file cannot be created.
 */
export const openStore = (options: { path: string; logger: Logger }): OpenedStore => {
  const db = connect(options.path, options.logger);
  try {
    return createRepositories(db, options.logger);
  } catch (error) {
    db.close();
    if (!(error instanceof BetterSqlite3.SqliteError) || error.code !== "SQLITE_ERROR") throw error;
    // A statement names a table or a column that the file lacks: it is of a development version from before 1.0.
    throw new AgtmuxError(
      "E_DATABASE_NEWER",
      `Opening ${options.path}: its schema is not the one that this agtmux knows.`,
      { cause: error },
    );
  }
};
