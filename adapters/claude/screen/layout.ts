// The parts of a Claude Code screen: the input box at the bottom with what stands directly above and below it, and the views that
// take its place. Geometry only; meaning is given in the sibling files. Source: frames recorded with 2.1.329, notes on 2.1.197's
// inline renderer.
import { indentOf, isBlank } from "../../common/screenText.ts";
import { leftOfPanel } from "./columns.ts";

/** The input box between two rules that start in column 0; answers and quotes are indented by two columns. */
export interface InputBox {
  /** First line inside the box, with its prompt sign; without one where the draft is taller than the box. */
  text: string;
  /** Index of that line, and of the lower rule. */
  start: number;
  end: number;
  /** The agent's own line below the box; "" where it cannot be told from what the person has drawn there. */
  footer: string;
  /** The lower rule and everything below it. */
  below: readonly string[];
  /** Rows of the list of its agents at the bottom: itself, then those that work for it. */
  agents: readonly string[];
  /** Non-empty lines above the box, nearest last; hints at the right edge and a panel beside the conversation left out. */
  above: readonly string[];
}

const MAX_LINES_BELOW = 24;
// Written so that each character matches in one way only: a long rule that is none must not cost the cube of its length.
const RULE = /^─{12}(?:─*|.*──)$/;
/** In the box's lower edge stands how much of a draft is below it. */
const LOWER_EDGE = /^─{12,}$|^─── ↓ \d+ more ─+$/;
/**
 * In its upper edge stand how much of a draft is above it and, at the right end, the session's name, which may take all of it but the
 * last two columns.
 */
const UPPER_EDGE = /^─{3,}(?:.* )?─+$|^ \S.* ─$/;
const CUT_EDGE = /^─── ↑ \d+ more .*─$/;
const PROMPT_SIGN = /^[❯>!]( |\u00a0|$)/;
/** Sign and blank, or the indentation of the rows below. */
export const INDENT = 2;

export const isRule = (line: string): boolean => RULE.test(line);

/** Text that hugs the right edge ("◐ medium · /effort") is a status hint, not part of the conversation. */
const isRightAligned = (line: string, width: number): boolean => indentOf(line) > Math.max(30, width / 2);

const isIndented = (line: string): boolean => isBlank(line) || indentOf(line) >= INDENT;

/** In the list of agents; the one whose conversation is shown has a full circle, and the list has the keys where one is marked. */
const AGENT = /^(?:❯ | {2})[│├└ ]*[●◯] \S/;

/** Of its own line below the box: the mode, behind it what it offers; before it a mode of its editor. */
const MODE_LINE = /^ {2}(?:-- [A-Z][A-Z -]* -- +)?(?:⏸|⏵⏵) /;
/** Where it tells no mode (2.1.197). */
const PLAIN_LINE = /^ {2}(?:\? for shortcuts|esc to interrupt)(?: · .*)?$/;

/**
 * A person's status line stands between the box and the agent's own line, may have several rows, and may say anything: it is
 * evidence of nothing. `below`: what is not blank below the box. Recorded with 2.1.329 and status lines of every kind.
 */
const ownLineOf = (below: readonly string[]): string => {
  const last = below.at(-1) ?? "";
  return MODE_LINE.test(last) || (below.length === 1 && PLAIN_LINE.test(last)) ? last.trim() : "";
};

export const isOwnLine = (line: string): boolean => MODE_LINE.test(line) || PLAIN_LINE.test(line);

/** Index of the first row inside the box whose lower edge is `lower`; -1 where no box ends there. */
const startOfBox = (lines: readonly string[], lower: number): number => {
  let first = lower - 1;
  while (first > 0 && isIndented(lines[first] ?? "") && !CUT_EDGE.test(lines[first] ?? "")) first -= 1;
  if (CUT_EDGE.test(lines[first] ?? "")) return first + 1 < lower ? first + 1 : -1;
  const isBox = PROMPT_SIGN.test(lines[first] ?? "") && UPPER_EDGE.test(lines[first - 1] ?? "");
  return isBox && first > 0 ? first : -1;
};

/** The rows below the box as far as they are the agent's or its person's: all of them are indented, those of an editor around it are not. */
const rowsBelow = (lines: readonly string[], lower: number): string[] => {
  const rest = lines.slice(lower + 1);
  const foreign = rest.findIndex((line) => !isIndented(line) && !AGENT.test(line));
  return (foreign < 0 ? rest : rest.slice(0, foreign)).filter((line) => !isBlank(line));
};

/** Null when no input box with its lines is at the bottom: dialogs and views replace it. */
export const findInputBox = (lines: readonly string[], width: number): InputBox | null => {
  const end = lines.findLastIndex((line) => LOWER_EDGE.test(line));
  const start = end < 0 ? -1 : startOfBox(lines, end);
  const text = lines[start];
  if (start < 1 || text === undefined) return null;
  const rows = rowsBelow(lines, end);
  if (rows.length > MAX_LINES_BELOW) return null;
  const ownEnd = rows.findLastIndex((row) => !AGENT.test(row)) + 1;
  return {
    text,
    start,
    end,
    below: lines.slice(end),
    agents: rows.slice(ownEnd),
    footer: ownLineOf(rows.slice(0, ownEnd)),
    above: leftOfPanel(lines.slice(0, start - 1)).filter(
      (line) => !isBlank(line) && !isRightAligned(line, width),
    ),
  };
};

/** Without the session's name below a dialog, which takes the place of the box and leaves its upper edge. */
export const withoutName = (lines: readonly string[]): readonly string[] =>
  UPPER_EDGE.test(lines.at(-1) ?? "") && /[^─\s]/.test(lines.at(-1) ?? "") ? lines.slice(0, -1) : lines;

/** The last block above the box: its first line starts in column 0, the rest hangs below it. */
export const lastBlock = (above: readonly string[]): readonly string[] => {
  const start = above.findLastIndex((line) => indentOf(line) === 0);
  return above.slice(Math.max(start, 0));
};
