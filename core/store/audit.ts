// Tables `action_snapshots`, `audit` and `used_keys`: what an action saw, who did what to which pane, and the keys by which one
// acts once. Without the text that was sent.
import type BetterSqlite3 from "better-sqlite3";
import { actionSnapshotSchema, type ActionSnapshot } from "../model/action.ts";
import type { Store, Aftermath, AuditEntry } from "../ports/store.ts";
import { columnsOf, type RowReader } from "./rowReader.ts";
import { redactText } from "./redact.ts";

const SNAPSHOT = columnsOf(
  "snapshotId targetId server paneId runtimeId stateVersion observedAt expiresAt nonce promptFingerprint",
);

export const createSnapshots = (db: BetterSqlite3.Database, rows: RowReader) => {
  const insert = db.prepare<[ActionSnapshot]>(`INSERT INTO action_snapshots ${SNAPSHOT.values}`);
  const get = db.prepare<[string], ActionSnapshot>(
    `SELECT ${SNAPSHOT.read} FROM action_snapshots WHERE snapshot_id = ?`,
  );
  return {
    insertSnapshot: (snapshot) => {
      insert.run(snapshot);
    },
    getSnapshot: (snapshotId) => {
      const row = get.get(snapshotId);
      return row === undefined
        ? null
        : rows.read(actionSnapshotSchema, "action_snapshots", row.snapshotId, () => row);
    },
  } satisfies Partial<Store>;
};

const MAX_REF = 2_000;

const AUDIT = columnsOf(
  "actionId at surface action ref runtimeId snapshotId outcome promptFingerprint textLength",
);

export const createAudit = (db: BetterSqlite3.Database) => {
  const append = db.prepare<[AuditEntry]>(`INSERT INTO audit ${AUDIT.values}`);
  const list = db.prepare<[number], AuditEntry>(
    `SELECT ${AUDIT.read} FROM audit ORDER BY audit_row DESC LIMIT ?`,
  );
  const aftermath = db.prepare<[string, string], Aftermath>(`
    SELECT action_id AS actionId, 'event' AS kind, ingested_at AS at, NULL AS version, event_type AS what, source AS why
    FROM events WHERE action_id IN (SELECT value FROM json_each(?))
    UNION ALL
    SELECT action_id, 'transition', at, version, coalesce(end_reason, state), reason_code
    FROM state_transitions WHERE action_id IN (SELECT value FROM json_each(?))
    ORDER BY at, kind, version`);
  return {
    appendAudit: (entry) => {
      // The reference as it was typed; if it names no pane, it may be any text.
      append.run({ ...entry, ref: redactText(entry.ref, MAX_REF) });
    },
    listAudit: (limit) => list.all(limit),
    listAftermath: (actionIds) => {
      const ids = JSON.stringify(actionIds);
      return aftermath.all(ids, ids);
    },
  } satisfies Partial<Store>;
};

const KEY = columnsOf("scope key actionId at");

export const createUsedKeys = (db: BetterSqlite3.Database) => {
  const insert = db.prepare<[Parameters<Store["claimKey"]>[0]]>(
    `INSERT INTO used_keys ${KEY.values} ON CONFLICT (scope, key) DO NOTHING`,
  );
  const get = db.prepare<[string, string], { actionId: string; at: number; result: string | null }>(
    "SELECT action_id AS actionId, at, result FROM used_keys WHERE scope = ? AND key = ?",
  );
  const settle = db.prepare<[string, string, string]>(
    "UPDATE used_keys SET result = ? WHERE scope = ? AND key = ?",
  );
  const release = db.prepare<[string, string]>("DELETE FROM used_keys WHERE scope = ? AND key = ?");
  return {
    claimKey: (claim) => {
      if (insert.run(claim).changes === 1) return null;
      const row = get.get(claim.scope, claim.key);
      if (row === undefined) throw new Error("claim an idempotency key: it is neither free nor taken");
      return row;
    },
    settleKey: (scope, key, result) => {
      settle.run(result, scope, key);
    },
    releaseKey: (scope, key) => {
      release.run(scope, key);
    },
  } satisfies Partial<Store>;
};
