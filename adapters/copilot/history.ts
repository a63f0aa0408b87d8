// The sessions that Copilot CLI keeps, for the history: `~/.copilot/session-state/<id>/events.jsonl`. Recorded with 1.0.102.
import type { FileHistory, LogPiece, SessionFacts } from "../../core/ports/agentFiles.ts";
import {
  amountOf,
  headLines,
  promptIn,
  SESSION_ID,
  usageByLine,
  withoutBranches,
  timeOf,
  factsOf,
} from "../common/sessionLog.ts";
import { asPayload, fieldOf, textOf } from "../common/events.ts";
import { readCopilotLine, readCopilotLines } from "./stateFiles.ts";

const FILE = /^([^/]+)\/events\.jsonl$/;

const readFacts = ({ path, head, tail }: LogPiece): SessionFacts | null => {
  const id = FILE.exec(path)?.[1];
  if (id === undefined || !SESSION_ID.test(id)) return null;
  const facts = factsOf(id, tail);
  for (const line of headLines(head)) {
    if (textOf(line, "type") === "session.start") {
      const data = asPayload(fieldOf(line, "data")) ?? {};
      const context = asPayload(fieldOf(data, "context")) ?? {};
      facts.cwd ??= textOf(context, "cwd");
      facts.branch ??= textOf(context, "branch");
      facts.startedAt ??= timeOf(data, "startTime") ?? timeOf(line);
    }
    facts.firstPrompt ??= promptIn(readCopilotLine(line));
    if (facts.firstPrompt !== null) break;
  }
  return facts;
};

/** The usage of each record; Copilot's `cost` counts requests of a plan, not money. */
const usage = usageByLine(/"session\.usage_record"/, (line) => {
  const used = asPayload(fieldOf(asPayload(fieldOf(line, "data")) ?? {}, "usage"));
  if (used === null || textOf(line, "type") !== "session.usage_record") return null;
  const key = textOf(asPayload(fieldOf(used, "accounting")) ?? {}, "usageId") ?? textOf(line, "id");
  return key === null
    ? null
    : {
        key,
        at: timeOf(line),
        model: textOf(used, "model"),
        input: amountOf(used, "inputTokens"),
        output: amountOf(used, "outputTokens"),
        cacheRead: amountOf(used, "cacheReadTokens"),
        cacheWrite: amountOf(used, "cacheWriteTokens"),
        cost: null,
      };
});

export const copilotHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: "session-state", depth: 1, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: withoutBranches(readCopilotLines),
  usage,
};
