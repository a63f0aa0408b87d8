// What Claude Code's logs of sessions say: the conversation, the session's title, and for the history its facts and usage. Logs:
// `~/.claude/projects/<folder>/<session>.jsonl`, recorded with 2.1.329. Logs of sub-agents lie in folders below it, in earlier
// versions beside it; all of their lines are marked as a side chain.
import { logsOf, readSessionFile } from "./stateFiles.ts";
import {
  SPINNER,
  callOf,
  entryOf,
  parseLog,
  textsOf,
  timeOf,
  TRANSCRIPT_BYTES,
  amountOf,
  costOf,
  headLines,
  promptIn,
  withoutBranches,
  createTranscriptReader,
  factsOf,
} from "../common/sessionLog.ts";
import { limitWindow } from "../common/accountLimits.ts";
import { asPayload, fieldOf, listOf, type Payload, parsePayload, textOf } from "../common/events.ts";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type {
  AgentLimits,
  TranscriptEntry,
  FileHistory,
  FileUsage,
  LogPiece,
  SessionFacts,
  UsageRecord,
} from "../../core/ports/agentFiles.ts";

// Conversation: the log's path is in every hook event and follows from the session file; the form of its lines is documented by
// several programs that read it. Sub-agents' lines and what the program itself tells the model are left out.

const INTERRUPTED = /^\[Request interrupted by user[^\]]*\]$/;

/** Where this process's log may be: the path that events named, if it is this session's, else by the process's session file. */
const findClaudeLogs = async (request: StateFileRequest): Promise<string[]> => {
  const { configDir, agentSessionId, transcriptPath } = request;
  if (
    transcriptPath !== null &&
    agentSessionId !== null &&
    transcriptPath.startsWith("/") &&
    !transcriptPath.includes("/../") &&
    transcriptPath.endsWith(`/${agentSessionId}.jsonl`)
  )
    return [transcriptPath];
  return logsOf(configDir, (await readSessionFile(request)) ?? {});
};

const fromUser = (line: Payload, message: Payload, at: number | null): TranscriptEntry[] => {
  const isSummary = fieldOf(line, "isCompactSummary") === true;
  return textsOf(fieldOf(message, "content"), ["text"]).flatMap((text) =>
    INTERRUPTED.test(text)
      ? entryOf("note", "interrupted", at)
      : entryOf(isSummary ? "note" : "user", text, at),
  );
};

const fromAgent = (message: Payload, at: number | null): TranscriptEntry[] => {
  const content = fieldOf(message, "content");
  if (typeof content === "string") return entryOf("agent", content, at);
  return listOf(message, "content").flatMap((item) => {
    const block = asPayload(item) ?? {};
    switch (textOf(block, "type")) {
      case "text":
        return entryOf("agent", textOf(block, "text"), at);
      case "tool_use":
        return callOf(textOf(block, "name"), fieldOf(block, "input"), at);
      // Reasoning, images, and what later versions may add.
      case null:
      default:
        return [];
    }
  });
};

/** What one line of the log says. */
const readClaudeLine = (line: Payload): TranscriptEntry[] => {
  const type = textOf(line, "type");
  const message = asPayload(fieldOf(line, "message"));
  if (message === null || fieldOf(line, "isSidechain") === true || fieldOf(line, "isMeta") === true)
    return [];
  const at = timeOf(line);
  if (type === "user") return fromUser(line, message, at);
  return type === "assistant" ? fromAgent(message, at) : [];
};

const readClaudeLines = (lines: readonly Payload[]): TranscriptEntry[] => lines.flatMap(readClaudeLine);

/** Null where no log is provably this process's, or nothing in it is known. */
export const readClaudeTranscript = createTranscriptReader(findClaudeLogs, readClaudeLines);

// Title: the pane's title names the session, and so do two kinds of log line that 2.1.329 writes; `summary` lines name others.

/** Without the sign the title is not Claude Code's but the shell's. */
const TITLE = new RegExp(`^(?:${SPINNER}|[·✢✳✶✻✽]) (\\S.*)$`, "u");
const OWN_NAME = /^claude(?: code)?$/i;

/** Null for the program's own name and for titles of others. */
export const titleOfClaudeSession = (title: string): string | null => {
  const text = TITLE.exec(title)?.[1]?.trim() ?? "";
  return text === "" || OWN_NAME.test(text) ? null : text;
};

/** What the person called it, else what the program did. Lines of the session that this one continues do not count. */
const titleIn = (tail: string, id: string): string | null => {
  const named = tail.split("\n").filter((line) => line.includes("-title"));
  const lines = parseLog(named.join("\n")).filter((line) => textOf(line, "sessionId") === id);
  const newest = (type: string, field: string): string | null =>
    textOf(lines.findLast((line) => textOf(line, "type") === type) ?? {}, field);
  return newest("custom-title", "customTitle") ?? newest("ai-title", "aiTitle");
};

export const readClaudeSessionTitle = async (request: StateFileRequest): Promise<string | null> => {
  for (const path of await findClaudeLogs(request)) {
    const tail = await request.files.readTail(path, TRANSCRIPT_BYTES);
    if (tail !== null) return titleIn(tail, path.slice(path.lastIndexOf("/") + 1, -".jsonl".length));
  }
  return null;
};

// History: facts and usage.

const FILE = /^[^/]+\/([A-Za-z0-9][A-Za-z0-9-]{7,99})\.jsonl$/;

const readFacts = ({ path, head, tail }: LogPiece): SessionFacts | null => {
  const id = FILE.exec(path)?.[1];
  if (id === undefined) return null;
  const facts = factsOf(id, tail, { title: titleIn(tail, id) });
  for (const line of headLines(head)) {
    if (fieldOf(line, "isSidechain") === true) return null;
    const of = textOf(line, "sessionId");
    if (of !== null && of !== id) facts.parentId ??= of;
    facts.cwd ??= textOf(line, "cwd");
    facts.branch ??= textOf(line, "gitBranch");
    facts.startedAt ??= timeOf(line);
    facts.firstPrompt ??= promptIn(readClaudeLine(line));
    if (facts.firstPrompt !== null && facts.cwd !== null) break;
  }
  return facts;
};

/** An answer is written as several lines, each with what all of it has used so far. */
const answerUsage = (line: Payload): UsageRecord | null => {
  const message = asPayload(fieldOf(line, "message"));
  const usage = message === null ? null : asPayload(fieldOf(message, "usage"));
  const key = message === null ? null : (textOf(message, "id") ?? textOf(line, "uuid"));
  if (message === null || usage === null || key === null || textOf(line, "type") !== "assistant") return null;
  return {
    key,
    at: timeOf(line),
    model: textOf(message, "model"),
    input: amountOf(usage, "input_tokens"),
    output: amountOf(usage, "output_tokens"),
    cacheRead: amountOf(usage, "cache_read_input_tokens"),
    cacheWrite: amountOf(usage, "cache_creation_input_tokens"),
    cost: null,
  };
};

/** The session's cost so far, by model: the program writes it when it ends, and continues from it when resumed. */
const costUsage = (line: Payload, at: number | null): UsageRecord[] => {
  const session = textOf(line, "sessionId");
  const models = asPayload(fieldOf(line, "modelUsage"));
  if (textOf(line, "type") !== "cost-state" || session === null || models === null) return [];
  return Object.keys(models).flatMap((model) => {
    const cost = costOf(asPayload(fieldOf(models, model)) ?? {}, "costUSD");
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    return cost === null ? [] : [{ key: `cost ${session} ${model}`, at, model, ...none, cost }];
  });
};

const usage: FileUsage = {
  mark: /"usage":|"cost-state"/,
  roots: [{ folder: "projects", depth: 3, file: /^[^/]+\/([^/]+)\/subagents\/agent-[^/]+\.jsonl$/ }],
  createReader: (_path, state) => {
    let at = state === null || state === "" ? null : Number(state);
    return {
      read: (line) => {
        const answer = answerUsage(line);
        at = answer?.at ?? at;
        return answer === null ? costUsage(line, at) : [answer];
      },
      state: () => String(at ?? ""),
    };
  },
};

export const claudeHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: "projects", depth: 1, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: withoutBranches(readClaudeLines),
  usage,
};

// Limits: only the JSON that a status line gets has them (documented: `rate_limits` with `five_hour` and `seven_day`, for accounts with a
// subscription, after the first answer). No file of the program does, so a person's status line may keep it for us beside the settings
// (docs/history.md).

const WINDOWS = [
  ["five_hour", 5 * 60],
  ["seven_day", 7 * 24 * 60],
] as const;

export const claudeLimits: AgentLimits = {
  from: { file: "agtmux-status.json" },
  source: "its status line",
  read: (text, changedAt) => {
    const limits = asPayload(fieldOf(parsePayload(text) ?? {}, "rate_limits"));
    if (limits === null) return null;
    const windows = WINDOWS.flatMap(([name, minutes]) => {
      const window = limitWindow(fieldOf(limits, name), changedAt, { percent: "used_percentage", minutes });
      return window === null ? [] : [window];
    });
    return windows.length === 0 ? null : { at: changedAt, windows };
  },
};
