// Tables `targets` and `adapters`: the machines that are watched, and the adapters that this daemon last ran with.
import type BetterSqlite3 from "better-sqlite3";
import { targetSchema, type Target } from "../model/runtime.ts";
import type { Store } from "../ports/store.ts";
import type { DeferredWrites } from "./deferredWrites.ts";
import { present, type RowReader } from "./rowReader.ts";

interface TargetRow {
  target_id: string;
  target_name: string;
  kind: string;
  connection_ref: string | null;
  is_default: number;
  last_seen_at: number | null;
  health: string;
  health_reason: string | null;
  updated_at: number;
}

const toRow = (target: Target): TargetRow => ({
  target_id: target.targetId,
  target_name: target.targetName,
  kind: target.kind,
  connection_ref: target.connectionRef,
  is_default: target.isDefault ? 1 : 0,
  last_seen_at: target.lastSeenAt,
  health: target.health,
  health_reason: target.healthReason,
  updated_at: target.updatedAt,
});

const fromRow = (row: TargetRow): unknown => ({
  targetId: row.target_id,
  targetName: row.target_name,
  kind: row.kind,
  connectionRef: row.connection_ref,
  isDefault: row.is_default === 1,
  lastSeenAt: row.last_seen_at,
  health: row.health,
  healthReason: row.health_reason,
  updatedAt: row.updated_at,
});

export const createTargets = (
  db: BetterSqlite3.Database,
  rows: RowReader,
  last: DeferredWrites,
): Pick<Store, "upsertTarget" | "listTargets" | "removeTarget"> => {
  const upsert = db.prepare<[TargetRow]>(`
    INSERT INTO targets (target_id, target_name, kind, connection_ref, is_default, last_seen_at, health, health_reason, updated_at)
    VALUES (@target_id, @target_name, @kind, @connection_ref, @is_default, @last_seen_at, @health, @health_reason, @updated_at)
    ON CONFLICT (target_id) DO UPDATE SET
      target_name = excluded.target_name, kind = excluded.kind, connection_ref = excluded.connection_ref,
      is_default = excluded.is_default, last_seen_at = excluded.last_seen_at, health = excluded.health,
      health_reason = excluded.health_reason, updated_at = excluded.updated_at`);
  const list = db.prepare<[], TargetRow>("SELECT * FROM targets ORDER BY is_default DESC, target_name");
  const removals = ["states", "panes", "pending_events", "targets"].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE target_id = ?`),
  );
  return {
    removeTarget: (targetId) => {
      last.settle();
      for (const removal of removals) removal.run(targetId);
    },
    upsertTarget: (target) => {
      upsert.run(toRow(target));
    },
    listTargets: () =>
      present(list.all().map((row) => rows.read(targetSchema, "targets", row.target_id, () => fromRow(row)))),
  };
};

export const createAdapters = (db: BetterSqlite3.Database): Pick<Store, "upsertAdapter"> => {
  const upsert = db.prepare<[string, string, string, string, number, number]>(`
    INSERT INTO adapters (adapter_name, agent_type, version, capabilities, enabled, updated_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (adapter_name) DO UPDATE SET
      agent_type = excluded.agent_type, version = excluded.version, capabilities = excluded.capabilities,
      enabled = excluded.enabled, updated_at = excluded.updated_at`);
  return {
    upsertAdapter: (row) => {
      upsert.run(
        row.adapterName,
        row.agentType,
        row.version,
        JSON.stringify(row.capabilities),
        row.enabled ? 1 : 0,
        row.updatedAt,
      );
    },
  };
};
