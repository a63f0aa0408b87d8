// Table `action_snapshots`: what an action saw when it was prepared.
import type BetterSqlite3 from "better-sqlite3";
import { actionSnapshotSchema } from "../model/snapshot.ts";
import type { Store } from "../ports/store.ts";
import type { RowReader } from "./rowReader.ts";

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

const fromRow = (row: SnapshotRow): unknown => ({
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

export const createSnapshots = (
  db: BetterSqlite3.Database,
  rows: RowReader,
): Pick<Store, "insertSnapshot" | "getSnapshot"> => {
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
        : rows.read(actionSnapshotSchema, "action_snapshots", row.snapshot_id, () => fromRow(row));
    },
  };
};
