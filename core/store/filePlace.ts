// Tells whether the files that a connection writes to still lie where it opened them. SQLite itself does not look: it goes on
// writing into files that somebody deleted or replaced, and all of it is gone when the connection closes.
import { statSync } from "node:fs";

/** `file`: the database is another one or none. `log`: only what was not yet moved from its log into it is. */
export type Misplaced = "file" | "log";

const identityOf = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
};

export interface FilePlace {
  /** Null: both are where they were. */
  misplaced(): Misplaced | null;
  hasOurLog(): boolean;
}

/** For the database at `path`, which is open. */
export const notePlace = (path: string): FilePlace => {
  const file = identityOf(path);
  const log = identityOf(`${path}-wal`);
  const hasOurLog = (): boolean => identityOf(`${path}-wal`) === log;
  return {
    misplaced: () => (identityOf(path) === file ? (hasOurLog() ? null : "log") : "file"),
    hasOurLog,
  };
};
