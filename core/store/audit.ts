// Tables `action_snapshots`, `audit` and `used_keys`: what an action saw, who did what to which pane, and the keys by which one
// acts once. Without the text that was sent.
import type BetterSqlite3 from "better-sqlite3";
import { actionSnapshotSchema } from "../model/action.ts";
import type { Store, Aftermath, AuditEntry } from "../ports/store.ts";
import type { RowReader } from "./rowReader.ts";
import { redactText } from "./redact.ts";

// Table `action_snapshots`: what an action saw when it was prepared.

interface SnapshotRow {
  snapshot_id: string;
  target_id: string;
  server: string;
  pane_id: string;
  runtime_id: string | null;
  state_version: number;
  observed_at: number;
  expires_at: number;
  nonce: string;
  prompt_fingerprint: string | null;
}

const snapshotFromRow = (row: SnapshotRow): unknown => ({
  snapshotId: row.snapshot_id,
  targetId: row.target_id,
  server: row.server,
  paneId: row.pane_id,
  runtimeId: row.runtime_id,
  stateVersion: row.state_version,
  observedAt: row.observed_at,
  expiresAt: row.expires_at,
  nonce: row.nonce,
  promptFingerprint: row.prompt_fingerprint,
});

export const createSnapshots = (db: BetterSqlite3.Database, rows: RowReader) => {
  const insert = db.prepare<[SnapshotRow]>(`
    INSERT INTO action_snapshots (snapshot_id, target_id, server, pane_id, runtime_id, state_version, observed_at, expires_at, nonce, prompt_fingerprint)
    VALUES (@snapshot_id, @target_id, @server, @pane_id, @runtime_id, @state_version, @observed_at, @expires_at, @nonce, @prompt_fingerprint)`);
  const get = db.prepare<[string], SnapshotRow>("SELECT * FROM action_snapshots WHERE snapshot_id = ?");
  return {
    insertSnapshot: (snapshot) => {
      insert.run({
        snapshot_id: snapshot.snapshotId,
        target_id: snapshot.targetId,
        server: snapshot.server,
        pane_id: snapshot.paneId,
        runtime_id: snapshot.runtimeId,
        state_version: snapshot.stateVersion,
        observed_at: snapshot.observedAt,
        expires_at: snapshot.expiresAt,
        nonce: snapshot.nonce,
        prompt_fingerprint: snapshot.promptFingerprint,
      });
    },
    getSnapshot: (snapshotId) => {
      const row = get.get(snapshotId);
      return row === undefined
        ? null
        : rows.read(actionSnapshotSchema, "action_snapshots", row.snapshot_id, () => snapshotFromRow(row));
    },
  } satisfies Partial<Store>;
};

const MAX_REF = 2_000;

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

const auditFromRow = (row: AuditRow): AuditEntry => ({
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

interface AftermathRow {
  action_id: string;
  kind: "event" | "transition";
  at: number;
  version: number | null;
  what: string;
  why: string | null;
}

const toAftermath = ({ action_id, ...row }: AftermathRow): Aftermath => ({ actionId: action_id, ...row });

export const createAudit = (db: BetterSqlite3.Database) => {
  const append = db.prepare<[AuditRow]>(`
    INSERT INTO audit (action_id, at, surface, action, ref, runtime_id, snapshot_id, outcome, prompt_fingerprint, text_length)
    VALUES (@action_id, @at, @surface, @action, @ref, @runtime_id, @snapshot_id, @outcome, @prompt_fingerprint, @text_length)`);
  const list = db.prepare<[number], AuditRow>("SELECT * FROM audit ORDER BY audit_row DESC LIMIT ?");
  const aftermath = db.prepare<[string, string], AftermathRow>(`
    SELECT action_id, 'event' AS kind, ingested_at AS at, NULL AS version, event_type AS what, source AS why
    FROM events WHERE action_id IN (SELECT value FROM json_each(?))
    UNION ALL
    SELECT action_id, 'transition', at, version, coalesce(end_reason, state), reason_code
    FROM state_transitions WHERE action_id IN (SELECT value FROM json_each(?))
    ORDER BY at, kind, version`);
  return {
    appendAudit: (entry) => {
      append.run({
        action_id: entry.actionId,
        at: entry.at,
        surface: entry.surface,
        action: entry.action,
        // The reference as it was typed; if it names no pane, it may be any text.
        ref: redactText(entry.ref, MAX_REF),
        runtime_id: entry.runtimeId,
        snapshot_id: entry.snapshotId,
        outcome: entry.outcome,
        prompt_fingerprint: entry.promptFingerprint,
        text_length: entry.textLength,
      });
    },
    listAudit: (limit) => list.all(limit).map(auditFromRow),
    listAftermath: (actionIds) => {
      const ids = JSON.stringify(actionIds);
      return aftermath.all(ids, ids).map(toAftermath);
    },
  } satisfies Partial<Store>;
};

interface KeyRow {
  scope: string;
  key: string;
  action_id: string;
  at: number;
  result: string | null;
}

export const createUsedKeys = (db: BetterSqlite3.Database) => {
  const insert = db.prepare<[Omit<KeyRow, "result">]>(`
    INSERT INTO used_keys (scope, key, action_id, at) VALUES (@scope, @key, @action_id, @at)
    ON CONFLICT (scope, key) DO NOTHING`);
  const get = db.prepare<[string, string], KeyRow>("SELECT * FROM used_keys WHERE scope = ? AND key = ?");
  const settle = db.prepare<[string, string, string]>(
    "UPDATE used_keys SET result = ? WHERE scope = ? AND key = ?",
  );
  const release = db.prepare<[string, string]>("DELETE FROM used_keys WHERE scope = ? AND key = ?");
  return {
    claimKey: ({ scope, key, actionId, at }) => {
      if (insert.run({ scope, key, action_id: actionId, at }).changes === 1) return null;
      const row = get.get(scope, key);
      if (row === undefined) throw new Error("claim an idempotency key: it is neither free nor taken");
      return { actionId: row.action_id, at: row.at, result: row.result };
    },
    settleKey: (scope, key, result) => {
      settle.run(result, scope, key);
    },
    releaseKey: (scope, key) => {
      release.run(scope, key);
    },
  } satisfies Partial<Store>;
};
