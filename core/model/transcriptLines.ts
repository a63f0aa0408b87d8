// A session's conversation as lines of text: every line bears the mark of who is quoted, so that nothing in it can pass for
// somebody else's words.
import type { HistoryEntry } from "./history.ts";

type Role = HistoryEntry["role"];

/** The first two characters of every line of an entry. */
const MARKS: Readonly<Record<Role, string>> = { user: "> ", agent: "  ", tool: "* ", note: "! " };

/** An empty line between entries, except within a run of calls. `clean` gives an entry's lines without control characters. */
export const transcriptLines = (
  entries: readonly { readonly role: Role; readonly text: string }[],
  clean: (text: string) => readonly string[],
): string[] =>
  entries.flatMap(({ role, text }, index) => {
    const isRun = role === "tool" && entries[index - 1]?.role === "tool";
    const lines = clean(text).map((line) => `${MARKS[role]}${line}`.trimEnd());
    return index === 0 || isRun ? lines : ["", ...lines];
  });
