// The schema, step by step. The first step is that of 1.0: the tables of the specification's data model, keyed by tmux server as
// well, plus pending events, transitions, audit, used keys, remembered spool names, jobs, rules and what must outlive pruning. A
// change of the schema adds a step, so that a database of any release opens (docs/compatibility.md).

/** One step of the schema. Versions count up without gaps; a published step is never edited. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const initialMigration: Migration = {
  version: 1,
  name: "initial",
  // Times are epoch milliseconds with fractions. `event_row` is the primary key in place of `event_id` because replay
  // refers to rows by a number that only grows; `event_id` stays unique.
  sql: `
    CREATE TABLE targets (
      target_id      TEXT PRIMARY KEY,
      target_name    TEXT NOT NULL UNIQUE,
      kind           TEXT NOT NULL,
      connection_ref TEXT,
      is_default     INTEGER NOT NULL,
      last_seen_at   REAL,
      health         TEXT NOT NULL,
      health_reason  TEXT,
      updated_at     REAL NOT NULL
    ) STRICT;

    CREATE TABLE panes (
      target_id    TEXT NOT NULL,
      server       TEXT NOT NULL,
      pane_id      TEXT NOT NULL,
      session_name TEXT NOT NULL,
      window_id    TEXT NOT NULL,
      window_name  TEXT NOT NULL,
      detail       TEXT NOT NULL,
      updated_at   REAL NOT NULL,
      PRIMARY KEY (target_id, server, pane_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE runtimes (
      runtime_id         TEXT PRIMARY KEY,
      target_id          TEXT NOT NULL,
      server             TEXT NOT NULL,
      pane_id            TEXT NOT NULL,
      pane_epoch         INTEGER NOT NULL,
      agent_type         TEXT NOT NULL,
      pid                INTEGER,
      process_started_at REAL,
      started_at         REAL NOT NULL,
      ended_at           REAL,
      end_reason         TEXT,
      agent_session_id   TEXT,
      -- An agent behind another program, and what a person says of it.
      inside             TEXT,
      muted_until        REAL,
      name               TEXT,
      UNIQUE (target_id, server, pane_id, pane_epoch)
    ) STRICT;
    CREATE INDEX runtimes_live ON runtimes (runtime_id) WHERE ended_at IS NULL;
    CREATE INDEX runtimes_ended ON runtimes (ended_at) WHERE ended_at IS NOT NULL;

    -- An epoch is never given twice, also when the runtimes that had it are long pruned.
    CREATE TABLE pane_epochs (
      target_id  TEXT NOT NULL,
      server     TEXT NOT NULL,
      pane_id    TEXT NOT NULL,
      last_epoch INTEGER NOT NULL,
      PRIMARY KEY (target_id, server, pane_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE events (
      event_row       INTEGER PRIMARY KEY AUTOINCREMENT,
      event_id        TEXT NOT NULL UNIQUE,
      runtime_id      TEXT NOT NULL REFERENCES runtimes (runtime_id) ON DELETE CASCADE,
      event_type      TEXT NOT NULL,
      source          TEXT NOT NULL,
      source_event_id TEXT,
      source_seq      INTEGER,
      event_time      REAL NOT NULL,
      ingested_at     REAL NOT NULL,
      dedupe_key      TEXT NOT NULL,
      signal          TEXT NOT NULL,
      raw_payload     TEXT NOT NULL,
      -- The action that it followed: a note for the audit trail, never an input of a decision.
      action_id       TEXT,
      UNIQUE (runtime_id, source, dedupe_key)
    ) STRICT;
    CREATE INDEX events_by_age ON events (ingested_at);
    CREATE INDEX events_of_action ON events (action_id) WHERE action_id IS NOT NULL;

    CREATE TABLE runtime_source_cursors (
      runtime_id             TEXT NOT NULL REFERENCES runtimes (runtime_id) ON DELETE CASCADE,
      source                 TEXT NOT NULL,
      last_source_seq        INTEGER,
      last_order_event_time  REAL NOT NULL,
      last_order_ingested_at REAL NOT NULL,
      last_order_event_id    TEXT NOT NULL,
      PRIMARY KEY (runtime_id, source)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE states (
      target_id       TEXT NOT NULL,
      server          TEXT NOT NULL,
      pane_id         TEXT NOT NULL,
      runtime_id      TEXT NOT NULL UNIQUE REFERENCES runtimes (runtime_id) ON DELETE CASCADE,
      state           TEXT NOT NULL,
      reason_code     TEXT NOT NULL,
      confidence      TEXT NOT NULL,
      state_version   INTEGER NOT NULL,
      last_source_seq INTEGER,
      last_seen_at    REAL NOT NULL,
      updated_at      REAL NOT NULL,
      fingerprint     TEXT,
      resolution      TEXT NOT NULL,
      activity        TEXT,
      -- Whether anybody looked at a turn's end, and when the present one began; NULL: nothing is unread.
      turn_marks      TEXT,
      PRIMARY KEY (target_id, server, pane_id)
    ) STRICT, WITHOUT ROWID;

    -- No reference to runtimes: the history outlives them.
    CREATE TABLE state_transitions (
      version        INTEGER PRIMARY KEY AUTOINCREMENT,
      runtime_id     TEXT NOT NULL,
      at             REAL NOT NULL,
      evaluated_at   REAL NOT NULL,
      event_horizon  INTEGER NOT NULL,
      state          TEXT,
      reason_code    TEXT,
      previous_state TEXT,
      end_reason     TEXT,
      fingerprint    TEXT,
      pulse          TEXT NOT NULL,
      resolution     TEXT,
      view           TEXT NOT NULL,
      action_id      TEXT
    ) STRICT;
    CREATE INDEX transitions_of_runtime ON state_transitions (runtime_id, version);
    CREATE INDEX transitions_by_time ON state_transitions (at, version);
    CREATE INDEX transitions_of_action ON state_transitions (action_id) WHERE action_id IS NOT NULL;

    -- An unknown server is '' and not NULL: NULLs are all distinct in a UNIQUE and would not dedupe.
    CREATE TABLE pending_events (
      pending_row INTEGER PRIMARY KEY,
      target_id   TEXT NOT NULL,
      server      TEXT NOT NULL,
      source      TEXT NOT NULL,
      spool_name  TEXT NOT NULL,
      envelope    TEXT NOT NULL,
      ingested_at REAL NOT NULL,
      UNIQUE (target_id, server, source, spool_name)
    ) STRICT;

    CREATE TABLE spool_names (
      target_id  TEXT NOT NULL,
      spool_name TEXT NOT NULL,
      at         REAL NOT NULL,
      PRIMARY KEY (target_id, spool_name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX spool_names_by_age ON spool_names (at);

    CREATE TABLE action_snapshots (
      snapshot_id        TEXT PRIMARY KEY,
      target_id          TEXT NOT NULL,
      server             TEXT NOT NULL,
      pane_id            TEXT NOT NULL,
      runtime_id         TEXT,
      state_version      INTEGER NOT NULL,
      observed_at        REAL NOT NULL,
      expires_at         REAL NOT NULL,
      nonce              TEXT NOT NULL,
      prompt_fingerprint TEXT
    ) STRICT;
    CREATE INDEX action_snapshots_by_age ON action_snapshots (expires_at);

    CREATE TABLE audit (
      audit_row          INTEGER PRIMARY KEY AUTOINCREMENT,
      action_id          TEXT NOT NULL,
      at                 REAL NOT NULL,
      surface            TEXT NOT NULL,
      action             TEXT NOT NULL,
      ref                TEXT NOT NULL,
      runtime_id         TEXT,
      snapshot_id        TEXT,
      outcome            TEXT NOT NULL,
      prompt_fingerprint TEXT,
      text_length        INTEGER
    ) STRICT;
    CREATE INDEX audit_by_age ON audit (at);

    -- Idempotency keys: one key acts once in its scope.
    CREATE TABLE used_keys (
      scope     TEXT NOT NULL,
      key       TEXT NOT NULL,
      action_id TEXT NOT NULL,
      at        REAL NOT NULL,
      result    TEXT,
      PRIMARY KEY (scope, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX used_keys_by_age ON used_keys (at);

    CREATE TABLE adapters (
      adapter_name TEXT PRIMARY KEY,
      agent_type   TEXT NOT NULL,
      version      TEXT NOT NULL,
      capabilities TEXT NOT NULL,
      enabled      INTEGER NOT NULL,
      updated_at   REAL NOT NULL
    ) STRICT;

    -- Values that only grow and outlive the rows they came from.
    CREATE TABLE high_marks (
      name  TEXT PRIMARY KEY,
      value REAL NOT NULL
    ) STRICT;
    INSERT INTO high_marks (name, value) VALUES ('ingested_at', 0);

    -- agent_session_id, text and next_at are for jobs that send; a watch has none of them.
    CREATE TABLE jobs (
      job_id           TEXT PRIMARY KEY,
      kind             TEXT NOT NULL,
      created_at       REAL NOT NULL,
      surface          TEXT NOT NULL,
      runtime_id       TEXT,
      agent_session_id TEXT,
      trigger          TEXT NOT NULL,
      act              TEXT NOT NULL,
      text             TEXT,
      state            TEXT NOT NULL,
      next_at          REAL,
      expires_at       REAL NOT NULL,
      runs             INTEGER NOT NULL,
      max_runs         INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX jobs_armed ON jobs (created_at) WHERE state IN ('armed', 'held');

    CREATE TABLE automation_runs (
      run_row    INTEGER PRIMARY KEY AUTOINCREMENT,
      kind       TEXT NOT NULL CHECK (kind IN ('told', 'sending', 'sent', 'note')),
      job_id     TEXT NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
      at         REAL NOT NULL,
      runtime_id TEXT,
      outcome    TEXT NOT NULL
    ) STRICT;
    CREATE INDEX automation_runs_of_job ON automation_runs (job_id, run_row);

    -- At most one row: everything armed rests since then.
    CREATE TABLE automation_pause (
      only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
      at       REAL NOT NULL
    ) STRICT;

    -- The rules that a person armed, each by the hash of its text.
    CREATE TABLE rule_trust (
      hash    TEXT PRIMARY KEY,
      rule    TEXT NOT NULL,
      at      REAL NOT NULL,
      surface TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- No reference to runtimes: what was answered is kept longer than they are.
    CREATE TABLE rule_runs (
      run_row     INTEGER PRIMARY KEY AUTOINCREMENT,
      rule        TEXT NOT NULL,
      hash        TEXT NOT NULL,
      at          REAL NOT NULL,
      runtime_id  TEXT NOT NULL,
      ref         TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      verdict     TEXT NOT NULL,
      command     TEXT NOT NULL,
      outcome     TEXT NOT NULL,
      action_id   TEXT
    ) STRICT;
    CREATE INDEX rule_runs_of_runtime ON rule_runs (runtime_id, at);
  `,
};

/** All steps in order. */
export const MIGRATIONS: readonly Migration[] = [initialMigration];
