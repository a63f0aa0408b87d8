// Session files of the pi family as a conversation: a tree of entries, of which the branch that ends with the newest entry is
// the conversation. Source: the format as the agents' own documents describe it; omp 18.2.3 and pi 0.87.1 were recorded to
// write the same kinds of entry.
import type { StateFileRequest, TranscriptEntry } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, listOf, textOf, type Payload } from "../common/payload.ts";
import { callOf, entryOf, parseLog, textsOf, timeOf, TRANSCRIPT_BYTES } from "../common/transcript.ts";
import { findSessionFile } from "./sessionFile.ts";

/** Without ids (the first version of the format) every entry is of the one branch. */
const newestBranch = (entries: readonly Payload[]): readonly Payload[] => {
  const byId = new Map(entries.map((entry) => [textOf(entry, "id"), entry]));
  const last = entries.at(-1);
  if (last === undefined || textOf(last, "parentId") === null) return entries;
  const branch: Payload[] = [];
  for (
    let at: Payload | undefined = last;
    at !== undefined && branch.length <= entries.length;
    at = byId.get(textOf(at, "parentId") ?? "")
  )
    branch.push(at);
  return branch.toReversed();
};

const fromAgent = (message: Payload, at: number | null): TranscriptEntry[] => {
  const content = fieldOf(message, "content");
  const said =
    typeof content === "string"
      ? entryOf("agent", content, at)
      : listOf(message, "content").flatMap((item) => {
          const block = asPayload(item) ?? {};
          const type = textOf(block, "type");
          if (type === "text") return entryOf("agent", textOf(block, "text"), at);
          return type === "toolCall" ? callOf(textOf(block, "name"), fieldOf(block, "arguments"), at) : [];
        });
  const ending = textOf(message, "stopReason");
  if (ending === "aborted") return [...said, ...entryOf("note", "interrupted", at)];
  return ending === "error"
    ? [...said, ...entryOf("note", textOf(message, "errorMessage") ?? "error", at)]
    : said;
};

const toEntries = (entry: Payload): TranscriptEntry[] => {
  const message = textOf(entry, "type") === "message" ? asPayload(fieldOf(entry, "message")) : null;
  if (message === null) return [];
  const at = timeOf(entry);
  switch (textOf(message, "role")) {
    case "user":
      return textsOf(fieldOf(message, "content"), ["text"]).flatMap((text) => entryOf("user", text, at));
    case "assistant":
      return fromAgent(message, at);
    // Results of tools, and what extensions put in.
    case null:
    default:
      return [];
  }
};

/** `folder` as `.omp`. Null where no session file is provably this process's, and where nothing in it is known. */
export const createTranscriptReader =
  (folder: string) =>
  async (request: StateFileRequest): Promise<readonly TranscriptEntry[] | null> => {
    const session = await findSessionFile(request, folder);
    const tail = session === null ? null : await request.files.readTail(session.path, TRANSCRIPT_BYTES);
    const entries = tail === null ? [] : newestBranch(parseLog(tail)).flatMap(toEntries);
    return entries.length === 0 ? null : entries;
  };
