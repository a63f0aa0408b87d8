// Tables `states` and `state_transitions`: the current answer, one row per pane, and every change of it, numbered for good.
import type BetterSqlite3 from "better-sqlite3";
import * as z from "zod";
import {
  livenessSchema,
  NO_LIVENESS,
  resolutionSchema,
  runtimeEndSchema,
  activityViewSchema,
  NO_TURN_MARKS,
  turnMarksSchema,
} from "../model/evidence.ts";
import { canonicalStateSchema } from "../model/state.ts";
import { promptRequestSchema, requestView } from "../model/request.ts";
import { formatShortRef } from "../model/shortRef.ts";
import { NO_AGENT, paneIdentitySchema, paneViewSchema, type PaneView } from "../model/view.ts";
import type { NewTransition, Store, Transition, StateRow } from "../ports/store.ts";
import { redactResolution, redactView, redactActivity } from "./redactEvidence.ts";
import { present, type RowReader } from "./rowReader.ts";
import { paneKeySchema } from "../model/runtime.ts";
import type { DeferredWrites } from "./deferredWrites.ts";

// Table `state_transitions`: every change of a state, numbered for good. Its version is the state version and the feed
// version, so numbers are never reused, also not after pruning (AUTOINCREMENT).

interface TransitionRow {
  version: number;
  runtime_id: string;
  at: number;
  evaluated_at: number;
  event_horizon: number;
  previous_state: string | null;
  end_reason: string | null;
  fingerprint: string | null;
  /** The column still has its first name. */
  pulse: string;
  resolution: string | null;
  view: string;
  action_id: string | null;
}
/** In the order of the columns in `APPEND`. */
type NewTransitionRow = [
  runtimeId: string,
  at: number,
  evaluatedAt: number,
  eventHorizon: number,
  state: string | null,
  reasonCode: string | null,
  previousState: string | null,
  end: string | null,
  fingerprint: string | null,
  liveness: string,
  resolution: string | null,
  view: string,
  actionId: string | null,
];
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
 * What is unread is a matter of now, and is kept with the state; the short reference follows from the identity; a work tree is
 * looked at again.
 */
const storedView = (view: PaneView): string => {
  const { unread_since: _, short_ref: __, workspace: ___, ...kept } = redactView(view);
  return withoutNulls(kept);
};

const parseOnto = (values: object, json: string): unknown => {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === "object" && parsed !== null ? { ...values, ...parsed } : parsed;
};

const transitionToRow = (transition: NewTransition): NewTransitionRow => [
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

/** In rows from before 0.2 a request's fields have the daemon's internal names. */
const renewView = (view: unknown): unknown => {
  const older = z.object({ request: promptRequestSchema.strict() }).loose().safeParse(view);
  const renewed = older.success ? { ...older.data, request: requestView(older.data.request) } : view;
  const placed = z.object({ short_ref: z.undefined().optional(), identity: paneIdentitySchema }).loose();
  const unnamed = placed.safeParse(renewed);
  if (!unnamed.success) return renewed;
  const { target, tmux_server: server, pane_id: paneId } = unnamed.data.identity;
  return { ...unnamed.data, short_ref: formatShortRef({ target, server, paneId }) };
};

/** A row as it was stored with the transition of this version; null where it cannot be read. */
export const readStoredView = (rows: RowReader, version: number, view: string): PaneView | null =>
  rows.read(paneViewSchema, "state_transitions", version, () => renewView(parseOnto(NO_AGENT, view)));

const transitionFromRow = (row: TransitionRow): unknown => ({
  version: row.version,
  runtimeId: row.runtime_id,
  at: row.at,
  evaluatedAt: row.evaluated_at,
  eventHorizon: row.event_horizon,
  liveness: parseOnto(NO_LIVENESS, row.pulse),
  resolution: row.resolution === null ? null : (JSON.parse(row.resolution) as unknown),
  fingerprint: row.fingerprint,
  previousState: row.previous_state,
  end: row.end_reason,
  view: renewView(parseOnto(NO_AGENT, row.view)),
  actionId: row.action_id,
});

export const createTransitions = (db: BetterSqlite3.Database, rows: RowReader) => {
  const append = db.prepare<NewTransitionRow>(APPEND);
  const after = db.prepare<[number, number], TransitionRow>(
    "SELECT * FROM state_transitions WHERE version > ? ORDER BY version LIMIT ?",
  );
  const ofRuntime = db.prepare<[string, number], TransitionRow>(
    "SELECT * FROM state_transitions WHERE runtime_id = ? ORDER BY version DESC LIMIT ?",
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

interface StoredState {
  target_id: string;
  server: string;
  pane_id: string;
  runtime_id: string;
  state_version: number;
  last_seen_at: number;
  updated_at: number;
  fingerprint: string | null;
  resolution: string;
  activity: string | null;
  /** Null in rows from before it was kept. */
  turn_marks: string | null;
}
type NewState = StoredState & { state: string; reason_code: string; confidence: string };

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

const stateToRow = (row: StateRow): NewState => ({
  target_id: row.targetId,
  server: row.server,
  pane_id: row.paneId,
  runtime_id: row.runtimeId,
  state: row.resolution.status.state,
  reason_code: row.resolution.status.reasonCode,
  confidence: row.resolution.confidence,
  state_version: row.stateVersion,
  last_seen_at: row.lastSeenAt,
  updated_at: row.updatedAt,
  fingerprint: row.fingerprint,
  resolution: JSON.stringify(redactResolution(row.resolution)),
  activity: row.activity === null ? null : JSON.stringify(redactActivity(row.activity)),
  turn_marks: JSON.stringify(row.marks),
});

const stateFromRow = (row: StoredState): unknown => ({
  targetId: row.target_id,
  server: row.server,
  paneId: row.pane_id,
  runtimeId: row.runtime_id,
  resolution: JSON.parse(row.resolution) as unknown,
  activity: row.activity === null ? null : (JSON.parse(row.activity) as unknown),
  fingerprint: row.fingerprint,
  stateVersion: row.state_version,
  marks: row.turn_marks === null ? NO_TURN_MARKS : (JSON.parse(row.turn_marks) as unknown),
  lastSeenAt: row.last_seen_at,
  updatedAt: row.updated_at,
});

export const createStates = (db: BetterSqlite3.Database, rows: RowReader, last: DeferredWrites) => {
  const put = db.prepare<[NewState]>(`
    INSERT INTO states (target_id, server, pane_id, runtime_id, state, reason_code, confidence, state_version, last_seen_at, updated_at, fingerprint, resolution, activity, turn_marks)
    VALUES (@target_id, @server, @pane_id, @runtime_id, @state, @reason_code, @confidence, @state_version, @last_seen_at, @updated_at, @fingerprint, @resolution, @activity, @turn_marks)
    ON CONFLICT (target_id, server, pane_id) DO UPDATE SET
      runtime_id = excluded.runtime_id, state = excluded.state, reason_code = excluded.reason_code,
      confidence = excluded.confidence, state_version = excluded.state_version, last_seen_at = excluded.last_seen_at,
      updated_at = excluded.updated_at, fingerprint = excluded.fingerprint, resolution = excluded.resolution,
      activity = excluded.activity, turn_marks = excluded.turn_marks`);
  const putMarks = db.prepare<[string, string]>("UPDATE states SET turn_marks = ? WHERE runtime_id = ?");
  const see = db.prepare<[number, string]>("UPDATE states SET last_seen_at = ? WHERE runtime_id = ?");
  const seeAll = db.transaction((seen: Parameters<Store["seeStates"]>[0]): void => {
    for (const { runtimeId, lastSeenAt } of seen) see.run(lastSeenAt, runtimeId);
  });
  const remove = db.prepare<[string]>("DELETE FROM states WHERE runtime_id = ?");
  const list = db.prepare<[], StoredState>("SELECT * FROM states ORDER BY target_id, server, pane_id");
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
        list.all().map((row) => rows.read(stateRowSchema, "states", row.runtime_id, () => stateFromRow(row))),
      );
    },
  } satisfies Partial<Store>;
};
