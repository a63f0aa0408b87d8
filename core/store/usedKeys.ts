// Table `used_keys`: idempotency keys of actions, so that one key acts once, also over a restart of the daemon.
import type BetterSqlite3 from "better-sqlite3";
import type { Store } from "../ports/store.ts";

interface KeyRow {
  scope: string;
  key: string;
  action_id: string;
  at: number;
  result: string | null;
}

export const createUsedKeys = (
  db: BetterSqlite3.Database,
): Pick<Store, "claimKey" | "settleKey" | "releaseKey"> => {
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
  };
};
