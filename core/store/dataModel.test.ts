// The tables of the specification's data model, as they are in a database of the newest version: every named column exists, and
// every unique key is enforced.
import BetterSqlite3 from "better-sqlite3";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { openStore } from "./openStore.ts";

/** `keys`: columns that are unique together, the tmux server among them where panes are named (ADR 5). */
const MODEL: Readonly<Record<string, { columns: string; keys: readonly string[] }>> = {
  targets: {
    columns: "target_id target_name kind connection_ref is_default last_seen_at health updated_at",
    keys: ["target_id", "target_name"],
  },
  panes: {
    columns: "target_id pane_id session_name window_id window_name updated_at",
    keys: ["target_id server pane_id"],
  },
  runtimes: {
    columns: "runtime_id target_id pane_id pane_epoch agent_type pid started_at ended_at",
    keys: ["runtime_id", "target_id server pane_id pane_epoch"],
  },
  events: {
    columns:
      "event_id runtime_id event_type source source_event_id source_seq event_time ingested_at dedupe_key raw_payload",
    keys: ["event_id", "runtime_id source dedupe_key"],
  },
  runtime_source_cursors: {
    columns:
      "runtime_id source last_source_seq last_order_event_time last_order_ingested_at last_order_event_id",
    keys: ["runtime_id source"],
  },
  states: {
    columns:
      "target_id pane_id runtime_id state reason_code confidence state_version last_source_seq last_seen_at updated_at",
    keys: ["target_id server pane_id"],
  },
  action_snapshots: {
    columns: "snapshot_id target_id pane_id runtime_id state_version observed_at expires_at nonce",
    keys: ["snapshot_id"],
  },
  adapters: {
    columns: "adapter_name agent_type version capabilities enabled updated_at",
    keys: ["adapter_name"],
  },
};

let folder: string;
let db: BetterSqlite3.Database;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-model-"));
  const path = join(folder, "state.db");
  openStore({ path, logger: SILENT_LOGGER }).close();
  db = new BetterSqlite3(path, { readonly: true });
});
afterAll(() => db.close());

const namesOf = (sql: string): string[] =>
  db
    .prepare<[], { name: string }>(sql)
    .all()
    .map(({ name }) => name);
const uniqueKeysOf = (table: string): string[] =>
  db
    .prepare<[], { name: string; unique: number }>(`PRAGMA index_list(${table})`)
    .all()
    .filter(({ unique }) => unique === 1)
    .map(({ name }) => namesOf(`PRAGMA index_info(${name})`).join(" "));

test.each(Object.entries(MODEL))("%s has every column and key", (table, { columns, keys }) => {
  expect(namesOf(`PRAGMA table_info(${table})`)).toEqual(expect.arrayContaining(columns.split(" ")));
  expect(uniqueKeysOf(table)).toEqual(expect.arrayContaining([...keys]));
});
