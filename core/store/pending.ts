// Tables `pending_events` and `spool_names`: events that wait for a runtime, and the files that were already taken in.
import type BetterSqlite3 from "better-sqlite3";
import * as z from "zod";
import { envelopeSchema } from "../model/envelope.ts";
import type { PendingEvent, Store } from "../ports/store.ts";
import type { IngestMark } from "./watermarks.ts";
import { redactEnvelope } from "./redactEvidence.ts";
import { present, type RowReader } from "./rowReader.ts";

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

const fromRow = (row: PendingRow): unknown => ({
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

export const createPending = (
  db: BetterSqlite3.Database,
  rows: RowReader,
  mark: IngestMark,
): Pick<Store, "addPending" | "listPending" | "removePending" | "rememberSpoolName"> => {
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
          .map((row) => rows.read(pendingSchema, "pending_events", row.pending_row, () => fromRow(row))),
      ),
    removePending: (event) => {
      remove.run(...keyOf(event));
    },
    rememberSpoolName: (targetId, spoolName, at) => remember.run(targetId, spoolName, at).changes > 0,
  };
};
