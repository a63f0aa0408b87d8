// The sessions that Codex keeps: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. Recorded with 0.169.0: the
// first line is 22 kB of the program's instructions with the session's facts around them, and the first prompt stands about
// 43 kB into the file.
import type {
  FileHistory,
  FileUsage,
  LogPiece,
  SessionFacts,
  UsageRecord,
} from "../../core/ports/agentHistory.ts";
import { amountOf, headLines, newestTime, promptIn, withoutBranches } from "../common/history.ts";
import { asPayload, fieldOf, parsePayload, type Payload, textOf } from "../common/payload.ts";
import { timeOf } from "../common/transcript.ts";
import { readCodexLines } from "./transcript.ts";

const FILE = /^\d{4}\/\d\d\/\d\d\/rollout-[\dT-]{19}-([0-9a-f-]{36})\.jsonl$/;

/** `source` is a text for sessions of a person, and tells of the parent for those that another agent started. */
const isOfSubagent = (meta: Payload): boolean =>
  typeof fieldOf(meta, "source") === "object" || textOf(meta, "thread_source") === "subagent";

const readFacts = ({ path, head, tail }: LogPiece): SessionFacts | null => {
  const id = FILE.exec(path)?.[1];
  if (id === undefined) return null;
  const facts: SessionFacts = {
    id,
    cwd: null,
    branch: null,
    title: null,
    firstPrompt: null,
    startedAt: null,
    lastAt: newestTime(tail),
    parentId: null,
  };
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
 * `token_usage_record` names the answer (0.169.0). Before, `token_count` was all: it is repeated without anything new, so that
 * the sum so far is what tells two of them apart, and a fork repeats those of the session from which it came.
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
  roots: [{ folder: ".codex/sessions", depth: 3, file: FILE }],
  headBytes: 48 * 1024,
  readFacts,
  readEntries: withoutBranches(readCodexLines),
  usage,
};
