// Table `panes`: the topology as last listed, per tmux server. The specification's columns stand beside a JSON column
// with the rest of the row, which changes with tmux's formats and is never queried by SQL.
import type BetterSqlite3 from "better-sqlite3";
import { paneSchema, type Pane } from "../model/runtime.ts";
import type { Store } from "../ports/store.ts";
import { redactPane } from "./redactEvidence.ts";
import { present, type RowReader } from "./rowReader.ts";

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

const toRow = (pane: Pane): StoredPaneRow => {
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

const fromRow = (row: StoredPaneRow): unknown =>
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

export const createPanes = (
  db: BetterSqlite3.Database,
  rows: RowReader,
): Pick<Store, "replacePanes" | "listPanes"> => {
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
      const row = toRow(pane);
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
      present(list.all().map((row) => rows.read(paneSchema, "panes", row.pane_id, () => fromRow(row)))),
  };
};
