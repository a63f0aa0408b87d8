// The schema as a later version may have it: the product's steps and three more of the kinds that there will be. The daemon
// of the fault tests is bundled with these, so that a database of today has somewhere to be brought to.
import { MIGRATIONS as TODAY, type Migration } from "../../core/store/migrations.ts";

const LATER = [
  {
    name: "a column and a table",
    sql: `
      ALTER TABLE audit ADD COLUMN note TEXT;
      CREATE TABLE notes (scope TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (scope, key)) STRICT, WITHOUT ROWID;
      CREATE INDEX notes_by_age ON notes (at);`,
  },
  {
    name: "columns of large tables, with indexes",
    sql: `
      ALTER TABLE events ADD COLUMN note TEXT;
      ALTER TABLE state_transitions ADD COLUMN note TEXT;
      CREATE INDEX events_of_note ON events (note) WHERE note IS NOT NULL;
      CREATE INDEX transitions_of_note ON state_transitions (note) WHERE note IS NOT NULL;`,
  },
  {
    name: "rows written again",
    sql: `UPDATE panes SET detail = json_set(detail, '$.alsoIn', json('[]')) WHERE json_valid(detail);`,
  },
];

const today = TODAY.at(-1)?.version ?? 0;

export const MIGRATIONS: readonly Migration[] = [
  ...TODAY,
  ...LATER.map((step, index) => ({ ...step, version: today + 1 + index })),
];
