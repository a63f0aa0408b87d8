// Tables `events`, `runtime_source_cursors`, `pending_events` and `spool_names`: the evidence that was accepted, what waits for a
// runtime, and the files that were taken in.
import type BetterSqlite3 from "better-sqlite3";
import * as z from "zod";
import { envelopeSchema } from "../model/envelope.ts";
import type { PendingEvent, Store, EventMarks, SourceCursor } from "../ports/store.ts";
import type { IngestMark, DeferredWrites } from "./deferredWrites.ts";
import { redactEnvelope, redactEvidence } from "./redactEvidence.ts";
import { columnsOf, present, type RowReader } from "./rowReader.ts";
import { evidenceSchema, type Evidence } from "../model/evidence.ts";
import { createPayloadRedactor } from "./redact.ts";

// Tables `pending_events` and `spool_names`: events that wait for a runtime, and the files that were already taken in.

const PENDING = columnsOf("pendingRow targetId server envelope ingestedAt");
interface PendingRow {
  pendingRow: number;
  targetId: string;
  server: string;
  envelope: string;
  ingestedAt: number;
}

/** How an unknown server is stored. A NULL would not be unique, and no server has an empty name. */
const UNKNOWN_SERVER = "";

const pendingSchema: z.ZodType<PendingEvent> = z.object({
  targetId: z.string(),
  server: z.string().nullable(),
  envelope: envelopeSchema,
  ingestedAt: z.number(),
});

const pendingFromRow = (row: PendingRow): unknown => ({
  ...row,
  server: row.server === UNKNOWN_SERVER ? null : row.server,
  envelope: JSON.parse(row.envelope) as unknown,
});

/** Target, server, source and name. The source is the agent that the file names; nothing else is known of an unbound event. */
const keyOf = (event: PendingEvent): [string, string, string, string] => [
  event.targetId,
  event.server ?? UNKNOWN_SERVER,
  event.envelope.agentType,
  event.envelope.spoolName,
];

export const createPending = (db: BetterSqlite3.Database, rows: RowReader, mark: IngestMark) => {
  const insert = db.prepare<[string, string, string, string, string, number]>(`
    INSERT INTO pending_events (target_id, server, source, spool_name, envelope, ingested_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (target_id, server, source, spool_name) DO NOTHING`);
  const list = db.prepare<[], PendingRow>(`SELECT ${PENDING.read} FROM pending_events ORDER BY pending_row`);
  const remove = db.prepare<[string, string, string, string]>(
    "DELETE FROM pending_events WHERE target_id = ? AND server = ? AND source = ? AND spool_name = ?",
  );
  const remember = db.prepare<[string, string, number]>(
    "INSERT INTO spool_names (target_id, spool_name, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const add = db.transaction((event: PendingEvent): boolean => {
    const envelope = JSON.stringify(redactEnvelope(event.envelope));
    const isNew = insert.run(...keyOf(event), envelope, event.ingestedAt).changes > 0;
    if (isNew) mark.raise(event.ingestedAt);
    return isNew;
  });

  return {
    addPending: (event) => add(event),
    listPending: () =>
      present(
        list
          .all()
          .map((row) =>
            rows.read(pendingSchema, "pending_events", row.pendingRow, () => pendingFromRow(row)),
          ),
      ),
    removePending: (event) => {
      remove.run(...keyOf(event));
    },
    rememberSpoolName: (targetId, spoolName, at) => remember.run(targetId, spoolName, at).changes > 0,
  } satisfies Partial<Store>;
};

const EVENT = columnsOf(
  "eventRow eventId runtimeId eventType source sourceSeq eventTime ingestedAt dedupeKey signal",
);
type EventRow = Omit<Evidence, "signal"> & { eventRow: number; signal: string };
type Bound = (string | number | null)[];
// No RETURNING: SQLite would build a table for the one number that the connection knows anyway.
const INSERT_EVENT = `
  INSERT INTO events (event_id, runtime_id, event_type, source, source_seq, event_time, ingested_at, dedupe_key, signal, raw_payload, action_id, source_event_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (runtime_id, source, dedupe_key) DO NOTHING`;

const CURSOR = columnsOf(
  "runtimeId source lastSourceSeq lastOrderEventTime lastOrderIngestedAt lastOrderEventId",
);

/**
 * `payload` as it may be stored. In the order of the columns in `INSERT_EVENT`, because binding a value by name costs as much as
 * writing it.
 */
const eventToRow = (
  evidence: Evidence,
  payload: unknown,
  { actionId = null, sourceEventId = null }: Partial<EventMarks>,
): Bound => [
  evidence.eventId,
  evidence.runtimeId,
  evidence.eventType,
  evidence.source,
  evidence.sourceSeq,
  evidence.eventTime,
  evidence.ingestedAt,
  evidence.dedupeKey,
  JSON.stringify(evidence.signal),
  JSON.stringify(payload),
  actionId,
  sourceEventId,
];

const eventFromRow = (row: EventRow): unknown => ({ ...row, signal: JSON.parse(row.signal) as unknown });

export const createEvents = (
  db: BetterSqlite3.Database,
  rows: RowReader,
  { mark, deferred }: { mark: IngestMark; deferred: DeferredWrites },
) => {
  const insert = db.prepare<Bound>(INSERT_EVENT);
  const ofRuntime = db.prepare<[string], EventRow>(`SELECT ${EVENT.read} FROM events WHERE runtime_id = ?`);
  const lastHook = db
    .prepare<[string, string], number | null>(
      "SELECT max(ingested_at) FROM events JOIN runtimes USING (runtime_id) WHERE agent_type = ? AND target_id = ? AND source = 'hook'",
    )
    .pluck();
  const getCursor = db.prepare<[string, string], SourceCursor>(
    `SELECT ${CURSOR.read} FROM runtime_source_cursors WHERE runtime_id = ? AND source = ?`,
  );
  const putCursor = db.prepare<[SourceCursor]>(
    `INSERT INTO runtime_source_cursors ${CURSOR.values}
     ON CONFLICT (runtime_id, source) DO UPDATE SET ${CURSOR.updateAllBut("runtimeId source")}`,
  );
  const redactPayload = createPayloadRedactor();
  const insertAndMark = (row: Bound, ingestedAt: number): number | null => {
    const { changes, lastInsertRowid } = insert.run(...row);
    if (changes === 0) return null;
    mark.raise(ingestedAt);
    return Number(lastInsertRowid);
  };
  const insertAlone = db.transaction(insertAndMark);

  return {
    insertEvent: (evidence, rawPayload, marks = {}) => {
      const stored = redactEvidence(evidence);
      const values = eventToRow(stored, redactPayload(rawPayload), marks);
      const row = (db.inTransaction ? insertAndMark : insertAlone)(values, evidence.ingestedAt);
      return row === null ? null : { row, evidence: stored };
    },
    eachEvidence: (runtimeId, visit) => {
      for (const row of ofRuntime.iterate(runtimeId)) {
        const evidence = rows.read(evidenceSchema, "events", row.eventRow, () => eventFromRow(row));
        if (evidence !== null) visit(evidence, row.eventRow);
      }
    },
    getCursor: (runtimeId, source) => {
      deferred.settle();
      return getCursor.get(runtimeId, source) ?? null;
    },
    putCursor: (cursor) => {
      deferred.put(`cursor/${cursor.runtimeId}/${cursor.source}`, () => putCursor.run(cursor));
    },
    lastHookEventAt: (agentType, targetId) => lastHook.get(agentType, targetId) ?? null,
    lastIngestedAt: () => mark.read(),
  } satisfies Partial<Store>;
};
