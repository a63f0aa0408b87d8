// Copilot CLI's own files: the session's log (its state, why a turn failed, the conversation), the list of open sessions with its
// word on whether each works, and the session's title. A session is this process's where the hooks named it, or where its lock bears
// the process's id: there may be several, of which the pane shows one. The log outranks hooks where they are silent (denied,
// interrupted, finally failed). Undocumented, so nothing counts before it is tied to the process.
import { type ErrorStatus, failureOfText, withProgress } from "../common/progress.ts";
import {
  asPayload,
  fieldOf,
  oneLine,
  textOf,
  type Payload,
  COMPACTING,
  COMPLETED,
  INTERRUPTED,
  SUBAGENT,
  THINKING,
  TOOL,
  type Ask,
  FRESH,
} from "../common/events.ts";
import { promptRequest } from "../common/promptRequest.ts";
import type { Status } from "../../core/model/state.ts";
import { parseLog, timeOf, callOf, entryOf, createTranscriptReader } from "../common/sessionLog.ts";
import { ASK_TOOL, permissionAsk, questionAsk } from "./normalize.ts";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TranscriptEntry } from "../../core/ports/agentFiles.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { asks, shows } from "../common/screenText.ts";
import * as z from "zod";

// Failures: why a turn failed, from the status of the session log, else from the text that Copilot shows. Recorded with 1.0.102:
// 400, 401, 500 and a cut stream; the limit texts are the vendor's own words.

/** `statusCode` null: the log names none. A usage limit that the text names goes before the status. */
export const errorStatusOf = (text: string, statusCode: number | null): ErrorStatus => {
  const byText = failureOfText(text);
  if (byText.reasonCode === "usage_limit" || statusCode === null) return byText;
  if (statusCode === 401 || statusCode === 403) return { state: "error", reasonCode: "auth_failed" };
  if (statusCode === 402) return { state: "error", reasonCode: "usage_limit" };
  if (statusCode === 429) return { state: "error", reasonCode: "rate_limited" };
  return { state: "error", reasonCode: "api_error" };
};

// State: what the newest lines of a session's `events.jsonl` say of turns, permissions, questions, interrupts and failures; the
// last two fire no hook. Pure. Sources: event names and fields noted with 1.0.102; the form of a line and of a permission from
// programs that read these logs. Unknown lines say nothing.

interface LogState {
  status: Status;
  /** The oldest permission or question that is still open. */
  ask: Ask | null;
  /** Name of the line that decided. */
  event: string;
  /** Time of the newest line, epoch ms; null where it has none. */
  at: number | null;
}

interface Fold {
  status: Status | null;
  event: string;
  /** Open permissions and questions by the agent's own id. */
  open: Map<string, Ask>;
  /** A model's turn that called a tool is followed by another one. */
  hasCalledTool: boolean;
  at: number | null;
}

const permissionOf = (data: Payload): Ask => {
  const asked = asPayload(fieldOf(data, "permissionRequest")) ?? {};
  const command = textOf(asked, "fullCommandText") ?? textOf(asked, "command");
  const kind = textOf(asked, "kind") ?? "";
  if (command !== null) return permissionAsk("bash", { command }, null);
  const path = textOf(asked, "fileName") ?? textOf(asked, "path");
  if (kind === "write" && path !== null) {
    const diff = textOf(asked, "diff");
    return permissionAsk("edit", { path, ...(diff === null ? {} : { diff }) }, null);
  }
  const ask = permissionAsk("", {}, null);
  const intention = textOf(asked, "intention");
  const toolName = oneLine(textOf(asked, "toolName") ?? kind, 200);
  const title = oneLine(intention ?? "") || (toolName === "" ? ask.request.title : `Use ${toolName}`);
  const body = textOf(asked, "url") ?? path ?? intention;
  return { ...ask, request: promptRequest({ ...ask.request, title, body, toolName }) };
};

/** Sub-agents write into the same log; their turns are not the parent's. */
const isOfSubagent = (line: Payload, data: Payload): boolean =>
  textOf(line, "agentId") !== null || textOf(data, "parentToolCallId") !== null;

const ended = (fold: Fold, status: Status): void => {
  fold.open.clear();
  fold.hasCalledTool = false;
  fold.status = status;
};

type Rule = (fold: Fold, data: Payload) => void;

const works =
  (status: Status): Rule =>
  (fold) => {
    fold.status = status;
  };

const idOf = (data: Payload, name: string): string => textOf(data, name) ?? "";

const RULES: Readonly<Record<string, Rule>> = {
  "user.message": (fold) => ended(fold, THINKING),
  "assistant.turn_start": (fold) => {
    fold.hasCalledTool = false;
    fold.status = THINKING;
  },
  "assistant.message": works(THINKING),
  "assistant.reasoning": works(THINKING),
  "assistant.turn_end": (fold) => {
    if (fold.status?.state === "error" || fold.status?.state === "idle") return;
    if (fold.hasCalledTool) fold.status = THINKING;
    else ended(fold, COMPLETED);
  },
  "tool.execution_start": (fold, data) => {
    fold.hasCalledTool = true;
    fold.status = TOOL;
    if (textOf(data, "toolName") === ASK_TOOL)
      fold.open.set(`tool:${idOf(data, "toolCallId")}`, questionAsk(fieldOf(data, "arguments")));
  },
  "tool.execution_complete": (fold, data) => {
    // A tool that an interrupt ended is reported as complete, too.
    fold.open.delete(`tool:${idOf(data, "toolCallId")}`);
    if (fold.status?.state === "running" || fold.status === null) fold.status = THINKING;
  },
  "permission.requested": (fold, data) => {
    fold.status = TOOL;
    fold.open.set(`permission:${idOf(data, "requestId")}`, permissionOf(data));
  },
  "permission.completed": (fold, data) => {
    fold.open.delete(`permission:${idOf(data, "requestId")}`);
    if (fold.status?.state === "running" || fold.status === null) fold.status = TOOL;
  },
  "session.error": (fold, data) => {
    const code = fieldOf(data, "statusCode");
    const text = `${textOf(data, "errorType") ?? ""} ${textOf(data, "message") ?? ""}`;
    ended(fold, errorStatusOf(text, typeof code === "number" ? code : null));
  },
  abort: (fold) => ended(fold, INTERRUPTED),
  "session.compaction_start": works(COMPACTING),
  "session.compaction_complete": works(THINKING),
  // The log says no more: the process shows the rest.
  "session.shutdown": (fold) => {
    fold.open.clear();
    fold.status = null;
  },
};

const PERMISSIONS = new Set(["permission.requested", "permission.completed"]);

const apply = (fold: Fold, line: Payload): void => {
  const name = textOf(line, "type") ?? "";
  const data = asPayload(fieldOf(line, "data")) ?? {};
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule === undefined) return;
  fold.at = timeOf(line) ?? fold.at;
  fold.event = name;
  if (!isOfSubagent(line, data)) {
    rule(fold, data);
    return;
  }
  if (PERMISSIONS.has(name)) rule(fold, data);
  if (fold.status === null || fold.status.state === "running") fold.status = SUBAGENT;
};

/** `tail`: the newest bytes of the log, whose first line may be cut. Null where they say nothing of the state. */
export const readSessionLog = (tail: string): LogState | null => {
  const fold: Fold = { status: null, event: "", open: new Map(), hasCalledTool: false, at: null };
  for (const line of parseLog(tail)) apply(fold, line);
  const [ask = null] = fold.open.values();
  return fold.status === null
    ? null
    : { status: ask?.status ?? fold.status, ask, event: fold.event, at: fold.at };
};

const MAX_LIST_BYTES = 256 * 1024;
/** A tool's whole output may be one line: where the newest bytes hold no line that says anything, more are read. */
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

/** The sessions of this process; the one that the hooks named first. */
const findSessions = async (
  request: StateFileRequest,
  root: string,
  open: OpenSessions,
): Promise<string[]> => {
  const { agentSessionId } = request;
  if (agentSessionId !== null && !SESSION_ID.test(agentSessionId)) return [];
  const ids = Object.keys(open)
    .filter((id) => SESSION_ID.test(id))
    .slice(-MAX_OPEN_SESSIONS);
  const locked = await Promise.all(ids.map((id) => isLockedBy(request, root, id)));
  const ours = ids.filter((_, index) => locked[index]);
  return [...new Set(agentSessionId === null ? ours : [agentSessionId, ...ours])];
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

/** The session that the hooks named, or the only one that is provably this process's; null for none. */
const ownSession = async (request: StateFileRequest): Promise<{ root: string; id: string } | null> => {
  const root = request.configDir;
  const [id, ...more] = await findSessions(request, root, await readOpenSessions(request.files, root));
  return id === undefined || (request.agentSessionId === null && more.length > 0) ? null : { root, id };
};

/** What a session says, and whether the pane's title, which is its name, says that it is in front. */
interface SessionReading {
  reading: Reading;
  isInFront: boolean;
}

/** What any of them asks needs the person; beside that the pane is as the session in front, if the title tells which that is. */
const readingOfSeveral = (all: readonly SessionReading[], count: number): Reading | null => {
  const front = all.filter(({ isInFront }) => isInFront);
  const shown = front.length === 1 ? front[0] : undefined;
  const asking = all.filter(({ reading }) => reading.request !== null);
  const asked = asking.find((one) => one === shown) ?? asking[0];
  const working = all.find(({ reading }) => reading.status.state === "running");
  const chosen = asked ?? shown ?? working;
  if (chosen === undefined) return null;
  const isElsewhere = chosen === asked && chosen !== shown;
  return withProgress(chosen.reading, `${isElsewhere ? "asked by another" : "1"} of ${count} sessions`);
};

/** Null for no session that is provably this process's, and for logs that say nothing of the state. */
export const readCopilotStateFiles = async (request: StateFileRequest): Promise<Reading | null> => {
  const { files, configDir: root, transcriptPath, pane } = request;
  const open = await readOpenSessions(files, root);
  const ids = await findSessions(request, root, open);
  const title = ids.length > 1 ? titleOfCopilotSession(pane.title) : null;
  const read = async (id: string): Promise<SessionReading[]> => {
    const state = await readLog(files, logPath(transcriptPath, root, id));
    if (state === null) return [];
    const isInFront = title !== null && (await nameOfSession(files, root, id)) === title;
    return [{ reading: readingOf(state, open[id]), isInFront }];
  };
  const all = (await Promise.all(ids.map(read))).flat();
  return ids.length > 1 ? readingOfSeveral(all, ids.length) : (all[0]?.reading ?? null);
};

// Conversation: the names of the log's lines were recorded with 1.0.102; where the texts stand is documented by several programs
// that read these logs. Sub-agents' lines are left out.

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

export const readCopilotLines = (lines: readonly Payload[]): TranscriptEntry[] =>
  lines.flatMap(readCopilotLine);

/** Null for no session that is provably this process's, and where nothing in its log is known. */
export const readCopilotTranscript = createTranscriptReader(async (request) => {
  const session = await ownSession(request);
  return session === null ? [] : [logPath(request.transcriptPath, session.root, session.id)];
}, readCopilotLines);

const MAX_WORKSPACE_BYTES = 16 * 1024;

/**
 * Copilot's own name for its session, before the program's name in the title of its pane: the first prompt until somebody
 * renames it. Null for the program's name alone and for titles of others.
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

/** The same name in full, from the session's folder. */
const nameOfSession = async (files: TargetFiles, root: string, id: string): Promise<string | null> => {
  const text = await files.readText(`${root}/session-state/${id}/workspace.yaml`, MAX_WORKSPACE_BYTES);
  const line = /^name: (.*)$/m.exec(text ?? "")?.[1];
  return line === undefined ? null : scalarOf(line.trim());
};

export const readCopilotSessionTitle = async (request: StateFileRequest): Promise<string | null> => {
  const session = await ownSession(request);
  return session === null ? null : nameOfSession(request.files, session.root, session.id);
};
