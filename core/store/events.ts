// Tables `events`, `runtime_source_cursors`, `pending_events` and `spool_names`: the evidence that was accepted, what waits for a
// runtime, and the files that were taken in.
import type BetterSqlite3 from "better-sqlite3";
import * as z from "zod";
import { envelopeSchema } from "../model/envelope.ts";
import type { PendingEvent, Store, EventMarks, SourceCursor } from "../ports/store.ts";
import type { IngestMark, DeferredWrites } from "./deferredWrites.ts";
import { redactEnvelope, redactEvidence } from "./redactEvidence.ts";
import { present, type RowReader } from "./rowReader.ts";
import { evidenceSchema, type Evidence, type EvidenceSource } from "../model/evidence.ts";
import { createPayloadRedactor } from "./redact.ts";

// Tables `pending_events` and `spool_names`: events that wait for a runtime, and the files that were already taken in.

interface PendingRow {
  pending_row: number;
  target_id: string;
  server: string;
  envelope: string;
  ingested_at: number;
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
  targetId: row.target_id,
  server: row.server === UNKNOWN_SERVER ? null : row.server,
  envelope: JSON.parse(row.envelope) as unknown,
  ingestedAt: row.ingested_at,
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
  const list = db.prepare<[], PendingRow>(
    "SELECT pending_row, target_id, server, envelope, ingested_at FROM pending_events ORDER BY pending_row",
  );
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
            rows.read(pendingSchema, "pending_events", row.pending_row, () => pendingFromRow(row)),
          ),
      ),
    removePending: (event) => {
      remove.run(...keyOf(event));
    },
    rememberSpoolName: (targetId, spoolName, at) => remember.run(targetId, spoolName, at).changes > 0,
  } satisfies Partial<Store>;
};

interface EventRow {
  event_row: number;
  event_id: string;
  runtime_id: string;
  event_type: string;
  source: string;
  source_seq: number | null;
  event_time: number;
  ingested_at: number;
  dedupe_key: string;
  signal: string;
}
/** In the order of the columns in `INSERT_EVENT`, because binding a value by name costs as much as writing it. */
type NewEventRow = [
  eventId: string,
  runtimeId: string,
  eventType: string,
  source: string,
  sourceSeq: number | null,
  eventTime: number,
  ingestedAt: number,
  dedupeKey: string,
  signal: string,
  rawPayload: string,
  actionId: string | null,
  sourceEventId: string | null,
];
// No RETURNING: SQLite would build a table for the one number that the connection knows anyway.
const INSERT_EVENT = `
  INSERT INTO events (event_id, runtime_id, event_type, source, source_seq, event_time, ingested_at, dedupe_key, signal, raw_payload, action_id, source_event_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (runtime_id, source, dedupe_key) DO NOTHING`;

interface CursorRow {
  runtime_id: string;
  source: EvidenceSource;
  last_source_seq: number | null;
  last_order_event_time: number;
  last_order_ingested_at: number;
  last_order_event_id: string;
}

/** `payload` as it may be stored. */
const eventToRow = (
  evidence: Evidence,
  payload: unknown,
  { actionId = null, sourceEventId = null }: Partial<EventMarks>,
): NewEventRow => [
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

const eventFromRow = (row: EventRow): unknown => ({
  eventId: row.event_id,
  runtimeId: row.runtime_id,
  source: row.source,
  eventType: row.event_type,
  sourceSeq: row.source_seq,
  eventTime: row.event_time,
  ingestedAt: row.ingested_at,
  dedupeKey: row.dedupe_key,
  signal: JSON.parse(row.signal) as unknown,
});

export const createEvents = (
  db: BetterSqlite3.Database,
  rows: RowReader,
  { mark, deferred }: { mark: IngestMark; deferred: DeferredWrites },
) => {
  const insert = db.prepare<NewEventRow>(INSERT_EVENT);
  const ofRuntime = db.prepare<[string], EventRow>(`
    SELECT event_row, event_id, runtime_id, event_type, source, source_seq, event_time, ingested_at, dedupe_key, signal
    FROM events WHERE runtime_id = ?`);
  const lastHook = db
    .prepare<[string, string], number | null>(
      "SELECT max(ingested_at) FROM events JOIN runtimes USING (runtime_id) WHERE agent_type = ? AND target_id = ? AND source = 'hook'",
    )
    .pluck();
  const getCursor = db.prepare<[string, string], CursorRow>(
    "SELECT * FROM runtime_source_cursors WHERE runtime_id = ? AND source = ?",
  );
  const putCursor = db.prepare<[CursorRow]>(`
    INSERT INTO runtime_source_cursors (runtime_id, source, last_source_seq, last_order_event_time, last_order_ingested_at, last_order_event_id)
    VALUES (@runtime_id, @source, @last_source_seq, @last_order_event_time, @last_order_ingested_at, @last_order_event_id)
    ON CONFLICT (runtime_id, source) DO UPDATE SET
      last_source_seq = excluded.last_source_seq, last_order_event_time = excluded.last_order_event_time,
      last_order_ingested_at = excluded.last_order_ingested_at, last_order_event_id = excluded.last_order_event_id`);
  const redactPayload = createPayloadRedactor();
  const insertAndMark = (row: NewEventRow, ingestedAt: number): number | null => {
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
        const evidence = rows.read(evidenceSchema, "events", row.event_row, () => eventFromRow(row));
        if (evidence !== null) visit(evidence, row.event_row);
      }
    },
    getCursor: (runtimeId, source): SourceCursor | null => {
      deferred.settle();
      const row = getCursor.get(runtimeId, source);
      if (row === undefined) return null;
      return {
        runtimeId: row.runtime_id,
        source: row.source,
        lastSourceSeq: row.last_source_seq,
        lastOrderEventTime: row.last_order_event_time,
        lastOrderIngestedAt: row.last_order_ingested_at,
        lastOrderEventId: row.last_order_event_id,
      };
    },
    putCursor: (cursor) => {
      deferred.put(`cursor/${cursor.runtimeId}/${cursor.source}`, () =>
        putCursor.run({
          runtime_id: cursor.runtimeId,
          source: cursor.source,
          last_source_seq: cursor.lastSourceSeq,
          last_order_event_time: cursor.lastOrderEventTime,
          last_order_ingested_at: cursor.lastOrderIngestedAt,
          last_order_event_id: cursor.lastOrderEventId,
        }),
      );
    },
    lastHookEventAt: (agentType, targetId) => lastHook.get(agentType, targetId) ?? null,
    lastIngestedAt: () => mark.read(),
  } satisfies Partial<Store>;
};
