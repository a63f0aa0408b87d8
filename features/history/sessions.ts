// The sessions of the index, for the files that answer calls: finds one by what a person typed, gives it the form that surfaces
// get, and reads it.
import { readSession, type SessionPiece } from "./readSession.ts";
import type { HistoryDb, SessionRow } from "./historyDb.ts";
import type { RemoteScan } from "./remote/remoteScan.ts";
import type { RemoteSearch } from "./remote/remoteSearch.ts";
import type { RemoteUsage } from "./remote/remoteUsage.ts";
import type { Scan } from "./scan.ts";
import type { UsageScan } from "./usageScan.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import { SCHEMA_VERSION } from "../../core/model/schemaVersion.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { AgentHistory, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";

export interface OpenIndex {
  db: HistoryDb;
  scan: Scan;
  usage: UsageScan;
  remote: RemoteScan;
  remoteSearch: RemoteSearch;
  remoteUsage: RemoteUsage;
}

export interface Sessions {
  readonly context: FeatureContext;
  readonly homeDir: string;
  /** Opened when somebody asks: a daemon whose history nobody uses reads nothing. */
  index(): Promise<OpenIndex>;
  historyOf(agent: string): AgentHistory | undefined;
  /** A connected machine. @throws AgtmuxError */
  target: FeatureContext["target"];
  viewOf(row: SessionRow): HistorySession;
  /** By the beginning or the end of its id. Fails with E_REF_NOT_FOUND, E_REF_AMBIGUOUS. */
  find(ref: string): Promise<SessionRow>;
  /** Fails with E_REF_NOT_FOUND where its log is gone. */
  readPiece(row: SessionRow, before: string | null): Promise<SessionPiece>;
  /** What every document begins with. */
  stamp(): { schema_version: typeof SCHEMA_VERSION; generated_at: string };
}

const MAX_CANDIDATES = 20;

const SHORT = 8;

/** The end of an id: ids of several agents begin with the time. */
const shortRefOf = ({ sessionId }: Pick<SessionRow, "sessionId">): string => sessionId.slice(-SHORT);

const isoOf = (time: number): string | null => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
};

const toSession = (
  row: SessionRow,
  adapters: readonly Pick<AgentAdapter, "agentType" | "displayName">[],
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
    throw new AgtmuxError("E_REF_AMBIGUOUS", `several sessions fit '${typed}'`, {
      details: found.map((row) => `${row.agent}:${row.sessionId}`),
      remedy: "Give more of the id.",
    });
  return first;
};

export const createSessions = (context: FeatureContext, index: () => Promise<OpenIndex>): Sessions => {
  const homeDir = context.env["HOME"] ?? "";
  const historyOf: Sessions["historyOf"] = (agent) =>
    context.adapters().find(({ agentType }) => agentType === agent)?.history;
  const target: Sessions["target"] = (name) => context.target(name);
  return {
    context,
    homeDir,
    target,
    index,
    historyOf,
    viewOf: (row) => toSession(row, context.adapters(), context.rows.all()),
    find: async (ref) => findSession((await index()).db, ref),
    readPiece: async (row, before) => {
      const history = historyOf(row.agent);
      const piece =
        history === undefined ? null : await readSession({ homeDir, history, target }, row, before);
      if (piece === null)
        throw new AgtmuxError("E_REF_NOT_FOUND", `the log of session ${shortRefOf(row)} is gone`, {
          remedy: "See 'agtmux history list'.",
        });
      return piece;
    },
    stamp: () => ({
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(context.clock.now()).toISOString(),
    }),
  };
};
