// The sessions that Claude Code keeps: `~/.claude/projects/<folder>/<session>.jsonl`. Recorded with 2.1.329. Logs of sub-agents
// lie in folders below it, in earlier versions beside it; all of their lines are marked as a side chain.
import type {
  FileHistory,
  FileUsage,
  LogPiece,
  SessionFacts,
  UsageRecord,
} from "../../core/ports/agentHistory.ts";
import { amountOf, costOf, headLines, newestTime, promptIn, withoutBranches } from "../common/history.ts";
import { asPayload, fieldOf, type Payload, textOf } from "../common/payload.ts";
import { parseLog, timeOf } from "../common/transcript.ts";
import { readClaudeLine } from "./transcript.ts";

const FILE = /^[^/]+\/([A-Za-z0-9][A-Za-z0-9-]{7,99})\.jsonl$/;

/** What the person called it, else what the program did; lines of a session from which this one went on do not count. */
const titleIn = (tail: string, id: string): string | null => {
  const lines = parseLog(
    tail
      .split("\n")
      .filter((line) => line.includes("-title"))
      .join("\n"),
  ).filter((line) => textOf(line, "sessionId") === id);
  const newest = (type: string, field: string): string | null =>
    textOf(lines.findLast((line) => textOf(line, "type") === type) ?? {}, field);
  return newest("custom-title", "customTitle") ?? newest("ai-title", "aiTitle");
};

const readFacts = ({ path, head, tail }: LogPiece): SessionFacts | null => {
  const id = FILE.exec(path)?.[1];
  if (id === undefined) return null;
  const facts: SessionFacts = {
    id,
    cwd: null,
    branch: null,
    title: titleIn(tail, id),
    firstPrompt: null,
    startedAt: null,
    lastAt: newestTime(tail),
    parentId: null,
  };
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

/** An answer is written in several lines, each with what the whole of it used so far. */
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

/** What the session has cost so far, by model: the program writes it when it ends, and goes on from it later. */
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
  roots: [{ folder: ".claude/projects", depth: 3, file: /^[^/]+\/([^/]+)\/subagents\/agent-[^/]+\.jsonl$/ }],
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
  roots: [{ folder: ".claude/projects", depth: 1, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: withoutBranches((lines) => lines.flatMap(readClaudeLine)),
  usage,
};
