// Table `states`: the current answer, one row per pane. A new runtime in a pane takes over the row of the one before.
import type BetterSqlite3 from "better-sqlite3";
import * as z from "zod";
import { activityViewSchema } from "../model/activity.ts";
import { resolutionSchema } from "../model/resolution.ts";
import { paneKeySchema } from "../model/runtime.ts";
import { NO_TURN_MARKS, turnMarksSchema } from "../model/turnMarks.ts";
import type { StateRow, Store } from "../ports/store.ts";
import type { DeferredWrites } from "./deferredWrites.ts";
import { redactActivity, redactResolution } from "./redactEvidence.ts";
import { present, type RowReader } from "./rowReader.ts";

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

const toRow = (row: StateRow): NewState => ({
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

const fromRow = (row: StoredState): unknown => ({
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

export const createStates = (
  db: BetterSqlite3.Database,
  rows: RowReader,
  last: DeferredWrites,
): Pick<Store, "putState" | "putTurnMarks" | "seeStates" | "deleteState" | "listStates"> => {
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
      last.put(`state/${row.targetId}/${row.server}/${row.paneId}`, () => put.run(toRow(row)));
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
        list.all().map((row) => rows.read(stateRowSchema, "states", row.runtime_id, () => fromRow(row))),
      );
    },
  };
};
