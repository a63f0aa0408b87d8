// Tables `targets`, `adapters`, `panes`, `runtimes` and `pane_epochs`: what exists, before any state is claimed about it.
import type BetterSqlite3 from "better-sqlite3";
import {
  targetSchema,
  type Target,
  paneSchema,
  type Pane,
  runtimeSchema,
  type Runtime,
} from "../model/runtime.ts";
import type { Store } from "../ports/store.ts";
import type { DeferredWrites } from "./deferredWrites.ts";
import { present, type RowReader } from "./rowReader.ts";
import { redactPane } from "./redactEvidence.ts";

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

const targetToRow = (target: Target): TargetRow => ({
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

const targetFromRow = (row: TargetRow): unknown => ({
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

export const createTargets = (db: BetterSqlite3.Database, rows: RowReader, last: DeferredWrites) => {
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
      upsert.run(targetToRow(target));
    },
    listTargets: () =>
      present(
        list.all().map((row) => rows.read(targetSchema, "targets", row.target_id, () => targetFromRow(row))),
      ),
  } satisfies Partial<Store>;
};

export const createAdapters = (db: BetterSqlite3.Database) => {
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
  } satisfies Partial<Store>;
};

// Table `panes`: the topology as last listed, per tmux server. The specification's columns stand beside a JSON column
// with the rest of the row, which changes with tmux's formats and is never queried by SQL.

interface StoredPaneRow {
  target_id: string;
  server: string;
  pane_id: string;
  session_name: string;
  window_id: string;
  window_name: string;
  detail: string;
  updated_at: number;
}

const paneToRow = (pane: Pane): StoredPaneRow => {
  const { targetId, server, paneId, sessionName, windowId, windowName, updatedAt, ...detail } =
    redactPane(pane);
  return {
    target_id: targetId,
    server,
    pane_id: paneId,
    session_name: sessionName,
    window_id: windowId,
    window_name: windowName,
    detail: JSON.stringify(detail),
    updated_at: updatedAt,
  };
};

const paneFromRow = (row: StoredPaneRow): unknown =>
  Object.assign(JSON.parse(row.detail), {
    targetId: row.target_id,
    server: row.server,
    paneId: row.pane_id,
    sessionName: row.session_name,
    windowId: row.window_id,
    windowName: row.window_name,
    updatedAt: row.updated_at,
  });

/** A new time of listing alone is not a change: `updated_at` says when the row last changed. */
const isSame = (a: StoredPaneRow, b: StoredPaneRow): boolean =>
  a.detail === b.detail &&
  a.session_name === b.session_name &&
  a.window_id === b.window_id &&
  a.window_name === b.window_name;

export const createPanes = (db: BetterSqlite3.Database, rows: RowReader) => {
  const list = db.prepare<[], StoredPaneRow>("SELECT * FROM panes ORDER BY target_id, server, pane_id");
  const listOfServer = db.prepare<[string, string], StoredPaneRow>(
    "SELECT * FROM panes WHERE target_id = ? AND server = ?",
  );
  const remove = db.prepare<[string, string, string]>(
    "DELETE FROM panes WHERE target_id = ? AND server = ? AND pane_id = ?",
  );
  const upsert = db.prepare<[StoredPaneRow]>(`
    INSERT INTO panes (target_id, server, pane_id, session_name, window_id, window_name, detail, updated_at)
    VALUES (@target_id, @server, @pane_id, @session_name, @window_id, @window_name, @detail, @updated_at)
    ON CONFLICT (target_id, server, pane_id) DO UPDATE SET
      session_name = excluded.session_name, window_id = excluded.window_id, window_name = excluded.window_name,
      detail = excluded.detail, updated_at = excluded.updated_at`);

  const replace = db.transaction((targetId: string, server: string, panes: readonly Pane[]): void => {
    const stored = new Map(listOfServer.all(targetId, server).map((row) => [row.pane_id, row]));
    for (const pane of panes) {
      if (pane.targetId !== targetId || pane.server !== server) {
        throw new Error(
          `replacePanes: pane ${pane.paneId} belongs to another server than ${targetId}/${server}`,
        );
      }
      const row = paneToRow(pane);
      const old = stored.get(row.pane_id);
      stored.delete(row.pane_id);
      if (old === undefined || !isSame(old, row)) upsert.run(row);
    }
    for (const gone of stored.keys()) remove.run(targetId, server, gone);
  });

  return {
    replacePanes: (targetId, server, panes) => {
      replace(targetId, server, panes);
    },
    listPanes: () =>
      present(list.all().map((row) => rows.read(paneSchema, "panes", row.pane_id, () => paneFromRow(row)))),
  } satisfies Partial<Store>;
};

// Tables `runtimes` and `pane_epochs`: agent processes, living and ended, and the epochs given to each pane.

interface RuntimeRow {
  runtime_id: string;
  target_id: string;
  server: string;
  pane_id: string;
  pane_epoch: number;
  agent_type: string;
  pid: number | null;
  process_started_at: number | null;
  started_at: number;
  ended_at: number | null;
  agent_session_id: string | null;
}

const runtimeToRow = (runtime: Runtime): RuntimeRow => ({
  runtime_id: runtime.runtimeId,
  target_id: runtime.targetId,
  server: runtime.server,
  pane_id: runtime.paneId,
  pane_epoch: runtime.paneEpoch,
  agent_type: runtime.agentType,
  pid: runtime.pid,
  process_started_at: runtime.processStartedAt,
  started_at: runtime.startedAt,
  ended_at: runtime.endedAt,
  agent_session_id: runtime.agentSessionId,
});

const runtimeFromRow = (row: RuntimeRow): unknown => ({
  runtimeId: row.runtime_id,
  targetId: row.target_id,
  server: row.server,
  paneId: row.pane_id,
  paneEpoch: row.pane_epoch,
  agentType: row.agent_type,
  pid: row.pid,
  processStartedAt: row.process_started_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  agentSessionId: row.agent_session_id,
});

export const createRuntimes = (db: BetterSqlite3.Database, rows: RowReader) => {
  const insert = db.prepare<[RuntimeRow]>(`
    INSERT INTO runtimes (runtime_id, target_id, server, pane_id, pane_epoch, agent_type, pid, process_started_at, started_at, ended_at, agent_session_id)
    VALUES (@runtime_id, @target_id, @server, @pane_id, @pane_epoch, @agent_type, @pid, @process_started_at, @started_at, @ended_at, @agent_session_id)`);
  const raiseEpoch = db.prepare<[string, string, string, number]>(`
    INSERT INTO pane_epochs (target_id, server, pane_id, last_epoch) VALUES (?, ?, ?, ?)
    ON CONFLICT (target_id, server, pane_id) DO UPDATE SET last_epoch = max(last_epoch, excluded.last_epoch)`);
  const end = db.prepare<[number, string, string]>(
    "UPDATE runtimes SET ended_at = ?, end_reason = ? WHERE runtime_id = ? AND ended_at IS NULL",
  );
  const setSession = db.prepare<[string, string]>(
    "UPDATE runtimes SET agent_session_id = ? WHERE runtime_id = ?",
  );
  const get = db.prepare<[string], RuntimeRow>("SELECT * FROM runtimes WHERE runtime_id = ?");
  const listLive = db.prepare<[], RuntimeRow>(
    "SELECT * FROM runtimes WHERE ended_at IS NULL ORDER BY started_at, runtime_id",
  );
  const lastEpoch = db
    .prepare<[string, string, string], number>(
      "SELECT last_epoch FROM pane_epochs WHERE target_id = ? AND server = ? AND pane_id = ?",
    )
    .pluck();
  const read = (row: RuntimeRow): Runtime | null =>
    rows.read(runtimeSchema, "runtimes", row.runtime_id, () => runtimeFromRow(row));
  const insertWithEpoch = db.transaction((runtime: Runtime): void => {
    insert.run(runtimeToRow(runtime));
    raiseEpoch.run(runtime.targetId, runtime.server, runtime.paneId, runtime.paneEpoch);
  });

  return {
    insertRuntime: (runtime) => {
      insertWithEpoch(runtime);
    },
    // The first end stays: a later report does not overwrite it.
    endRuntime: (runtimeId, endedAt, reason) => {
      end.run(endedAt, reason, runtimeId);
    },
    setAgentSessionId: (runtimeId, agentSessionId) => {
      setSession.run(agentSessionId, runtimeId);
    },
    getRuntime: (runtimeId) => {
      const row = get.get(runtimeId);
      return row === undefined ? null : read(row);
    },
    listLiveRuntimes: () => present(listLive.all().map(read)),
    lastPaneEpoch: (key) => lastEpoch.get(key.targetId, key.server, key.paneId) ?? 0,
  } satisfies Partial<Store>;
};
