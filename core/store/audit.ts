// Table `audit`: who did what to which pane, and how it ended. It holds no text that was sent.
import type BetterSqlite3 from "better-sqlite3";
import type { AuditEntry, Store } from "../ports/store.ts";

interface AuditRow {
  action_id: string;
  at: number;
  surface: string;
  action: string;
  ref: string;
  runtime_id: string | null;
  snapshot_id: string | null;
  outcome: string;
  prompt_fingerprint: string | null;
  text_length: number | null;
}

const fromRow = (row: AuditRow): AuditEntry => ({
  actionId: row.action_id,
  at: row.at,
  surface: row.surface,
  action: row.action,
  ref: row.ref,
  runtimeId: row.runtime_id,
  snapshotId: row.snapshot_id,
  outcome: row.outcome,
  promptFingerprint: row.prompt_fingerprint,
  textLength: row.text_length,
});

export const createAudit = (db: BetterSqlite3.Database): Pick<Store, "appendAudit" | "listAudit"> => {
  const append = db.prepare<[AuditRow]>(`
    INSERT INTO audit (action_id, at, surface, action, ref, runtime_id, snapshot_id, outcome, prompt_fingerprint, text_length)
    VALUES (@action_id, @at, @surface, @action, @ref, @runtime_id, @snapshot_id, @outcome, @prompt_fingerprint, @text_length)`);
  const list = db.prepare<[number], AuditRow>("SELECT * FROM audit ORDER BY audit_row DESC LIMIT ?");
  return {
    appendAudit: (entry) => {
      append.run({
        action_id: entry.actionId,
        at: entry.at,
        surface: entry.surface,
        action: entry.action,
        ref: entry.ref,
        runtime_id: entry.runtimeId,
        snapshot_id: entry.snapshotId,
        outcome: entry.outcome,
        prompt_fingerprint: entry.promptFingerprint,
        text_length: entry.textLength,
      });
    },
    /** Newest first. */
    listAudit: (limit) => list.all(limit).map(fromRow),
  };
};
