// Tables `events` and `runtime_source_cursors`: the evidence that was accepted, and how far each source has come.
import type BetterSqlite3 from "better-sqlite3";
import { evidenceSchema, type Evidence, type EvidenceSource } from "../model/evidence.ts";
import type { EventMarks, SourceCursor, Store } from "../ports/store.ts";
import type { IngestMark } from "./watermarks.ts";
import type { DeferredWrites } from "./deferredWrites.ts";
import { createPayloadRedactor } from "./redact.ts";
import { redactEvidence } from "./redactEvidence.ts";
import type { RowReader } from "./rowReader.ts";

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
const toRow = (
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

const fromRow = (row: EventRow): unknown => ({
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
): Pick<
  Store,
  "insertEvent" | "eachEvidence" | "getCursor" | "putCursor" | "lastHookEventAt" | "lastIngestedAt"
> => {
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
      const values = toRow(stored, redactPayload(rawPayload), marks);
      const row = (db.inTransaction ? insertAndMark : insertAlone)(values, evidence.ingestedAt);
      return row === null ? null : { row, evidence: stored };
    },
    eachEvidence: (runtimeId, visit) => {
      for (const row of ofRuntime.iterate(runtimeId)) {
        const evidence = rows.read(evidenceSchema, "events", row.event_row, () => fromRow(row));
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
  };
};
