// What Codex's rollouts say: the conversation, and for the history a session's facts and usage. Files:
// `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. Recorded with 0.169.0: the first line is 22 kB of the
// program's instructions with the session's facts around them, and the first prompt stands about 43 kB into the file.
import { limitWindow, newestLimits } from "../common/accountLimits.ts";
import type {
  AgentLimits,
  LimitReading,
  TranscriptEntry,
  FileHistory,
  FileUsage,
  LogPiece,
  SessionFacts,
  UsageRecord,
} from "../../core/ports/agentFiles.ts";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, textOf, type Payload, parsePayload } from "../common/events.ts";
import {
  callOf,
  entryOf,
  textsOf,
  timeOf,
  amountOf,
  headLines,
  promptIn,
  withoutBranches,
  createTranscriptReader,
  factsOf,
} from "../common/sessionLog.ts";

// Conversation. That `event_msg` and `response_item` lines are in it, and how a turn ends there, was
// recorded with 0.169.0; the lines of messages and calls are documented by several programs that read these logs. Texts are
// taken from the events, which hold what a person typed and read; from the model's own items only where there are no such
// events, because those begin with instructions that nobody typed.

/** Blocks that the program itself puts before the person's text. */
const INSTRUCTIONS = /^\s*(?:<[a-z_]+>|# AGENTS\.md)/;

interface Line {
  /** `<type of line>/<type of payload>`. */
  kind: string;
  payload: Payload;
  at: number | null;
}

const toLine = (line: Payload): Line | null => {
  const payload = asPayload(fieldOf(line, "payload"));
  return payload === null
    ? null
    : { kind: `${textOf(line, "type") ?? ""}/${textOf(payload, "type") ?? ""}`, payload, at: timeOf(line) };
};

const argumentsOf = (payload: Payload): unknown => {
  const text = textOf(payload, "arguments") ?? "";
  try {
    return JSON.parse(text);
  } catch {
    // Arguments are the model's words: shown as they are where they are not JSON.
    return text;
  }
};

const failureOf = (payload: Payload): string | null => {
  const error = fieldOf(payload, "error");
  return typeof error === "string" ? error : textOf(asPayload(error) ?? {}, "message");
};

const toEntries =
  (kinds: ReadonlySet<string>) =>
  ({ kind, payload, at }: Line): TranscriptEntry[] => {
    switch (kind) {
      case "event_msg/user_message":
        return entryOf("user", textOf(payload, "message"), at);
      case "event_msg/agent_message":
        return entryOf("agent", textOf(payload, "message"), at);
      case "event_msg/task_complete":
        return entryOf("note", failureOf(payload), at);
      case "event_msg/turn_aborted":
        return entryOf("note", textOf(payload, "reason") ?? "aborted", at);
      case "response_item/message": {
        const role = textOf(payload, "role");
        const content = fieldOf(payload, "content");
        if (role === "assistant" && !kinds.has("event_msg/agent_message"))
          return textsOf(content, ["output_text"]).flatMap((text) => entryOf("agent", text, at));
        if (role === "user" && !kinds.has("event_msg/user_message"))
          return textsOf(content, ["input_text"])
            .filter((text) => !INSTRUCTIONS.test(text))
            .flatMap((text) => entryOf("user", text, at));
        return [];
      }
      case "response_item/function_call":
        return callOf(textOf(payload, "name"), argumentsOf(payload), at);
      case "response_item/custom_tool_call":
        return callOf(textOf(payload, "name"), fieldOf(payload, "input"), at);
      case "response_item/local_shell_call":
        return callOf("shell", fieldOf(payload, "action"), at);
      default:
        return [];
    }
  };

/** What lines of the rollout say, in order. */
const readCodexLines = (payloads: readonly Payload[]): TranscriptEntry[] => {
  const lines = payloads.map(toLine).filter((line) => line !== null);
  return lines.flatMap(toEntries(new Set(lines.map(({ kind }) => kind))));
};

/** The rollout that the events or its lock named, if it is this session's; else none. */
export const findRollout = ({
  agentSessionId,
  transcriptPath,
}: Pick<StateFileRequest, "agentSessionId" | "transcriptPath">): string[] =>
  agentSessionId !== null && transcriptPath?.endsWith(`${agentSessionId}.jsonl`) === true
    ? [transcriptPath]
    : [];

/** Null for a rollout that is not this session's, and where nothing in it is known. */
export const readCodexTranscript = createTranscriptReader(
  (request) => Promise.resolve(findRollout(request)),
  readCodexLines,
);

// History: facts and usage.

const FILE = /^\d{4}\/\d\d\/\d\d\/rollout-[\dT-]{19}-([0-9a-f-]{36})\.jsonl$/;

/** `source` is a text for a person's sessions, and an object about the parent for those that another agent started. */
const isOfSubagent = (meta: Payload): boolean =>
  typeof fieldOf(meta, "source") === "object" || textOf(meta, "thread_source") === "subagent";

export const readFacts = ({ path, head, tail }: LogPiece): SessionFacts | null => {
  const id = FILE.exec(path)?.[1];
  if (id === undefined) return null;
  const facts = factsOf(id, tail);
  for (const line of headLines(head)) {
    const payload = asPayload(fieldOf(line, "payload")) ?? {};
    // A fork repeats the first line of its parent after its own.
    if (textOf(line, "type") === "session_meta" && facts.startedAt === null) {
      if (isOfSubagent(payload)) return null;
      facts.cwd = textOf(payload, "cwd");
      facts.branch = textOf(asPayload(fieldOf(payload, "git")) ?? {}, "branch");
      facts.parentId = textOf(payload, "forked_from_id");
      facts.startedAt = timeOf(payload) ?? timeOf(line);
    }
    facts.firstPrompt ??= promptIn(readCodexLines([line]));
    if (facts.firstPrompt !== null) break;
  }
  return facts;
};

const amounts = (
  usage: Payload,
): Pick<UsageRecord, "input" | "output" | "cacheRead" | "cacheWrite" | "cost"> => {
  const cacheRead = amountOf(usage, "cached_input_tokens");
  return {
    // The program counts what came from the cache as input, too.
    input: Math.max(0, amountOf(usage, "input_tokens") - cacheRead),
    output: amountOf(usage, "output_tokens"),
    cacheRead,
    cacheWrite: amountOf(usage, "cache_write_input_tokens"),
    cost: null,
  };
};

const totalsOf = (info: Payload): string => {
  const total = asPayload(fieldOf(info, "total_token_usage")) ?? {};
  const names = ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"];
  return names.map((name) => amountOf(total, name)).join(" ");
};

/**
 * `token_usage_record` names the answer (0.169.0). Before, there was only `token_count`: it is repeated without anything new, so
 * the sum so far distinguishes two of them, and a fork repeats those of its parent.
 */
const usage: FileUsage = {
  mark: /"token_usage_record"|"token_count"|"session_meta"|"turn_context"/,
  roots: [],
  createReader: (path, state) => {
    const kept = parsePayload(state ?? "") ?? {};
    let root = textOf(kept, "root") ?? path;
    let model = textOf(kept, "model");
    let hasRecords = fieldOf(kept, "hasRecords") === true;
    const read = (line: Payload): UsageRecord[] => {
      const payload = asPayload(fieldOf(line, "payload")) ?? {};
      const kind = textOf(line, "type");
      if (kind === "session_meta") root = textOf(payload, "forked_from_id") ?? textOf(payload, "id") ?? root;
      if (kind === "turn_context") model = textOf(payload, "model") ?? model;
      const at = timeOf(line);
      if (kind === "token_usage_record") {
        hasRecords = true;
        const used = asPayload(fieldOf(payload, "usage"));
        const key = textOf(payload, "response_id");
        return used === null || key === null ? [] : [{ key, at, model, ...amounts(used) }];
      }
      const info = asPayload(fieldOf(payload, "info"));
      const used = info === null ? null : asPayload(fieldOf(info, "last_token_usage"));
      if (hasRecords || info === null || used === null || textOf(payload, "type") !== "token_count")
        return [];
      return [{ key: `${root} ${totalsOf(info)}`, at, model, ...amounts(used) }];
    };
    return { read, state: () => JSON.stringify({ root, model, hasRecords }) };
  },
};

export const codexHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: "sessions", depth: 3, file: FILE }],
  headBytes: 48 * 1024,
  readFacts,
  readEntries: withoutBranches(readCodexLines),
  usage,
};

// Limits: `token_count` repeats what the provider said with its last answer (form recorded with 0.169.0, where all windows were null; the
// windows' own form is that of logs of 0.58 and later that others have published). Earlier versions have no `limit_id`.

const GENERAL_LIMIT = "codex";

const readLimits = (line: Payload): LimitReading | null => {
  const payload = asPayload(fieldOf(line, "payload"));
  const at = timeOf(line);
  if (payload === null || at === null || textOf(payload, "type") !== "token_count") return null;
  const limits = asPayload(fieldOf(payload, "rate_limits"));
  // Another limit, as of one model, says nothing of the account's.
  if (limits === null || (textOf(limits, "limit_id") ?? GENERAL_LIMIT) !== GENERAL_LIMIT) return null;
  const windows = ["primary", "secondary"].flatMap((name) => {
    const window = limitWindow(fieldOf(limits, name), at, { percent: "used_percent", minutes: null });
    return window === null ? [] : [window];
  });
  return windows.length === 0 ? null : { at, windows };
};

export const codexLimits: AgentLimits = {
  from: "logs",
  source: "its session log",
  read: (text) => newestLimits(text, /"rate_limits"\s*:\s*\{/, readLimits),
};
