// Which action an event or a transition followed: an annotation for the audit trail, never an input of a decision.

export const actionIdsMigration = {
  version: 3,
  name: "action ids",
  sql: `
    ALTER TABLE events ADD COLUMN action_id TEXT;
    ALTER TABLE state_transitions ADD COLUMN action_id TEXT;
    CREATE INDEX events_of_action ON events (action_id) WHERE action_id IS NOT NULL;
    CREATE INDEX transitions_of_action ON state_transitions (action_id) WHERE action_id IS NOT NULL;
  `,
} as const;
