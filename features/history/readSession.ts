// A piece of a session's conversation, wherever its agent keeps it.
import { join } from "node:path";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { AgentHistory, ReadRows, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { withForeignDb } from "./foreignDb.ts";
import type { SessionRow } from "./historyDb.ts";
import { withLog, type LogFile } from "./logFile.ts";
import { readPage, type PageStart } from "./readPage.ts";
import { withRemoteDb } from "./remote/remoteDb.ts";
import { databaseOf, remotePath, withRemoteLog } from "./remote/remoteLogs.ts";

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

export interface SessionPlace {
  homeDir: string;
  history: AgentHistory;
  /** A connected machine. @throws AgtmuxError */
  target: FeatureContext["target"];
}

/** `before` null: the newest piece. Null where there is no log any more. */
export const readSession = async (
  { homeDir, history, target }: SessionPlace,
  row: Pick<SessionRow, "path" | "sessionId" | "target">,
  before: string | null,
): Promise<SessionPiece | null> => {
  const start = parseStart(before);
  if (history.kind === "database") {
    const query = { id: row.sessionId, before: start?.end ?? null, limit: MESSAGES_PER_PAGE };
    const work = (rows: ReadRows) => history.readEntries(rows, query);
    const page =
      row.target === HOST_TARGET
        ? withForeignDb(join(homeDir, history.file), history.tables, work)
        : await withRemoteDb({ target: target(row.target), file: databaseOf(row) }, history.tables, work);
    return page === null ? null : { ...page, before: page.before === null ? null : String(page.before) };
  }
  const read = (log: Pick<LogFile, "size" | "read">) => readPage(log, history, start);
  const page =
    row.target === HOST_TARGET
      ? await withLog(row.path, read)
      : await withRemoteLog(target(row.target), remotePath(row), read);
  return page === null
    ? null
    : { ...page, before: page.before === null ? null : `${page.before.end}:${page.before.leaf ?? ""}` };
};
