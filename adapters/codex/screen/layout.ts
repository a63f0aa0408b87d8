// The parts of a Codex screen. The conversation stands in column 0 (`›` the person, `•` the agent, `■` notices) with its
// continuation indented by two; dialogs and footers are indented by two as well. Geometry only. Source: frames recorded
// with 0.169.0.

import { indentOf, isBlank } from "../../common/screenText.ts";

/** The input box at the bottom with what stands above it. */
export interface Composer {
  text: string;
  /** Non-empty lines above, nearest last. */
  above: readonly string[];
}

const PROMPT = /^› ?/;
const NUMBERED = /^› \d{1,2}\. \S/;
const MAX_FOOTER_LINES = 4;
/** What the lines below the input box are known to say. */
const FOOTER =
  /\? for shortcuts|← for agents|ctrl ?\+ ?c again to (quit|exit)|esc again to|tab to queue|shift\+tab to cycle|f2 to view|context left|\d+% (context|left)|\S · (~|\/|[A-Z]:)/;

/** Null where no input box with a known footer is at the bottom: dialogs, menus and overlays replace it. */
export const findComposer = (lines: readonly string[]): Composer | null => {
  const at = lines.findLastIndex((line) => PROMPT.test(line));
  const text = lines[at];
  if (text === undefined || NUMBERED.test(text)) return null;
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end] ?? "")) end += 1;
  const footer = lines.slice(end).filter((line) => !isBlank(line));
  if (footer.length === 0 || footer.length > MAX_FOOTER_LINES) return null;
  if (footer.some((line) => indentOf(line) < 2) || !footer.some((line) => FOOTER.test(line))) return null;
  return { text, above: lines.slice(0, at).filter((line) => !isBlank(line)) };
};
