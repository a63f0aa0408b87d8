// What readers of agents' logs of JSON lines share: entries for a person, facts and usage for the history, and signs in the titles
// of panes. Logs may hold anything: texts are bounded and cleaned here, and a line of another form is ignored.
import type {
  TranscriptEntry,
  FileHistory,
  FileUsage,
  SessionFacts,
  UsageRecord,
} from "../../core/ports/agentFiles.ts";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import {
  asPayload,
  boundedText,
  oneLine,
  parsePayload,
  type Payload,
  textOf,
  fieldOf,
  subjectOf,
  OWN_PROMPT,
} from "./events.ts";

/** Newest bytes of a log that are read. */
export const TRANSCRIPT_BYTES = 2 * 1024 * 1024;
const MAX_ENTRY = 20_000;
const MAX_CALL = 300;

/** The lines of a log's tail that are objects, in order: the first may be cut, the last half written, and neither parses then. */
export const parseLog = (tail: string): Payload[] =>
  tail.split("\n").flatMap((line) => {
    const parsed = line.startsWith("{") ? parsePayload(line) : null;
    return parsed === null ? [] : [parsed];
  });

/**
 * The newest part of the first of these logs that is there; null where there is none, and where nothing in it is known. `findLogs`:
 * paths that are provably those of this process.
 */
export const createTranscriptReader =
  (
    findLogs: (request: StateFileRequest) => Promise<readonly string[]>,
    read: (lines: readonly Payload[]) => readonly TranscriptEntry[],
  ) =>
  async (request: StateFileRequest): Promise<readonly TranscriptEntry[] | null> => {
    for (const path of await findLogs(request)) {
      const tail = await request.files.readTail(path, TRANSCRIPT_BYTES);
      if (tail === null) continue;
      const entries = read(parseLog(tail));
      return entries.length === 0 ? null : entries;
    }
    return null;
  };

/** Epoch ms of a line's ISO timestamp; null where it has none. */
export const timeOf = (line: Payload, name = "timestamp"): number | null => {
  const time = Date.parse(textOf(line, name) ?? "");
  return Number.isNaN(time) ? null : time;
};

/** No entry for a text that is empty. */
export const entryOf = (
  role: TranscriptEntry["role"],
  text: string | null,
  at: number | null,
): TranscriptEntry[] => {
  const clean = boundedText(text ?? "", MAX_ENTRY).trim();
  return clean === "" ? [] : [{ role, text: clean, at }];
};

/** Empty where the value is nested too deeply for JSON. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "";
  }
};

const describeInput = (input: unknown): string => {
  const fields = asPayload(input);
  const subject = subjectOf(input);
  if (subject !== null || fields === null) return subject ?? "";
  return Object.keys(fields).length === 0 ? "" : jsonOf(fields);
};

/** A call in one line: the tool's name and what it was asked. */
export const callOf = (name: string | null, input: unknown, at: number | null): TranscriptEntry[] =>
  entryOf("tool", oneLine(`${name ?? "tool"}  ${describeInput(input)}`, MAX_CALL), at);

/** Texts of a message's content: a string, or blocks of which those of the named types have a `text`. */
export const textsOf = (content: unknown, types: readonly string[]): string[] => {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((item) => {
    const block = asPayload(item);
    if (block === null || !types.includes(textOf(block, "type") ?? "")) return [];
    const text = textOf(block, "text");
    return text === null ? [] : [text];
  });
};

/** Parts of a message as Google's models have them: texts and calls; thoughts and results are left out. */
export const entriesOfParts = (
  role: TranscriptEntry["role"],
  parts: readonly unknown[],
  at: number | null,
): TranscriptEntry[] =>
  parts.flatMap((item) => {
    const part = asPayload(item);
    if (part === null || fieldOf(part, "thought") === true) return [];
    const call = asPayload(fieldOf(part, "functionCall"));
    return call === null
      ? entryOf(role, textOf(part, "text"), at)
      : callOf(textOf(call, "name"), fieldOf(call, "args"), at);
  });

// Facts and usage. A piece of a log may begin and end in the middle of a line, so a line counts only where it is whole.

/** An id that may stand in a command line: never an option, never a path. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{3,99}$/;

/** The whole lines of a log's beginning, read one after another, so that what is not needed costs nothing. */
export function* headLines(head: string): Generator<Payload> {
  let from = 0;
  for (let end = head.indexOf("\n"); end !== -1; end = head.indexOf("\n", from)) {
    const line = head.startsWith("{", from) ? parsePayload(head.slice(from, end)) : null;
    from = end + 1;
    if (line !== null) yield line;
  }
}

/** Epoch ms of the last timestamp in the tail; null where there is none. */
const newestTime = (tail: string): number | null => {
  const at = tail.lastIndexOf('"timestamp":"');
  if (at === -1) return null;
  const time = Date.parse(tail.slice(at + 13, at + 43).split('"', 1)[0] ?? "");
  return Number.isNaN(time) ? null : time;
};

/** Facts of a session: what is known so far, all else null. */
export const factsOf = (id: string, tail: string, known: Partial<SessionFacts> = {}): SessionFacts => ({
  id,
  cwd: null,
  branch: null,
  title: null,
  firstPrompt: null,
  startedAt: null,
  lastAt: newestTime(tail),
  parentId: null,
  ...known,
});

/** The first of the entries that a person wrote; null for what the program put in. */
export const promptIn = (entries: readonly TranscriptEntry[]): string | null =>
  entries.find(({ role, text }) => role === "user" && !OWN_PROMPT.test(text))?.text ?? null;

/** For logs of which each line speaks for itself, or which have no branches. */
export const withoutBranches =
  (read: (lines: readonly Payload[]) => readonly TranscriptEntry[]): FileHistory["readEntries"] =>
  (lines) => ({ entries: read(lines), leaf: null });

/** No answer uses as much; larger amounts would make sums inexact. */
const MAX_AMOUNT = 1e12;

/** A number of tokens or dollars; 0 for anything else. */
export const amountOf = (payload: Payload, name: string): number => {
  const value = fieldOf(payload, name);
  return typeof value === "number" && value > 0 && value < MAX_AMOUNT ? value : 0;
};

/** As `amountOf`; null where the log does not state it. */
export const costOf = (payload: Payload, name: string): number | null =>
  typeof fieldOf(payload, name) === "number" ? amountOf(payload, name) : null;

/** For logs of which each line has a usage record of its own, or none. */
export const usageByLine = (mark: RegExp, read: (line: Payload) => UsageRecord | null): FileUsage => ({
  mark,
  roots: [],
  createReader: () => ({
    read: (line) => {
      const record = read(line);
      return record === null ? [] : [record];
    },
    state: () => "",
  }),
});

// Titles of agents' panes: a sign of the state before the words, and the folder's name in their place.

/** A frame of the spinners that agents draw with braille dots. */
export const SPINNER = String.raw`[\u2800-\u28ff]`;

/** The last part of a folder's path; empty where the folder is not known. */
export const folderName = (folder: string | null): string =>
  folder?.replace(/\/+$/, "").split("/").at(-1) ?? "";
