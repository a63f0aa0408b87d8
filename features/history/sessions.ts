// The sessions of the index, for the files that answer calls: finds one by what a person typed, gives it the form that surfaces
// get, and reads it.
import { join } from "node:path";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { AgentHistory, ReadRows, TranscriptEntry } from "../../core/ports/agentFiles.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { Scan, withForeignDb } from "./scan.ts";
import { openHistoryDb, type SessionRow, type HistoryDb } from "./historyDb.ts";
import { withLog, type LogContent, readPage, type PageStart } from "./logFile.ts";
import { withRemoteDb } from "./remoteDb.ts";
import { databaseOf, remotePath, withRemoteLog } from "./remoteLogs.ts";
import { RemoteScan } from "./remoteScan.ts";
import { RemoteSearch } from "./remoteSearch.ts";
import { RemoteUsage } from "./remoteUsage.ts";
import { UsageScan } from "./usageScan.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";

const MESSAGES_PER_PAGE = 40;

/** A piece of a session's conversation, wherever its agent keeps it. */
export interface SessionPiece {
  entries: readonly TranscriptEntry[];
  /** Where the piece before it ends; null at the beginning of the session. */
  before: string | null;
}

const parseStart = (before: string | null): PageStart | null => {
  const [, end, leaf = ""] = /^(\d{1,16})(?::(.*))?$/s.exec(before ?? "") ?? [];
  return end === undefined ? null : { end: Number(end), leaf: leaf === "" ? null : leaf };
};

interface SessionPlace {
  history: AgentHistory;
  /** A connected machine. @throws AgtmuxError */
  target: FeatureContext["target"];
}

/** `before` null: the newest piece. Null where there is no log any more. */
export const readSession = async (
  { history, target }: SessionPlace,
  row: SessionRow,
  before: string | null,
): Promise<SessionPiece | null> => {
  const start = parseStart(before);
  if (history.kind === "database") {
    const query = { id: row.sessionId, before: start?.end ?? null, limit: MESSAGES_PER_PAGE };
    const work = (rows: ReadRows) => history.readEntries(rows, query);
    const page =
      row.target === HOST_TARGET
        ? withForeignDb(databaseOf(row), history.tables, work)
        : await withRemoteDb({ target: target(row.target), file: databaseOf(row) }, history.tables, work);
    return page === null ? null : { ...page, before: page.before === null ? null : String(page.before) };
  }
  const read = (log: LogContent) => readPage(log, history, start);
  const page =
    row.target === HOST_TARGET
      ? await withLog(row.path, read)
      : await withRemoteLog(target(row.target), remotePath(row), read);
  return page === null
    ? null
    : { ...page, before: page.before === null ? null : `${page.before.end}:${page.before.leaf ?? ""}` };
};

export const openIndex = async (context: FeatureContext) => {
  const { homePath, logger, redact } = context;
  const db = await openHistoryDb(join(homePath, "history.db"));
  const shared = {
    accountsOf: (adapter: AgentAdapter) => context.target(HOST_TARGET).accounts(adapter),
    adapters: () => context.adapters(),
    db,
    logger,
  };
  return {
    db,
    scan: new Scan({ ...shared, redact }),
    usage: new UsageScan(shared),
    remote: new RemoteScan(context, db),
    remoteUsage: new RemoteUsage(context, db),
    remoteSearch: new RemoteSearch(context),
  };
};
export type OpenIndex = Awaited<ReturnType<typeof openIndex>>;

const MAX_CANDIDATES = 20;

const SHORT = 8;

/** The end of an id: ids of several agents begin with the time. */
const shortRefOf = ({ sessionId }: SessionRow): string => sessionId.slice(-SHORT);

const isoOf = (time: number): string | null => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
};

const toSession = (
  row: SessionRow,
  adapters: readonly AgentAdapter[],
  panes: readonly PaneView[],
): HistorySession => ({
  identity: { target: row.target, agent: row.agent, session_id: row.sessionId },
  agent_name: adapters.find(({ agentType }) => agentType === row.agent)?.displayName ?? row.agent,
  short_ref: shortRefOf(row),
  title: row.title,
  first_prompt: row.firstPrompt,
  folder: row.cwd,
  branch: row.branch,
  started_at: row.startedAt === null ? null : isoOf(row.startedAt),
  last_at: isoOf(row.lastAt) ?? new Date(0).toISOString(),
  size: row.size,
  parent_id: row.parentId,
  pane_ref:
    panes.find(
      (pane) =>
        pane.identity.target === row.target &&
        pane.agent === row.agent &&
        pane.agent_session_id === row.sessionId,
    )?.identity.pane_ref ?? null,
});

export const toEntry = ({ role, text, at }: TranscriptEntry): HistoryEntry => ({
  role,
  text,
  at: at === null ? null : new Date(at).toISOString(),
});

const findSession = (db: HistoryDb, ref: string): SessionRow => {
  const [, agent = null, id = ref] = /^([a-z][\w-]*):(.+)$/.exec(ref) ?? [];
  const found = db.find({ agent, id }, MAX_CANDIDATES);
  const [first] = found;
  const typed = ref.slice(0, 100);
  if (first === undefined)
    throw new AgtmuxError("E_REF_NOT_FOUND", `no session's id begins or ends with '${typed}'`, {
      remedy: "See 'agtmux history list'.",
    });
  if (found.some((row) => row.sessionId !== first.sessionId || row.agent !== first.agent))
    throw new AgtmuxError("E_REF_AMBIGUOUS", `several sessions match '${typed}'`, {
      details: found.map((row) => `${row.agent}:${row.sessionId}`),
      remedy: "Give more of the id.",
    });
  return first;
};

export type Sessions = ReturnType<typeof createSessions>;

/** `index`: opened when somebody asks, so that a daemon whose history nobody uses reads nothing. */
export const createSessions = (context: FeatureContext, index: () => Promise<OpenIndex>) => {
  const historyOf = (agent: string) =>
    context.adapters().find(({ agentType }) => agentType === agent)?.history;
  /** A connected machine. @throws AgtmuxError */
  const target = (name: string) => context.target(name);
  return {
    context,
    target,
    index,
    historyOf,
    viewOf: (row: SessionRow) => toSession(row, context.adapters(), context.rows.all()),
    /** By the beginning or the end of its id. Fails with E_REF_NOT_FOUND, E_REF_AMBIGUOUS. */
    find: async (ref: string) => findSession((await index()).db, ref),
    /** Fails with E_REF_NOT_FOUND where its log is gone. */
    readPiece: async (row: SessionRow, before: string | null): Promise<SessionPiece> => {
      const history = historyOf(row.agent);
      const piece = history === undefined ? null : await readSession({ history, target }, row, before);
      if (piece === null)
        throw new AgtmuxError("E_REF_NOT_FOUND", `the log of session ${shortRefOf(row)} is gone`, {
          remedy: "See 'agtmux history list'.",
        });
      return piece;
    },
  };
};
