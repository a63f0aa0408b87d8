// A piece of a session's conversation, wherever its agent keeps it.
import { join } from "node:path";
import type { AgentHistory, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import { withForeignDb } from "./foreignDb.ts";
import type { SessionRow } from "./historyDb.ts";
import { withLog } from "./logFile.ts";
import { readPage, type PageStart } from "./readPage.ts";

const MESSAGES_PER_PAGE = 40;

export interface SessionPiece {
  entries: readonly TranscriptEntry[];
  /** Where the piece before it ends; null at the beginning of the session. */
  before: string | null;
}

const parseStart = (before: string | null): PageStart | null => {
  const [, end, leaf = ""] = /^(\d{1,16})(?::(.*))?$/s.exec(before ?? "") ?? [];
  return end === undefined ? null : { end: Number(end), leaf: leaf === "" ? null : leaf };
};

/** `before` null: the newest piece. Null where there is no log any more. */
export const readSession = async (
  { homeDir, history }: { homeDir: string; history: AgentHistory },
  row: Pick<SessionRow, "path" | "sessionId">,
  before: string | null,
): Promise<SessionPiece | null> => {
  const start = parseStart(before);
  if (history.kind === "database") {
    const query = { id: row.sessionId, before: start?.end ?? null, limit: MESSAGES_PER_PAGE };
    const page = withForeignDb(join(homeDir, history.file), history.tables, (rows) =>
      history.readEntries(rows, query),
    );
    return page === null ? null : { ...page, before: page.before === null ? null : String(page.before) };
  }
  const page = await withLog(row.path, (log) => readPage(log, history, start));
  return page === null
    ? null
    : { ...page, before: page.before === null ? null : `${page.before.end}:${page.before.leaf ?? ""}` };
};
