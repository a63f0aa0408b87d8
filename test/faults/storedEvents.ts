// What a daemon has made of events that a test dropped, read from its database beside it.
import Database from "better-sqlite3";

/** The prompts named `p-…` of all stored events, in order. */
export const readPrompts = (path: string): string[] => {
  const db = new Database(path, { readonly: true });
  try {
    return db
      .prepare<[], string>(
        "SELECT raw_payload FROM events WHERE event_type = 'UserPromptSubmit' ORDER BY event_row",
      )
      .pluck()
      .all()
      .map((payload) => String((JSON.parse(payload) as { prompt?: unknown }).prompt))
      .filter((prompt) => prompt.startsWith("p-"));
  } finally {
    db.close();
  }
};

/** Events that are stored, and belong to nobody until their tmux server was looked at. */
export const countPending = (path: string): number => {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare<[], number>("SELECT count(*) FROM pending_events").pluck().get() ?? 0;
  } finally {
    db.close();
  }
};
