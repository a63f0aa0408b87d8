// The newest state in the tail of a session file of the pi family: append-only JSON lines (header, then entries). Says
// nothing while a tool is open that may be waiting for a permission, because the file does not know of permissions.
// Source: the session format of gjc and arcane as documented; omp 18.2.3 and pi 0.87.1 write the same kinds of entry.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Status } from "../../core/model/state.ts";
import { isRetryable } from "../common/failure.ts";
import { asPayload, fieldOf, listOf, parsePayload, type Payload, textOf } from "../common/payload.ts";
import { THINKING } from "../common/signals.ts";
import { timeOf } from "../common/transcript.ts";
import { endingOf, statusOfEnding } from "./ending.ts";
import { questionAsk } from "./promptRequest.ts";

export interface LogState {
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
  // It may be tried again: only the agent's own event or screen tells.
  if (ending.stopReason === "error" && isRetryable(ending.errorMessage)) return null;
  const status = statusOfEnding(ending, false);
  return status === null
    ? null
    : { status, request: null, matched: `session file: the answer ended with ${ending.stopReason}` };
};

/**
 * State that the newest entries prove, or null. Entries older than `since` (epoch ms: the start of the process, less a
 * tolerance) belong to an earlier life and prove nothing.
 */
export const readSessionLog = (tail: string, since: number): LogState | null => {
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
