// Table `adapters`: which adapters this daemon last ran with.
import type BetterSqlite3 from "better-sqlite3";
import type { Store } from "../ports/store.ts";

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
