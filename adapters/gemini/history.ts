// The sessions that Gemini CLI keeps: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`. Recorded with 0.61.0: the first
// line names the session and whether it is a person's, the second tells the model where it works.
import type { FileHistory, LogPiece, SessionFacts } from "../../core/ports/agentHistory.ts";
import {
  amountOf,
  headLines,
  newestTime,
  promptIn,
  SESSION_ID,
  usageByLine,
  withoutBranches,
} from "../common/history.ts";
import { asPayload, fieldOf, listOf, type Payload, textOf } from "../common/payload.ts";
import { parseLog, timeOf } from "../common/transcript.ts";
import { readGeminiLines } from "./transcript.ts";

const FILE = /^[^/]+\/chats\/session-[^/]+\.jsonl$/;
const WORKSPACE = /\*\*Workspace Directories:\*\*\n\s+- (\/[^\n]+)/;

/** The folder that the program names to the model; null in lines of other things. */
const folderIn = (line: Payload): string | null => {
  const history = listOf(asPayload(fieldOf(line, "$set")) ?? {}, "messages");
  for (const message of [line, ...history.slice(0, 3).map(asPayload)])
    for (const part of message === null ? [] : listOf(message, "content")) {
      const found = WORKSPACE.exec(textOf(asPayload(part) ?? {}, "text") ?? "")?.[1];
      if (found !== undefined) return found.trim();
    }
  return null;
};

const summaryIn = (tail: string): string | null => {
  const lines = tail.split("\n").filter((line) => line.startsWith('{"$set":{"summary"'));
  const [last] = parseLog(lines.join("\n")).slice(-1);
  return last === undefined ? null : textOf(asPayload(fieldOf(last, "$set")) ?? {}, "summary");
};

const readFacts = ({ head, tail }: LogPiece): SessionFacts | null => {
  let facts: SessionFacts | null = null;
  for (const line of headLines(head)) {
    if (facts === null) {
      const id = textOf(line, "sessionId");
      // A sub-agent's log says so here; versions without the word wrote none for sub-agents.
      if (id === null || !SESSION_ID.test(id) || !["main", null].includes(textOf(line, "kind"))) return null;
      facts = {
        id,
        cwd: null,
        branch: null,
        title: summaryIn(tail),
        firstPrompt: null,
        startedAt: timeOf(line, "startTime"),
        lastAt: newestTime(tail) ?? timeOf(line, "lastUpdated"),
        parentId: null,
      };
      continue;
    }
    facts.cwd ??= folderIn(line);
    facts.firstPrompt ??= promptIn(readGeminiLines([line]));
    if (facts.firstPrompt !== null && facts.cwd !== null) break;
  }
  return facts;
};

/** A message is written again when its calls have results; what a resumed session repeats has no tokens. */
const usage = usageByLine(/"tokens":\{/, (line) => {
  const tokens = asPayload(fieldOf(line, "tokens"));
  const key = textOf(line, "id");
  if (tokens === null || key === null) return null;
  const cacheRead = amountOf(tokens, "cached");
  return {
    key,
    at: timeOf(line),
    model: textOf(line, "model"),
    input: Math.max(0, amountOf(tokens, "input") - cacheRead),
    output: amountOf(tokens, "output") + amountOf(tokens, "thoughts"),
    cacheRead,
    cacheWrite: 0,
    cost: null,
  };
});

export const geminiHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: ".gemini/tmp", depth: 2, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: withoutBranches(readGeminiLines),
  usage,
};
