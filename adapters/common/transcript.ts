// Reading agents' logs for a person: what all of them share. The logs are append-only JSON lines that hold anything, so
// every text is bounded and cleaned here; what does not fit says nothing.
import type { TranscriptEntry } from "../../core/ports/agentHistory.ts";
import { asPayload, boundedText, oneLine, parsePayload, type Payload, textOf } from "./payload.ts";
import { subjectOf } from "./told.ts";

/** Newest bytes of a log that are read. */
export const TRANSCRIPT_BYTES = 2 * 1024 * 1024;
const MAX_ENTRY = 20_000;
const MAX_CALL = 300;

/** The lines of a log's tail that are objects, in order: the first may be cut, the last half written. */
export const parseLog = (tail: string): Payload[] =>
  tail.split("\n").flatMap((line) => {
    const parsed = line.startsWith("{") ? parsePayload(line) : null;
    return parsed === null ? [] : [parsed];
  });

/** What the lines of a log's tail say; null where nothing in it is known. */
export const entriesOf = (
  tail: string | null,
  toEntries: (line: Payload) => readonly TranscriptEntry[],
): readonly TranscriptEntry[] | null => {
  const entries = tail === null ? [] : parseLog(tail).flatMap(toEntries);
  return entries.length === 0 ? null : entries;
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

/** Nothing where it is nested deeper than can be written down. */
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
