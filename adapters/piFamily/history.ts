// The sessions that agents of the pi family keep, as conversations and for the history:
// `<folder>/agent/sessions/<project>/<time>_<id>.jsonl`. Recorded with omp 18.2.3 and pi 0.87.1; gjc and arcane by their
// documents. What sub-agents write lies a folder deeper.
import type { TranscriptEntry, FileHistory, LogPiece, SessionFacts } from "../../core/ports/agentFiles.ts";
import { asPayload, fieldOf, listOf, textOf, type Payload } from "../common/events.ts";
import {
  callOf,
  entryOf,
  parseLog,
  textsOf,
  timeOf,
  amountOf,
  costOf,
  headLines,
  promptIn,
  SESSION_ID,
  usageByLine,
  createTranscriptReader,
  factsOf,
} from "../common/sessionLog.ts";
import { findSessionFile } from "./sessionFile.ts";

// The conversation: a session file is a tree of entries, of which the branch that ends with the newest entry is the conversation.
// Source: the agents' own documents of the format; omp 18.2.3 and pi 0.87.1 were recorded to write the same kinds of entry.

interface Branch {
  entries: readonly Payload[];
  /** The parent of the oldest of them; null where it names none. */
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
const readPiEntries = (
  lines: readonly Payload[],
  leaf: string | null,
): ReturnType<FileHistory["readEntries"]> => {
  const branch = branchOf(lines, leaf);
  return { entries: branch.entries.flatMap(toEntries), leaf: branch.leaf };
};

/** Null where no session file is provably this process's, and where nothing in it is known. */
export const readPiTranscript = createTranscriptReader(
  async (request) => {
    const session = await findSessionFile(request);
    return session === null ? [] : [session.path];
  },
  (lines) => readPiEntries(lines, null).entries,
);

// The history: facts and usage of kept sessions.

const FILE = /^[^/]+\/[^/]+_[^/]+\.jsonl$/;
/** A name is given by a line of its own and may be given again. */
const NAMING = new Set(["session_info", "title_change"]);

const nameIn = (tail: string): string | null => {
  const lines = tail
    .split("\n")
    .filter((line) => line.includes('"session_info"') || line.includes('"title_change"'));
  const last = parseLog(lines.join("\n")).findLast((line) => NAMING.has(textOf(line, "type") ?? ""));
  return last === undefined ? null : (textOf(last, "name") ?? textOf(last, "title"));
};

/** It may be a path, whose last part ends with the id. */
const parentOf = (header: Payload): string | null => {
  const name = (textOf(header, "parentSession") ?? "").split("/").at(-1) ?? "";
  const id =
    name
      .replace(/\.jsonl$/, "")
      .split("_")
      .at(-1) ?? "";
  return SESSION_ID.test(id) ? id : null;
};

const fromHeader = (header: Payload, tail: string, title: string | null): SessionFacts | null => {
  const id = textOf(header, "id");
  if (textOf(header, "type") !== "session" || id === null || !SESSION_ID.test(id)) return null;
  return factsOf(id, tail, {
    cwd: textOf(header, "cwd"),
    title: title ?? nameIn(tail) ?? textOf(header, "title"),
    startedAt: timeOf(header),
    parentId: parentOf(header),
  });
};

const readFacts = ({ head, tail }: LogPiece): SessionFacts | null => {
  let facts: SessionFacts | null = null;
  let title: string | null = null;
  for (const line of headLines(head)) {
    // omp keeps the name as it is now in a line of its own above the first entry.
    if (facts === null && textOf(line, "type") === "title") {
      title = textOf(line, "title");
      continue;
    }
    if (facts === null) {
      facts = fromHeader(line, tail, title);
      if (facts === null) return null;
      continue;
    }
    facts.firstPrompt ??= promptIn(readPiEntries([line], null).entries);
    if (facts.firstPrompt !== null) break;
  }
  return facts;
};

/** A fork repeats the entries of the session from which it came. */
const usage = usageByLine(/"usage":\{/, (line) => {
  const message = asPayload(fieldOf(line, "message")) ?? {};
  const used = asPayload(fieldOf(message, "usage"));
  const key =
    textOf(message, "responseId") ?? `${textOf(line, "timestamp") ?? ""} ${textOf(line, "id") ?? ""}`;
  return used === null
    ? null
    : {
        key,
        at: timeOf(line),
        model: textOf(message, "model"),
        input: amountOf(used, "input"),
        output: amountOf(used, "output"),
        cacheRead: amountOf(used, "cacheRead"),
        cacheWrite: amountOf(used, "cacheWrite"),
        cost: costOf(asPayload(fieldOf(used, "cost")) ?? {}, "total"),
      };
});

export const piHistory: FileHistory = {
  kind: "files",
  roots: [{ folder: "sessions", depth: 1, file: FILE }],
  headBytes: 16 * 1024,
  readFacts,
  readEntries: readPiEntries,
  usage,
};
