// Takes out of a recording what tells whose machine it was made on: folders, the host's name, the user's name, and secrets. Screens
// keep their columns, so that frames stay frames.
import { redactText } from "../../core/store/redact.ts";

/** What stands where it was recorded, and what is written instead. */
export type Replacement = readonly [from: string, to: string];

/** Longer ones first: a folder is taken out before the one that it is in. */
const ordered = (replacements: readonly Replacement[]): Replacement[] =>
  replacements.filter(([from]) => from !== "").toSorted(([one], [other]) => other.length - one.length);

/** A name alone, and no part of a longer word. */
const asWord = (name: string): RegExp =>
  new RegExp(`(?<![\\w.-])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`, "g");

const replaceIn = (text: string, [from, to]: Replacement): string =>
  /^[/-]/.test(from) ? text.replaceAll(from, to) : text.replaceAll(asWord(from), to);

/** Longer than anything that is recorded. */
const MAX_CHARS = 1 << 20;

/** Text of any other kind: a command line, a title. */
export const cleanText = (text: string, replacements: readonly Replacement[]): string =>
  redactText(ordered(replacements).reduce(replaceIn, text), MAX_CHARS);

/** Every text in a payload. */
export const cleanPayload = (payload: unknown, replacements: readonly Replacement[]): unknown => {
  if (typeof payload === "string") return cleanText(payload, replacements);
  if (Array.isArray(payload)) return payload.map((one) => cleanPayload(one, replacements));
  if (typeof payload !== "object" || payload === null) return payload;
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, cleanPayload(value, replacements)]),
  );
};

/** Two blanks, or a frame behind a blank: room that may take or give columns. */
const ROOM = / {2,}| (?=[│┃|]\s*$)/;

/** The row with `by` columns more behind its changed part; where there is no room before its end, it is shorter. */
const widened = (row: string, from: number, by: number): string => {
  const room = ROOM.exec(row.slice(from));
  if (room === null || by === 0) return row;
  const at = from + room.index;
  if (by > 0) return row.slice(0, at) + " ".repeat(by) + row.slice(at);
  const spare = Math.min(-by, room[0].length - 1);
  return row.slice(0, at) + row.slice(at + spare);
};

/** A row of a screen: what stands behind a name stays in its column, where blanks leave the room. */
const cleanRow = (row: string, replacements: readonly Replacement[]): string => {
  const cleaned = cleanText(row, replacements);
  if (cleaned === row) return row;
  let same = 0;
  while (same < cleaned.length && cleaned[same] === row[same]) same += 1;
  return widened(cleaned, same, row.length - cleaned.length).trimEnd();
};

export const cleanScreen = (text: string, replacements: readonly Replacement[]): string =>
  text
    .split("\n")
    .map((row) => cleanRow(row, replacements))
    .join("\n");
