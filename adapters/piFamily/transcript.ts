// Session files of the pi family as a conversation: a tree of entries, of which the branch that ends with the newest entry is
// the conversation. Source: the format as the agents' own documents describe it; omp 18.2.3 and pi 0.87.1 were recorded to
// write the same kinds of entry.
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import type { ReadEntries, TranscriptEntry } from "../../core/ports/agentHistory.ts";
import { asPayload, fieldOf, listOf, textOf, type Payload } from "../common/payload.ts";
import { callOf, entryOf, parseLog, textsOf, timeOf, TRANSCRIPT_BYTES } from "../common/transcript.ts";
import { findSessionFile } from "./sessionFile.ts";

interface Branch {
  entries: readonly Payload[];
  /** The entry on which the oldest of them rests; null where that is not told. */
  leaf: string | null;
}

/**
 * The branch that ends with the newest entry, or with `leaf` where these entries stand before others. Without ids (the first
 * version of the format) every entry is of the one branch.
 */
const branchOf = (entries: readonly Payload[], leaf: string | null): Branch => {
  const byId = new Map(entries.map((entry) => [textOf(entry, "id"), entry]));
  const last = entries.at(-1);
  if (last === undefined || (leaf === null && textOf(last, "parentId") === null))
    return { entries, leaf: null };
  const branch: Payload[] = [];
  let at: Payload | undefined = leaf === null ? last : byId.get(leaf);
  let parent = leaf;
  while (at !== undefined && branch.length <= entries.length) {
    branch.push(at);
    parent = textOf(at, "parentId");
    at = byId.get(parent ?? "");
  }
  return { entries: branch.toReversed(), leaf: parent };
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

/** What entries of a session file say, in order; `leaf` as in the port. */
export const readPiEntries = (lines: readonly Payload[], leaf: string | null): ReadEntries => {
  const branch = branchOf(lines, leaf);
  return { entries: branch.entries.flatMap(toEntries), leaf: branch.leaf };
};

/** `folder` as `.omp`. Null where no session file is provably this process's, and where nothing in it is known. */
export const createTranscriptReader =
  (folder: string) =>
  async (request: StateFileRequest): Promise<readonly TranscriptEntry[] | null> => {
    const session = await findSessionFile(request, folder);
    const tail = session === null ? null : await request.files.readTail(session.path, TRANSCRIPT_BYTES);
    const entries = tail === null ? [] : readPiEntries(parseLog(tail), null).entries;
    return entries.length === 0 ? null : entries;
  };
