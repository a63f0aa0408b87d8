// Gemini CLI's log of a session, `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, as a conversation. Its path is in
// every hook event. Recorded with 0.61.0: a first line that names the session, then one line per message, written again with
// the same id once its calls have results; `$set` lines repeat the model's history, from which interrupted turns are missing.
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TranscriptEntry } from "../../core/ports/agentHistory.ts";
import { asPayload, fieldOf, listOf, parsePayload, type Payload, textOf } from "../common/payload.ts";
import { callOf, entryOf, parseLog, timeOf, TRANSCRIPT_BYTES } from "../common/transcript.ts";

const HEADER_BYTES = 8 * 1024;
/** What the program tells the model before the person's first words. */
const CONTEXT = /^<session_context>/;

/** The log of the session that the events named, if the log says so itself; else null. */
const findLog = async ({
  files,
  agentSessionId,
  transcriptPath,
}: StateFileRequest): Promise<string | null> => {
  if (agentSessionId === null || transcriptPath === null) return null;
  if (!/^\/.*\/chats\/[^/]+\.jsonl$/.test(transcriptPath) || transcriptPath.includes("/../")) return null;
  const head = (await files.readText(transcriptPath, HEADER_BYTES)) ?? "";
  const header = parsePayload(head.split("\n", 1)[0] ?? "");
  return header !== null && textOf(header, "sessionId") === agentSessionId ? transcriptPath : null;
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

/** What lines of the log say, in order. */
export const readGeminiLines = (lines: readonly Payload[]): TranscriptEntry[] =>
  messagesOf(lines).flatMap(toEntries);

/** Null where no event named a log, or the log is another session's, and where nothing in it is known. */
export const readGeminiTranscript = async (
  request: StateFileRequest,
): Promise<readonly TranscriptEntry[] | null> => {
  const path = await findLog(request);
  const tail = path === null ? null : await request.files.readTail(path, TRANSCRIPT_BYTES);
  const entries = tail === null ? [] : readGeminiLines(parseLog(tail));
  return entries.length === 0 ? null : entries;
};
