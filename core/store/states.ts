// Tables `states` and `state_transitions`: the current answer, one row per pane, and every change of it, numbered for good.
import type BetterSqlite3 from "better-sqlite3";
import * as z from "zod";
import {
  livenessSchema,
  NO_LIVENESS,
  resolutionSchema,
  runtimeEndSchema,
  activityViewSchema,
  turnMarksSchema,
} from "../model/evidence.ts";
import { canonicalStateSchema } from "../model/state.ts";
import { formatShortRef } from "../model/shortRef.ts";
import { placeIdOf } from "../model/shortRef.ts";
import { NO_AGENT, paneIdentitySchema, paneViewSchema, type PaneView } from "../model/view.ts";
import type { NewTransition, Store, Transition, StateRow } from "../ports/store.ts";
import { redactResolution, redactView, redactActivity } from "./redactEvidence.ts";
import { columnsOf, present, type RowReader } from "./rowReader.ts";
import { paneKeySchema } from "../model/runtime.ts";
import type { DeferredWrites } from "./deferredWrites.ts";

// `state_transitions`: the version of a change is the state version and the feed version, so numbers are never reused, also not
// after pruning (AUTOINCREMENT).

const TRANSITION = columnsOf(
  "version runtimeId at evaluatedAt eventHorizon previousState fingerprint resolution view actionId",
);
/** The column of the liveness still has its first name. */
const READ_TRANSITION = `SELECT ${TRANSITION.read}, pulse AS liveness, end_reason AS "end" FROM state_transitions`;
type TransitionRow = Omit<Transition, "liveness" | "resolution" | "view"> & {
  liveness: string;
  resolution: string | null;
  view: string;
};
const APPEND = `
  INSERT INTO state_transitions (runtime_id, at, evaluated_at, event_horizon, state, reason_code, previous_state, end_reason, fingerprint, pulse, resolution, view, action_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const transitionSchema: z.ZodType<Transition> = z.object({
  version: z.number().int(),
  runtimeId: z.string(),
  at: z.number(),
  evaluatedAt: z.number(),
  eventHorizon: z.number().int(),
  liveness: livenessSchema,
  resolution: resolutionSchema.nullable(),
  fingerprint: z.string().nullable(),
  previousState: canonicalStateSchema.nullable(),
  end: runtimeEndSchema.nullable(),
  view: paneViewSchema,
  actionId: z.string().nullable(),
});

/** Transitions are most of the database, so what is null is left out of them, and is null again when they are read. */
const withoutNulls = (values: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)));

/**
 * What is unread, muted and named is a matter of now, and is kept with the state or the runtime; the short reference follows from the identity; a worktree is
 * looked at again.
 */
const storedView = (view: PaneView): string => {
  const {
    unread_since: _,
    short_ref: __,
    workspace: ___,
    muted: ____,
    name: _____,
    ...kept
  } = redactView(view);
  return withoutNulls(kept);
};

const parseOnto = (values: object, json: string): unknown => {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === "object" && parsed !== null ? { ...values, ...parsed } : parsed;
};

/** In the order of the columns in `APPEND`. */
const transitionToRow = (transition: NewTransition): (string | number | null)[] => [
  transition.runtimeId,
  transition.at,
  transition.evaluatedAt,
  transition.eventHorizon,
  transition.resolution?.status.state ?? null,
  transition.resolution?.status.reasonCode ?? null,
  transition.previousState,
  transition.end,
  transition.fingerprint,
  withoutNulls(transition.liveness),
  transition.resolution === null ? null : JSON.stringify(redactResolution(transition.resolution)),
  storedView(transition.view),
  transition.actionId,
];

const placedSchema = z
  .object({
    identity: paneIdentitySchema,
    background: z.object({ id: z.string() }).nullable().default(null),
  })
  .loose();

/** With what `storedView` left out because it follows from the rest. */
const viewFrom = (json: string): unknown => {
  const view = parseOnto(NO_AGENT, json);
  const placed = placedSchema.safeParse(view);
  if (!placed.success) return view;
  const { target, tmux_server: server } = placed.data.identity;
  return { ...placed.data, short_ref: formatShortRef({ target, server, paneId: placeIdOf(placed.data) }) };
};

/** A row as it was stored with the transition of this version; null where it cannot be read. */
export const readStoredView = (rows: RowReader, version: number, view: string): PaneView | null =>
  rows.read(paneViewSchema, "state_transitions", version, () => viewFrom(view));

const transitionFromRow = (row: TransitionRow): unknown => ({
  ...row,
  liveness: parseOnto(NO_LIVENESS, row.liveness),
  resolution: row.resolution === null ? null : (JSON.parse(row.resolution) as unknown),
  view: viewFrom(row.view),
});

export const createTransitions = (db: BetterSqlite3.Database, rows: RowReader) => {
  const append = db.prepare<(string | number | null)[]>(APPEND);
  const after = db.prepare<[number, number], TransitionRow>(
    `${READ_TRANSITION} WHERE version > ? ORDER BY version LIMIT ?`,
  );
  const ofRuntime = db.prepare<[string, number], TransitionRow>(
    `${READ_TRANSITION} WHERE runtime_id = ? ORDER BY version DESC LIMIT ?`,
  );
  // Two subqueries: SQLite finds each end in the index, but scans the table for both at once.
  const range = db.prepare<[], { first: number | null; last: number | null; given: number | null }>(`
    SELECT (SELECT min(version) FROM state_transitions) AS first, (SELECT max(version) FROM state_transitions) AS last,
      (SELECT seq FROM sqlite_sequence WHERE name = 'state_transitions') AS given`);
  const firstSince = db
    .prepare<[number], number | null>("SELECT min(version) FROM state_transitions WHERE at >= ?")
    .pluck();
  const read = (row: TransitionRow): Transition | null =>
    rows.read(transitionSchema, "state_transitions", row.version, () => transitionFromRow(row));

  return {
    appendTransition: (transition) => Number(append.run(...transitionToRow(transition)).lastInsertRowid),
    listTransitionsAfter: (version, limit) => present(after.all(version, limit).map(read)),
    listTransitionsOf: (runtimeId, limit) => present(ofRuntime.all(runtimeId, limit).map(read)),
    transitionRange: () => {
      const found = range.get();
      const given = found?.given ?? 0;
      return { first: found?.first ?? (given === 0 ? 0 : given + 1), last: found?.last ?? given };
    },
    firstVersionSince: (at) => firstSince.get(at) ?? null,
  } satisfies Partial<Store>;
};

const STATE = columnsOf(
  "targetId server paneId runtimeId state reasonCode confidence stateVersion lastSeenAt updatedAt fingerprint resolution activity turnMarks",
);
type StoredState = Omit<StateRow, "resolution" | "activity" | "marks"> & {
  resolution: string;
  activity: string | null;
  turnMarks: string;
};

const stateRowSchema: z.ZodType<StateRow> = paneKeySchema.extend({
  runtimeId: z.string(),
  resolution: resolutionSchema,
  activity: activityViewSchema.nullable(),
  fingerprint: z.string().nullable(),
  stateVersion: z.number().int(),
  marks: turnMarksSchema,
  lastSeenAt: z.number(),
  updatedAt: z.number(),
});

const stateToRow = ({ marks, ...row }: StateRow): StoredState & { state: string; confidence: string } => ({
  ...row,
  ...row.resolution.status,
  confidence: row.resolution.confidence,
  resolution: JSON.stringify(redactResolution(row.resolution)),
  activity: row.activity === null ? null : JSON.stringify(redactActivity(row.activity)),
  turnMarks: JSON.stringify(marks),
});

const stateFromRow = (row: StoredState): unknown => ({
  ...row,
  resolution: JSON.parse(row.resolution) as unknown,
  activity: row.activity === null ? null : (JSON.parse(row.activity) as unknown),
  marks: JSON.parse(row.turnMarks) as unknown,
});

export const createStates = (db: BetterSqlite3.Database, rows: RowReader, last: DeferredWrites) => {
  const put = db.prepare<[StoredState]>(
    `INSERT INTO states ${STATE.values}
     ON CONFLICT (target_id, server, pane_id) DO UPDATE SET ${STATE.updateAllBut("targetId server paneId")}`,
  );
  const putMarks = db.prepare<[string, string]>("UPDATE states SET turn_marks = ? WHERE runtime_id = ?");
  const see = db.prepare<[number, string]>("UPDATE states SET last_seen_at = ? WHERE runtime_id = ?");
  const seeAll = db.transaction((seen: Parameters<Store["seeStates"]>[0]): void => {
    for (const { runtimeId, lastSeenAt } of seen) see.run(lastSeenAt, runtimeId);
  });
  const remove = db.prepare<[string]>("DELETE FROM states WHERE runtime_id = ?");
  const list = db.prepare<[], StoredState>(
    `SELECT ${STATE.read} FROM states ORDER BY target_id, server, pane_id`,
  );
  return {
    putState: (row) => {
      // A pane has one row; of several states within a transaction only the last can be read back.
      last.put(`state/${row.targetId}/${row.server}/${row.paneId}`, () => put.run(stateToRow(row)));
    },
    putTurnMarks: (runtimeId, marks) => {
      last.settle();
      putMarks.run(JSON.stringify(marks), runtimeId);
    },
    seeStates: (seen) => {
      last.settle();
      seeAll(seen);
    },
    deleteState: (runtimeId) => {
      last.settle();
      remove.run(runtimeId);
    },
    listStates: () => {
      last.settle();
      return present(
        list.all().map((row) => rows.read(stateRowSchema, "states", row.runtimeId, () => stateFromRow(row))),
      );
    },
  } satisfies Partial<Store>;
};
