// Codex's rollout as a conversation. That `event_msg` and `response_item` lines are in it, and how a turn ends there, was
// recorded with 0.169.0; the lines of messages and calls are documented by several programs that read these logs. Texts are
// taken from the events, which hold what a person typed and read; from the model's own items only where there are no such
// events, because those begin with instructions that nobody typed.
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { TranscriptEntry } from "../../core/ports/agentHistory.ts";
import { asPayload, fieldOf, textOf, type Payload } from "../common/payload.ts";
import { callOf, entryOf, parseLog, textsOf, timeOf, TRANSCRIPT_BYTES } from "../common/transcript.ts";

/** Blocks that the program itself puts before the person's words. */
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
export const readCodexLines = (payloads: readonly Payload[]): TranscriptEntry[] => {
  const lines = payloads.map(toLine).filter((line) => line !== null);
  return lines.flatMap(toEntries(new Set(lines.map(({ kind }) => kind))));
};

/** Null for a rollout that is not this session's, and where nothing in it is known. */
export const readCodexTranscript = async ({
  files,
  agentSessionId,
  transcriptPath,
}: StateFileRequest): Promise<readonly TranscriptEntry[] | null> => {
  if (
    transcriptPath === null ||
    agentSessionId === null ||
    !transcriptPath.endsWith(`${agentSessionId}.jsonl`)
  )
    return null;
  const tail = await files.readTail(transcriptPath, TRANSCRIPT_BYTES);
  if (tail === null) return null;
  const entries = readCodexLines(parseLog(tail));
  return entries.length === 0 ? null : entries;
};
