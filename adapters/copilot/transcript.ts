// Copilot CLI's log of a session as a conversation. The names of its lines were recorded with 1.0.102; where the texts stand
// is documented by several programs that read these logs. Sub-agents' lines are left out.
import type { StateFileRequest, TranscriptEntry } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, textOf, type Payload } from "../common/payload.ts";
import { callOf, entryOf, parseLog, timeOf, TRANSCRIPT_BYTES } from "../common/transcript.ts";
import { findCopilotLog } from "./stateFiles.ts";

const toEntries = (line: Payload): TranscriptEntry[] => {
  const data = asPayload(fieldOf(line, "data")) ?? {};
  if (textOf(line, "agentId") !== null || textOf(data, "parentToolCallId") !== null) return [];
  const at = timeOf(line);
  switch (textOf(line, "type")) {
    case "user.message":
      return entryOf("user", textOf(data, "content"), at);
    case "assistant.message":
      return entryOf("agent", textOf(data, "content"), at);
    case "tool.execution_start":
      return callOf(textOf(data, "toolName"), fieldOf(data, "arguments"), at);
    case "session.error":
      return entryOf("note", textOf(data, "message") ?? "error", at);
    case "abort":
      return entryOf("note", "interrupted", at);
    // Everything that is not said to a person.
    case null:
    default:
      return [];
  }
};

/** Null for no session that is provably this process's, and where nothing in its log is known. */
export const readCopilotTranscript = async (
  request: StateFileRequest,
): Promise<readonly TranscriptEntry[] | null> => {
  const path = await findCopilotLog(request);
  const tail = path === null ? null : await request.files.readTail(path, TRANSCRIPT_BYTES);
  const entries = tail === null ? [] : parseLog(tail).flatMap(toEntries);
  return entries.length === 0 ? null : entries;
};
