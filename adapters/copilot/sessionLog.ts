// What the newest lines of a session's `events.jsonl` say: the agent's own account of turns, permissions, questions,
// interrupts and failures, the last two of which no hook tells. Pure. Sources: event names and fields noted with 1.0.102;
// the form of a line and of a permission from programs that read these logs. Unknown lines say nothing.
import { asPayload, fieldOf, oneLine, textOf, type Payload } from "../common/payload.ts";
import { promptRequest } from "../common/promptRequest.ts";
import type { Status } from "../../core/model/state.ts";
import { COMPACTING, COMPLETED, INTERRUPTED, SUBAGENT, THINKING, TOOL, type Ask } from "../common/signals.ts";
import { parseLog, timeOf } from "../common/transcript.ts";
import { errorStatusOf } from "./errorReason.ts";
import { ASK_TOOL, permissionAsk, questionAsk } from "./prompts.ts";

export interface LogState {
  status: Status;
  /** The oldest permission or question that is still open. */
  ask: Ask | null;
  /** Name of the line that decided. */
  event: string;
  /** Of the newest line, epoch ms; null where it has none. */
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
    // Also what an interrupt ends is reported as complete.
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
  // Nothing is left to say: the process tells the rest.
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
