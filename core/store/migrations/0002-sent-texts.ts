// Actions that send text: its length in the audit, and the idempotency keys that were used.

export const sentTextsMigration = {
  version: 2,
  name: "sent texts",
  sql: `
    ALTER TABLE audit ADD COLUMN text_length INTEGER;

    CREATE TABLE used_keys (
      scope     TEXT NOT NULL,
      key       TEXT NOT NULL,
      action_id TEXT NOT NULL,
      at        REAL NOT NULL,
      result    TEXT,
      PRIMARY KEY (scope, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX used_keys_by_age ON used_keys (at);
  `,
} as const;
