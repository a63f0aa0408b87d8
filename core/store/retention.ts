// What is forgotten and when. Evidence and transitions are removed by age and by number; everything else by age. These are
// kept: evidence of live candidates, the newest transition, living runtimes and the watermarks.
import type BetterSqlite3 from "better-sqlite3";
import type { Store } from "../ports/store.ts";
import type { DeferredWrites } from "./deferredWrites.ts";

/** Evidence that may be removed: all but that of a living runtime that the caller keeps. */
const REMOVABLE = `
  NOT (event_id IN (SELECT value FROM json_each(@keep))
       AND runtime_id IN (SELECT runtime_id FROM runtimes WHERE ended_at IS NULL))`;

export const createRetention = (db: BetterSqlite3.Database, last: DeferredWrites): Pick<Store, "prune"> => {
  const eventsByAge = db.prepare<[{ olderThan: number; keep: string }]>(
    `DELETE FROM events WHERE ingested_at < @olderThan AND ${REMOVABLE}`,
  );
  const countEvents = db.prepare<[], number>("SELECT count(*) FROM events").pluck();
  const oldestEvents = db.prepare<[{ excess: number; keep: string }]>(
    `DELETE FROM events WHERE event_row IN (
       SELECT event_row FROM events WHERE ${REMOVABLE} ORDER BY event_row LIMIT @excess)`,
  );
  // The same number bounds both, because an event may make a transition, which takes as much room.
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
    // What is armed stays; what a job told goes with it.
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
  };
};
