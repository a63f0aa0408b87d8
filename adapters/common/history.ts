// Reading the sessions that agents keep: what all logs of JSON lines share. A piece of a log may begin and end in the middle of
// a line, so a line counts only where it is whole.
import type { FileHistory, FileUsage, TranscriptEntry, UsageRecord } from "../../core/ports/agentHistory.ts";
import { fieldOf, parsePayload, type Payload } from "./payload.ts";
import { OWN_PROMPT } from "./told.ts";

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

/** Epoch ms of the last time that the newest lines bear; null where there is none. */
export const newestTime = (tail: string): number | null => {
  const at = tail.lastIndexOf('"timestamp":"');
  if (at === -1) return null;
  const time = Date.parse(tail.slice(at + 13, at + 43).split('"', 1)[0] ?? "");
  return Number.isNaN(time) ? null : time;
};

/** The first of the entries that a person wrote; null for what the program put in. */
export const promptIn = (entries: readonly TranscriptEntry[]): string | null =>
  entries.find(({ role, text }) => role === "user" && !OWN_PROMPT.test(text))?.text ?? null;

/** For logs of which each line speaks for itself, or which have no branches. */
export const withoutBranches =
  (read: (lines: readonly Payload[]) => readonly TranscriptEntry[]): FileHistory["readEntries"] =>
  (lines) => ({ entries: read(lines), leaf: null });

/** No answer uses as much; sums of what is above it would not be numbers any more. */
const MAX_AMOUNT = 1e12;

/** A number of tokens, or of dollars; 0 for what is none. */
export const amountOf = (payload: Payload, name: string): number => {
  const value = fieldOf(payload, name);
  return typeof value === "number" && value > 0 && value < MAX_AMOUNT ? value : 0;
};

/** As `amountOf`; null where the log does not state it. */
export const costOf = (payload: Payload, name: string): number | null =>
  typeof fieldOf(payload, name) === "number" ? amountOf(payload, name) : null;

/** For logs of which each line speaks for itself. */
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
