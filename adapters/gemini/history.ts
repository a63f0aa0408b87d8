// The sessions that Gemini CLI keeps, as conversations and for the history:
// `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`. Recorded with 0.61.0: the first line names the session and whether
// it is a person's, the second tells the model where it works.
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TranscriptEntry, FileHistory, LogPiece, SessionFacts } from "../../core/ports/agentFiles.ts";
import { asPayload, fieldOf, listOf, parsePayload, type Payload, textOf } from "../common/events.ts";
import {
  callOf,
  entryOf,
  parseLog,
  timeOf,
  amountOf,
  headLines,
  promptIn,
  SESSION_ID,
  usageByLine,
  withoutBranches,
  createTranscriptReader,
  factsOf,
} from "../common/sessionLog.ts";

// The conversation: the log's path is in every hook event. After the first line comes one line per message, written again with
// the same id once its calls have results; `$set` lines repeat the model's history, from which interrupted turns are missing.

const HEADER_BYTES = 8 * 1024;
/** What the program tells the model before the person's first words. */
const CONTEXT = /^<session_context>/;

/** The log of the session that the events named, if the log says so itself; else none. */
const findLog = async ({ files, agentSessionId, transcriptPath }: StateFileRequest): Promise<string[]> => {
  if (agentSessionId === null || transcriptPath === null) return [];
  if (!/^\/.*\/chats\/[^/]+\.jsonl$/.test(transcriptPath) || transcriptPath.includes("/../")) return [];
  const head = (await files.readText(transcriptPath, HEADER_BYTES)) ?? "";
  const header = parsePayload(head.split("\n", 1)[0] ?? "");
  return header !== null && textOf(header, "sessionId") === agentSessionId ? [transcriptPath] : [];
};

const fromUser = (line: Payload, at: number | null): TranscriptEntry[] => {
  const content = fieldOf(line, "content");
  const texts =
    typeof content === "string"
      ? [content]
      : listOf(line, "content").map((part) => textOf(asPayload(part) ?? {}, "text"));
  return texts
    .filter((text) => text !== null && !CONTEXT.test(text))
    .flatMap((text) => entryOf("user", text, at));
};

const fromAgent = (line: Payload, at: number | null): TranscriptEntry[] => [
  ...entryOf("agent", textOf(line, "content"), at),
  ...listOf(line, "toolCalls").flatMap((call) => {
    const fields = asPayload(call) ?? {};
    return callOf(textOf(fields, "name"), fieldOf(fields, "args"), at);
  }),
];

const toEntries = (line: Payload): TranscriptEntry[] => {
  const at = timeOf(line);
  switch (textOf(line, "type")) {
    case "user":
      return fromUser(line, at);
    case "gemini":
      return fromAgent(line, at);
    case "error":
    case "info":
    case "warning":
      return entryOf("note", textOf(line, "content"), at);
    // The header, and what later versions may add.
    case null:
    default:
      return [];
  }
};

/** Every message once, as it was written last, at the place where it stood first. */
const messagesOf = (lines: readonly Payload[]): Payload[] => {
  const byId = new Map<string, Payload>();
  for (const line of lines) {
    // The history of a resumed session stands where nothing was said yet.
    const history = byId.size > 0 ? [] : listOf(asPayload(fieldOf(line, "$set")) ?? {}, "messages");
    for (const message of [line, ...history.map(asPayload)]) {
      const id = message === null ? null : textOf(message, "id");
      if (id !== null && message !== null) byId.set(id, message);
    }
  }
  return [...byId.values()];
};

const readGeminiLines = (lines: readonly Payload[]): TranscriptEntry[] =>
  messagesOf(lines).flatMap(toEntries);

/** Null where no event named a log, or the log is another session's, and where nothing in it is known. */
export const readGeminiTranscript = createTranscriptReader(findLog, readGeminiLines);

// The history: facts and usage of kept sessions.

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
      // A sub-agent's log says so here; versions without this field wrote none for sub-agents.
      if (id === null || !SESSION_ID.test(id) || !["main", null].includes(textOf(line, "kind"))) return null;
      const startedAt = timeOf(line, "startTime");
      facts = factsOf(id, tail, { title: summaryIn(tail), startedAt });
      facts.lastAt ??= timeOf(line, "lastUpdated");
      continue;
    }
    facts.cwd ??= folderIn(line);
    facts.firstPrompt ??= promptIn(readGeminiLines([line]));
    if (facts.firstPrompt !== null && facts.cwd !== null) break;
  }
  return facts;
};

/** By the names that a line has for its own key, its tokens and each kind of them; those from the cache are part of the input. */
export const usageOf = (
  { key: keyName, tokens: tokensName }: { key: string; tokens: string },
  kinds: { input: string; cached: string; output: string; thoughts: string },
) =>
  usageByLine(new RegExp(`"${tokensName}":\\{`), (line) => {
    const tokens = asPayload(fieldOf(line, tokensName));
    const key = textOf(line, keyName);
    if (tokens === null || key === null) return null;
    const cacheRead = amountOf(tokens, kinds.cached);
    return {
      key,
      at: timeOf(line),
      model: textOf(line, "model"),
      input: Math.max(0, amountOf(tokens, kinds.input) - cacheRead),
      output: amountOf(tokens, kinds.output) + amountOf(tokens, kinds.thoughts),
      cacheRead,
      cacheWrite: 0,
      cost: null,
    };
  });
/** A message is written again when its calls have results; what a resumed session repeats has no tokens. */
const usage = usageOf(
  { key: "id", tokens: "tokens" },
  { input: "input", cached: "cached", output: "output", thoughts: "thoughts" },
);

export const geminiHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: "tmp", depth: 2, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: withoutBranches(readGeminiLines),
  usage,
};
