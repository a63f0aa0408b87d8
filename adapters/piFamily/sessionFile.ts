// The session file of a pane's agent: which one it is, and the state and the session's name in it; the conversation is in
// history.ts. The agents of the family that write a breadcrumb per terminal (`terminal-sessions/<tty>`: folder, then session
// file) can be followed without any event. Everything is validated against the process: breadcrumbs outlive their agents, and
// terminals are given out again.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Status } from "../../core/model/state.ts";
import { isRetryable } from "../common/progress.ts";
import {
  asPayload,
  fieldOf,
  listOf,
  parsePayload,
  type Payload,
  textOf,
  oneLine,
  THINKING,
} from "../common/events.ts";
import { timeOf, folderName, SPINNER, parseLog, TRANSCRIPT_BYTES } from "../common/sessionLog.ts";
import { endingOf, statusOfEnding } from "./normalize.ts";
import { questionAsk } from "./promptRequest.ts";
import type { Reading, StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";

// State: the newest one in the tail of a session file, append-only JSON lines (header, then entries). Says nothing while an open
// tool may be waiting for a permission, because the file does not know of permissions. Source: the session format of gjc and
// arcane as documented; omp 18.2.3 and pi 0.87.1 write the same kinds of entry.

interface LogState {
  status: Status;
  request: PromptRequest | null;
  matched: string;
}

interface Message {
  role: string;
  message: Payload;
  at: number;
}

/** Newest messages that are looked at. */
const MAX_MESSAGES = 200;

const messageOf = (line: string): Message | null => {
  const entry = parsePayload(line);
  if (entry === null || textOf(entry, "type") !== "message") return null;
  const message = asPayload(fieldOf(entry, "message"));
  const role = message === null ? null : textOf(message, "role");
  const at = timeOf(entry);
  return message === null || role === null || at === null ? null : { role, message, at };
};

/** Calls of the newest answer that have no result yet, in order. */
const openCalls = (answer: Payload, results: readonly Payload[]): Payload[] => {
  const done = new Set(results.map((result) => textOf(result, "toolCallId")));
  return listOf(answer, "content")
    .map(asPayload)
    .filter((block) => block !== null)
    .filter((block) => textOf(block, "type") === "toolCall" && !done.has(textOf(block, "id")));
};

const afterAnswer = (answer: Message, results: readonly Message[]): LogState | null => {
  const ending = endingOf(answer.message);
  if (ending === null) return null;
  if (ending.stopReason === "toolUse") {
    const open = openCalls(
      answer.message,
      results.map((result) => result.message),
    );
    const [first] = open;
    if (first === undefined)
      return { status: THINKING, request: null, matched: "session file: tools are done" };
    if (textOf(first, "name") !== "ask") return null;
    const { status, request } = questionAsk(first, answer.at, null);
    return { status, request, matched: `session file: ask, ${request.title}` };
  }
  // It may be tried again: only the agent's own event or screen says so.
  if (ending.stopReason === "error" && isRetryable(ending.errorMessage)) return null;
  const status = statusOfEnding(ending, false);
  return status === null
    ? null
    : { status, request: null, matched: `session file: the answer ended with ${ending.stopReason}` };
};

/**
 * State that the newest entries prove, or null. Entries older than `since` (epoch ms: the start of the process, less a
 * tolerance) belong to an earlier process and prove nothing.
 */
const readSessionLog = (tail: string, since: number): LogState | null => {
  const messages: Message[] = [];
  const lines = tail.split("\n");
  for (let index = lines.length - 1; index >= 0 && messages.length < MAX_MESSAGES; index -= 1) {
    const line = lines[index] ?? "";
    if (line === "") continue;
    const message = messageOf(line);
    if (message === null) continue;
    messages.unshift(message);
    if (message.role === "assistant" || message.role === "user") break;
  }
  const [first, ...rest] = messages;
  if (first === undefined || first.at < since || rest.some(({ role }) => role !== "toolResult")) return null;
  if (first.role === "user")
    return rest.length === 0
      ? { status: THINKING, request: null, matched: "session file: a prompt without an answer yet" }
      : null;
  return first.role === "assistant" ? afterAnswer(first, rest) : null;
};

const TAIL_BYTES = 512 * 1024;
const HEADER_BYTES = 8 * 1024;
const BREADCRUMB_BYTES = 8 * 1024;
/** Start times have a resolution of a second on some systems. */
const START_TOLERANCE_MS = 2_500;

/** `/dev/pts/3` → `pts-3`; null for what is no terminal. */
export const terminalId = (tty: string): string | null =>
  /^\/dev\/[A-Za-z0-9/]+$/.test(tty) ? tty.slice("/dev/".length).replaceAll("/", "-") : null;

/** The entry that names the session: the first, but for the title, which omp keeps above it (recorded with 18.2.3). */
const headerOf = async (files: TargetFiles, path: string): Promise<Payload | null> => {
  const text = (await files.readText(path, HEADER_BYTES)) ?? "";
  const [first = null, second = null] = text.split("\n", 3).slice(0, -1).map(parsePayload);
  return first !== null && textOf(first, "type") === "title" ? second : first;
};

/** Behind `script`, or in an editor's terminal, the agent has another terminal than its pane. macOS does not say which one. */
const terminalOf = async ({ files, process, pane }: StateFileRequest): Promise<string> => {
  const input = await files.readLink(`/proc/${process.pid}/fd/0`);
  if (input === pane.tty || input?.startsWith("/dev/pts/") !== true) return pane.tty;
  // In a container the same name is another terminal.
  const [own, ours] = await Promise.all([
    files.readLink(`/proc/${process.pid}/ns/mnt`),
    files.readLink("/proc/self/ns/mnt"),
  ]);
  return own === ours ? input : pane.tty;
};

/** The session file that the breadcrumb of the agent's terminal names, if it was written since this process started. */
const fromBreadcrumb = async (request: StateFileRequest): Promise<string | null> => {
  const { files, configDir, process } = request;
  const id = terminalId(await terminalOf(request));
  if (id === null) return null;
  const path = `${configDir}/terminal-sessions/${id}`;
  const stat = await files.stat(path);
  if (stat === null || !stat.isFile || stat.mtimeMs < process.startedAt - START_TOLERANCE_MS) return null;
  const [cwd = "", file = ""] = ((await files.readText(path, BREADCRUMB_BYTES)) ?? "").split(/\r?\n/);
  const actual = await files.readLink(`/proc/${process.pid}/cwd`);
  return actual !== null && actual !== cwd ? null : file;
};

const isSessionPath = (path: string, configDir: string): boolean =>
  path.startsWith(`${configDir}/sessions/`) && path.endsWith(".jsonl") && !path.includes("/../");

/** The session file that is provably this process's, with its first entry; null for none. */
export const findSessionFile = async (
  request: StateFileRequest,
): Promise<{ path: string; header: Payload } | null> => {
  const path = request.transcriptPath ?? (await fromBreadcrumb(request));
  if (path === null || !isSessionPath(path, request.configDir)) return null;
  const header = await headerOf(request.files, path);
  return header === null || textOf(header, "type") !== "session" ? null : { path, header };
};

/**
 * Reads the state from the agent's session file. A file that the agent's own events named goes before the
 * breadcrumb. Null where no file is provably this process's, and where the file proves nothing.
 */
export const readPiSessionFile = async (request: StateFileRequest): Promise<Reading | null> => {
  const { files, process } = request;
  const session = await findSessionFile(request);
  const tail = session === null ? null : await files.readTail(session.path, TAIL_BYTES);
  if (tail === null) return null;
  const state = readSessionLog(tail, process.startedAt - START_TOLERANCE_MS);
  return state === null
    ? null
    : {
        status: state.status,
        confidence: "medium",
        matched: oneLine(state.matched),
        request: state.request,
        isSteady: state.status.state !== "running",
      };
};

// Names: what oh-my-pi and pi call their sessions, in the title of the pane, where without one the folder's name stands, and in
// the session file. Source: titles and lines recorded with omp 18.2.3, and what pi 0.87.1 writes for a session with a name.

const OMP_TITLE = new RegExp(`^π(?:: | (?:[>!:]|${SPINNER}) )(\\S.*)$`, "u");

/** Null where the folder is not known: its name could not be told from the session's. */
export const titleOfOmpSession = (title: string, folder: string | null): string | null => {
  const text = OMP_TITLE.exec(title.trim())?.[1] ?? "";
  return text === "" || folder === null || text === folderName(folder) ? null : text;
};

export const titleOfPiSession = (title: string, folder: string | null): string | null => {
  const end = ` - ${folderName(folder)}`;
  const text = title.trim();
  if (folder === null || !text.startsWith("π - ") || !text.endsWith(end)) return null;
  return text.slice("π - ".length, -end.length).trim() || null;
};

/** omp keeps the name as it is now in a line of its own above the session's first entry. */
const readHead = async ({ files }: StateFileRequest, path: string): Promise<string | null> => {
  const [first = ""] = ((await files.readText(path, 8 * 1024)) ?? "").split("\n", 1);
  const line = parsePayload(first);
  return line !== null && textOf(line, "type") === "title" ? textOf(line, "title") : null;
};

/** Null for a session without a name; an empty name removes the one before. */
export const readPiSessionTitle = async (request: StateFileRequest): Promise<string | null> => {
  const session = await findSessionFile(request);
  if (session === null) return null;
  const head = await readHead(request, session.path);
  if (head !== null) return head || null;
  const tail = (await request.files.readTail(session.path, TRANSCRIPT_BYTES)) ?? "";
  const named = parseLog(tail).findLast((line) => textOf(line, "type") === "session_info");
  return (named === undefined ? textOf(session.header, "title") : textOf(named, "name")) || null;
};
