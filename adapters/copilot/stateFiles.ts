// Copilot CLI's own files: the log of the session, and the list of open sessions with its word on whether each works. The
// session is the one that the hooks named, else the open one whose lock bears this process's id. The log outranks hooks
// where they are silent (denied, interrupted, finally failed). Undocumented, so nothing counts before it is tied.
import * as z from "zod";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TranscriptEntry } from "../../core/ports/agentHistory.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { asPayload, fieldOf, type Payload, textOf } from "../common/payload.ts";
import { asks, shows } from "../common/screenText.ts";
import { FRESH } from "../common/signals.ts";
import { callOf, entriesOf, entryOf, timeOf, TRANSCRIPT_BYTES } from "../common/transcript.ts";
import { readSessionLog, type LogState } from "./sessionLog.ts";

const MAX_LIST_BYTES = 256 * 1024;
/** A tool's whole output may be one line: where the newest bytes hold no line that tells, more are read. */
const TAIL_BYTES = [64 * 1024, 4 * 1024 * 1024];
/** Process start times have a resolution of one second on some systems. */
const START_TOLERANCE_MS = 2_500;
const MAX_OPEN_SESSIONS = 50;
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const openSessionsSchema = z.record(
  z.string(),
  z.object({ working: z.boolean(), refreshedAt: z.union([z.string(), z.number()]).optional() }),
);
type OpenSessions = z.infer<typeof openSessionsSchema>;

const readOpenSessions = async (files: TargetFiles, root: string): Promise<OpenSessions> => {
  const text = await files.readText(`${root}/open-sessions-state.json`, MAX_LIST_BYTES);
  if (text === null) return {};
  try {
    const parsed = openSessionsSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : {};
  } catch {
    // Caught in the middle of a rewrite: the next read has it whole.
    return {};
  }
};

/** A lock left by a killed process whose pid was given out again is older than the process that bears the pid now. */
const isLockedBy = async (
  { files, process }: StateFileRequest,
  root: string,
  sessionId: string,
): Promise<boolean> => {
  const lock = await files.stat(`${root}/session-state/${sessionId}/inuse.${process.pid}.lock`);
  return lock !== null && lock.mtimeMs >= process.startedAt - START_TOLERANCE_MS;
};

const findSession = async (
  request: StateFileRequest,
  root: string,
  open: OpenSessions,
): Promise<string | null> => {
  const { agentSessionId } = request;
  if (agentSessionId !== null) return SESSION_ID.test(agentSessionId) ? agentSessionId : null;
  const ids = Object.keys(open)
    .filter((id) => SESSION_ID.test(id))
    .slice(-MAX_OPEN_SESSIONS);
  const locked = await Promise.all(ids.map((id) => isLockedBy(request, root, id)));
  const ours = ids.filter((_, index) => locked[index]);
  return ours.length === 1 ? (ours[0] ?? null) : null;
};

/** The log that an event named counts only where it is that session's. */
const logPath = (transcriptPath: string | null, root: string, sessionId: string): string =>
  transcriptPath?.endsWith(`/${sessionId}/events.jsonl`) === true
    ? transcriptPath
    : `${root}/session-state/${sessionId}/events.jsonl`;

const readLog = async (files: TargetFiles, path: string): Promise<LogState | null> => {
  for (const bytes of TAIL_BYTES) {
    const tail = await files.readTail(path, bytes);
    if (tail === null) return null;
    const state = readSessionLog(tail);
    if (state !== null || tail.length < bytes / 4) return state;
  }
  return null;
};

/** The list was written after the log's newest line and says that nothing works: a turn ended without a line of its own. */
const saysIdleSince = (entry: OpenSessions[string] | undefined, at: number | null): boolean => {
  if (entry === undefined || entry.working || entry.refreshedAt === undefined || at === null) return false;
  return new Date(entry.refreshedAt).getTime() >= at;
};

const readingOf = (state: LogState, entry: OpenSessions[string] | undefined): Reading => {
  const matched = `session log: ${state.event}`;
  if (state.ask !== null) return asks(state.status, "medium", matched, state.ask.request);
  if (state.status.state === "running" && saysIdleSince(entry, state.at))
    return shows(FRESH, "medium", "open sessions: not working");
  const isTold = state.status.state === "error" || state.status.reasonCode === "interrupted";
  return shows(state.status, isTold ? "high" : "medium", matched);
};

/** The session that is provably this process's; null for none. */
const ownSession = async (request: StateFileRequest): Promise<{ root: string; id: string } | null> => {
  const root = `${request.homeDir}/.copilot`;
  const id = await findSession(request, root, await readOpenSessions(request.files, root));
  return id === null ? null : { root, id };
};

/** Null for no session that is provably this process's, and for a log that says nothing of the state. */
export const readCopilotStateFiles = async (request: StateFileRequest): Promise<Reading | null> => {
  const { files, homeDir, transcriptPath } = request;
  const root = `${homeDir}/.copilot`;
  const open = await readOpenSessions(files, root);
  const sessionId = await findSession(request, root, open);
  if (sessionId === null) return null;
  const state = await readLog(files, logPath(transcriptPath, root, sessionId));
  return state === null ? null : readingOf(state, open[sessionId]);
};

// The log as a conversation. The names of its lines were recorded with 1.0.102; where the texts stand
// is documented by several programs that read these logs. Sub-agents' lines are left out.
export const readCopilotLine = (line: Payload): TranscriptEntry[] => {
  const data = asPayload(fieldOf(line, "data")) ?? {};
  if (textOf(line, "agentId") !== null || textOf(data, "parentToolCallId") !== null) return [];
  const at = timeOf(line);
  switch (textOf(line, "type")) {
    case "user.message":
      return entryOf("user", textOf(data, "content"), at);
    case "assistant.message":
      return entryOf("agent", textOf(data, "content"), at);
    case "tool.execution_start":
      return callOf(textOf(data, "toolName"), fieldOf(data, "arguments"), at);
    case "session.error":
      return entryOf("note", textOf(data, "message") ?? "error", at);
    case "abort":
      return entryOf("note", "interrupted", at);
    // Everything that is not said to a person.
    case null:
    default:
      return [];
  }
};

/** Null for no session that is provably this process's, and where nothing in its log is known. */
export const readCopilotTranscript = async (
  request: StateFileRequest,
): Promise<readonly TranscriptEntry[] | null> => {
  const session = await ownSession(request);
  if (session === null) return null;
  const path = logPath(request.transcriptPath, session.root, session.id);
  const tail = await request.files.readTail(path, TRANSCRIPT_BYTES);
  return entriesOf(tail, readCopilotLine);
};

const MAX_WORKSPACE_BYTES = 16 * 1024;

/**
 * Copilot's own name for its session, before the program's name in the title of its pane: the first prompt until somebody renames it.
 * Null for the program's name alone and for titles of others.
 */
export const titleOfCopilotSession = (title: string): string | null =>
  /^(\S.*) - GitHub Copilot$/.exec(title.trim())?.[1]?.trim() ?? null;

/** A scalar on one line as YAML writes it; null for the other forms. */
const scalarOf = (text: string): string | null => {
  if (text === "" || /^[|>&*!#{[]/.test(text)) return null;
  if (text.startsWith("'"))
    return /^'(?:[^']|'')*'$/.test(text) ? text.slice(1, -1).replaceAll("''", "'") : null;
  if (!text.startsWith('"')) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "string" ? parsed : null;
  } catch {
    // An escape that only YAML knows, or a text that goes on in the next line.
    return null;
  }
};

/** The same, whole, from the session's folder. */
export const readCopilotSessionTitle = async (request: StateFileRequest): Promise<string | null> => {
  const session = await ownSession(request);
  if (session === null) return null;
  const path = `${session.root}/session-state/${session.id}/workspace.yaml`;
  const text = await request.files.readText(path, MAX_WORKSPACE_BYTES);
  const line = /^name: (.*)$/m.exec(text ?? "")?.[1];
  return line === undefined ? null : scalarOf(line.trim());
};
