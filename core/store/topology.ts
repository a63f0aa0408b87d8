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
import { columnsOf, present, type RowReader } from "./rowReader.ts";
import { redactPane } from "./redactEvidence.ts";

const TARGET = columnsOf(
  "targetId targetName kind connectionRef isDefault lastSeenAt health healthReason updatedAt",
);
type TargetRow = Omit<Target, "isDefault"> & { isDefault: number };

export const createTargets = (db: BetterSqlite3.Database, rows: RowReader, last: DeferredWrites) => {
  const upsert = db.prepare<[TargetRow]>(
    `INSERT INTO targets ${TARGET.values} ON CONFLICT (target_id) DO UPDATE SET ${TARGET.updateAllBut("targetId")}`,
  );
  const list = db.prepare<[], TargetRow>(
    `SELECT ${TARGET.read} FROM targets ORDER BY is_default DESC, target_name`,
  );
  const removals = ["states", "panes", "pending_events", "targets"].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE target_id = ?`),
  );
  return {
    removeTarget: (targetId) => {
      last.settle();
      for (const removal of removals) removal.run(targetId);
    },
    upsertTarget: (target) => {
      upsert.run({ ...target, isDefault: target.isDefault ? 1 : 0 });
    },
    listTargets: () =>
      present(
        list.all().map((row) =>
          rows.read(targetSchema, "targets", row.targetId, () => ({
            ...row,
            isDefault: row.isDefault === 1,
          })),
        ),
      ),
  } satisfies Partial<Store>;
};

const ADAPTER = columnsOf("adapterName agentType version capabilities enabled updatedAt");

export const createAdapters = (db: BetterSqlite3.Database) => {
  const upsert = db.prepare<[object]>(
    `INSERT INTO adapters ${ADAPTER.values} ON CONFLICT (adapter_name) DO UPDATE SET ${ADAPTER.updateAllBut("adapterName")}`,
  );
  return {
    upsertAdapter: (row) => {
      upsert.run({ ...row, capabilities: JSON.stringify(row.capabilities), enabled: row.enabled ? 1 : 0 });
    },
  } satisfies Partial<Store>;
};

// `panes`: the topology as last listed, per tmux server. The specification's columns stand beside a JSON column
// with the rest of the row, which changes with tmux's formats and is never queried by SQL.

const PANE = columnsOf("targetId server paneId sessionName windowId windowName detail updatedAt");

const paneToRow = (pane: Pane) => {
  const { targetId, server, paneId, sessionName, windowId, windowName, updatedAt, ...detail } =
    redactPane(pane);
  const columns = { targetId, server, paneId, sessionName, windowId, windowName, updatedAt };
  return { ...columns, detail: JSON.stringify(detail) };
};
type PaneRow = ReturnType<typeof paneToRow>;

const paneFromRow = ({ detail, ...row }: PaneRow): unknown => Object.assign(JSON.parse(detail), row);

/** A new time of listing alone is not a change: `updated_at` says when the row last changed. */
const isSame = (a: PaneRow, b: PaneRow): boolean =>
  a.detail === b.detail &&
  a.sessionName === b.sessionName &&
  a.windowId === b.windowId &&
  a.windowName === b.windowName;

export const createPanes = (db: BetterSqlite3.Database, rows: RowReader) => {
  const list = db.prepare<[], PaneRow>(`SELECT ${PANE.read} FROM panes ORDER BY target_id, server, pane_id`);
  const listOfServer = db.prepare<[string, string], PaneRow>(
    `SELECT ${PANE.read} FROM panes WHERE target_id = ? AND server = ?`,
  );
  const remove = db.prepare<[string, string, string]>(
    "DELETE FROM panes WHERE target_id = ? AND server = ? AND pane_id = ?",
  );
  const upsert = db.prepare<[PaneRow]>(
    `INSERT INTO panes ${PANE.values}
     ON CONFLICT (target_id, server, pane_id) DO UPDATE SET ${PANE.updateAllBut("targetId server paneId")}`,
  );

  const replace = db.transaction((targetId: string, server: string, panes: readonly Pane[]): void => {
    const stored = new Map(listOfServer.all(targetId, server).map((row) => [row.paneId, row]));
    for (const pane of panes) {
      if (pane.targetId !== targetId || pane.server !== server) {
        throw new Error(
          `replacePanes: pane ${pane.paneId} belongs to another server than ${targetId}/${server}`,
        );
      }
      const row = paneToRow(pane);
      const old = stored.get(row.paneId);
      stored.delete(row.paneId);
      if (old === undefined || !isSame(old, row)) upsert.run(row);
    }
    for (const gone of stored.keys()) remove.run(targetId, server, gone);
  });

  return {
    replacePanes: (targetId, server, panes) => {
      replace(targetId, server, panes);
    },
    listPanes: () =>
      present(list.all().map((row) => rows.read(paneSchema, "panes", row.paneId, () => paneFromRow(row)))),
  } satisfies Partial<Store>;
};

// `runtimes` and `pane_epochs`: agent processes, live and ended, and the epochs given to each pane.

const RUNTIME = columnsOf(
  "runtimeId targetId server paneId paneEpoch agentType pid processStartedAt startedAt endedAt agentSessionId inside mutedUntil name",
);

export const createRuntimes = (db: BetterSqlite3.Database, rows: RowReader) => {
  const insert = db.prepare<[Runtime]>(`INSERT INTO runtimes ${RUNTIME.values}`);
  const raiseEpoch = db.prepare<[string, string, string, number]>(`
    INSERT INTO pane_epochs (target_id, server, pane_id, last_epoch) VALUES (?, ?, ?, ?)
    ON CONFLICT (target_id, server, pane_id) DO UPDATE SET last_epoch = max(last_epoch, excluded.last_epoch)`);
  const end = db.prepare<[number, string, string]>(
    "UPDATE runtimes SET ended_at = ?, end_reason = ?, muted_until = NULL WHERE runtime_id = ? AND ended_at IS NULL",
  );
  const setSession = db.prepare<[string, string]>(
    "UPDATE runtimes SET agent_session_id = ? WHERE runtime_id = ?",
  );
  const setMuted = db.prepare<[number | null, string]>(
    "UPDATE runtimes SET muted_until = ? WHERE runtime_id = ? AND ended_at IS NULL",
  );
  const setName = db.prepare<[string | null, string]>("UPDATE runtimes SET name = ? WHERE runtime_id = ?");
  const get = db.prepare<[string], Runtime>(`SELECT ${RUNTIME.read} FROM runtimes WHERE runtime_id = ?`);
  const listLive = db.prepare<[], Runtime>(
    `SELECT ${RUNTIME.read} FROM runtimes WHERE ended_at IS NULL ORDER BY started_at, runtime_id`,
  );
  const lastEpoch = db
    .prepare<[string, string, string], number>(
      "SELECT last_epoch FROM pane_epochs WHERE target_id = ? AND server = ? AND pane_id = ?",
    )
    .pluck();
  const read = (row: Runtime): Runtime | null =>
    rows.read(runtimeSchema, "runtimes", row.runtimeId, () => row);
  const insertWithEpoch = db.transaction((runtime: Runtime): void => {
    insert.run(runtime);
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
    setMutedUntil: (runtimeId, until) => {
      setMuted.run(until, runtimeId);
    },
    setRuntimeName: (runtimeId, name) => {
      setName.run(name, runtimeId);
    },
    getRuntime: (runtimeId) => {
      const row = get.get(runtimeId);
      return row === undefined ? null : read(row);
    },
    listLiveRuntimes: () => present(listLive.all().map(read)),
    lastPaneEpoch: (key) => lastEpoch.get(key.targetId, key.server, key.paneId) ?? 0,
  } satisfies Partial<Store>;
};
