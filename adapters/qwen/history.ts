// The sessions that Qwen Code keeps, as conversations and for the history: `~/.qwen/projects/<folder>/chats/<session>.jsonl`. Recorded
// with 0.24.4: a line for each message, which names its session and the folder; `system` lines are the program's own.
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { FileHistory, TranscriptEntry } from "../../core/ports/agentFiles.ts";
import { asPayload, fieldOf, listOf, type Payload, textOf } from "../common/events.ts";
import {
  createTranscriptReader,
  entriesOfParts,
  factsOf,
  headLines,
  promptIn,
  SESSION_ID,
  timeOf,
  withoutBranches,
} from "../common/sessionLog.ts";
import { usageOf } from "../gemini/history.ts";

const LOG = /^\/.*\/projects\/[^/]+\/chats\/([^/]+)\.jsonl$/;

/** The log that the events named, which has the session's name; else none. */
const findLog = ({ agentSessionId, transcriptPath }: StateFileRequest): Promise<string[]> => {
  const path = transcriptPath ?? "";
  const isOwn = LOG.exec(path)?.[1] === agentSessionId && !path.includes("/../");
  return Promise.resolve(agentSessionId !== null && isOwn ? [path] : []);
};

const toEntries = (line: Payload): TranscriptEntry[] => {
  const type = textOf(line, "type");
  if (type !== "user" && type !== "assistant") return [];
  const parts = listOf(asPayload(fieldOf(line, "message")) ?? {}, "parts");
  return entriesOfParts(type === "user" ? "user" : "agent", parts, timeOf(line));
};

const readLines = (lines: readonly Payload[]): TranscriptEntry[] => lines.flatMap(toEntries);

/** Null where no event named a log, or the log is another session's, and where nothing in it is known. */
export const readQwenTranscript = createTranscriptReader(findLog, readLines);

const usage = usageOf(
  { key: "uuid", tokens: "usageMetadata" },
  {
    input: "promptTokenCount",
    cached: "cachedContentTokenCount",
    output: "candidatesTokenCount",
    thoughts: "thoughtsTokenCount",
  },
);

export const qwenHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: "projects", depth: 2, file: /^[^/]+\/chats\/[^/]+\.jsonl$/ }],
  headBytes: 16 * 1024,
  readFacts: ({ head, tail }) => {
    for (const line of headLines(head)) {
      const id = textOf(line, "sessionId");
      if (id === null || !SESSION_ID.test(id)) return null;
      const prompt = promptIn(toEntries(line));
      if (prompt === null) continue;
      const known = { cwd: textOf(line, "cwd"), branch: textOf(line, "gitBranch"), startedAt: timeOf(line) };
      return factsOf(id, tail, { ...known, firstPrompt: prompt });
    }
    return null;
  },
  readEntries: withoutBranches(readLines),
  usage,
};
