// Tables `runtimes` and `pane_epochs`: agent processes, living and ended, and the epochs given to each pane.
import type BetterSqlite3 from "better-sqlite3";
import { runtimeSchema, type Runtime } from "../model/runtime.ts";
import type { Store } from "../ports/store.ts";
import { present, type RowReader } from "./rowReader.ts";

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

const toRow = (runtime: Runtime): RuntimeRow => ({
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

const fromRow = (row: RuntimeRow): unknown => ({
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

export const createRuntimes = (
  db: BetterSqlite3.Database,
  rows: RowReader,
): Pick<
  Store,
  "insertRuntime" | "endRuntime" | "setAgentSessionId" | "getRuntime" | "listLiveRuntimes" | "lastPaneEpoch"
> => {
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
    rows.read(runtimeSchema, "runtimes", row.runtime_id, () => fromRow(row));
  const insertWithEpoch = db.transaction((runtime: Runtime): void => {
    insert.run(toRow(runtime));
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
  };
};
