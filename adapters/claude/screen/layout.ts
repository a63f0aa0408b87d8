// The parts of a Claude Code screen: the input box at the bottom with what stands directly above and below it. Geometry
// only; meaning is given in the sibling files. Source: frames recorded with 2.1.329, notes on 2.1.197's inline renderer.
import type { Screen } from "../../../core/ports/agentAdapter.ts";
import { indentOf, isBlank, joined } from "../../common/screenText.ts";
import { styledRows, typedOf } from "../../common/styledText.ts";

/** The input box between two rules that start in column 0; answers and quotes are indented by two columns. */
export interface InputBox {
  /** First line inside the box, with its prompt sign. */
  text: string;
  /** Index of that line, and of the lower rule. */
  start: number;
  end: number;
  footer: string;
  /** The lower rule and everything below it. */
  below: readonly string[];
  /** Non-empty lines above the box, nearest last; hints at the right edge left out. */
  above: readonly string[];
}

const MAX_FOOTER_LINES = 8;
// Written so that each character matches in one way only: a long rule that is none must not cost the cube of its length.
const RULE = /^─{12}(?:─*|.*──)$/;
const PROMPT_SIGN = /^[❯>!]( |\u00a0|$)/;

export const isRule = (line: string): boolean => RULE.test(line);

/** Text that hugs the right edge ("◐ medium · /effort") is a status hint, not part of the conversation. */
const isRightAligned = (line: string, width: number): boolean => indentOf(line) > Math.max(30, width / 2);

/** Null when no input box with a short footer is at the bottom: dialogs replace it. */
export const findInputBox = (lines: readonly string[], width: number): InputBox | null => {
  const lower = lines.findLastIndex(isRule);
  if (lower < 2) return null;
  const upper = lines.slice(0, lower).findLastIndex(isRule);
  const text = lines[upper + 1];
  if (upper < 0 || text === undefined || upper + 1 === lower || !PROMPT_SIGN.test(text)) return null;
  const footerLines = lines.slice(lower + 1).filter((line) => !isBlank(line));
  if (footerLines.length > MAX_FOOTER_LINES) return null;
  return {
    text,
    start: upper + 1,
    end: lower,
    below: lines.slice(lower),
    footer: joined(footerLines),
    above: lines.slice(0, upper).filter((line) => !isBlank(line) && !isRightAligned(line, width)),
  };
};

/** The last block above the box: its first line starts in column 0, the rest hangs below it. */
export const lastBlock = (above: readonly string[]): readonly string[] => {
  const start = above.findLastIndex((line) => indentOf(line) === 0);
  return above.slice(Math.max(start, 0));
};

/** What is typed behind any other sign is no prompt: `!` runs it in a shell. */
const SIGN_OF_PROMPTS = /^[❯>]$/;
/** Below the box of the view of all sessions: what is typed there begins another one. */
const VIEW_OF_SESSIONS = /\bspace to reply\b|\bctrl\+x to remove\b/;
/** Sign and blank, or the indentation of the rows below. */
const INDENT = 2;

/**
 * What somebody typed into the box; the hint in an empty one is drawn dim. "": it is empty; null: there is none, or it is not for
 * prompts. Source: drafts recorded with 2.1.329.
 */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const box = findInputBox(
    screen.lines.map((line) => line.trimEnd()),
    screen.width,
  );
  if (rows === null || box === null || !SIGN_OF_PROMPTS.test(box.text.slice(0, 1))) return null;
  if (VIEW_OF_SESSIONS.test(box.footer)) return null;
  return typedOf(rows.slice(box.start, box.end), INDENT);
};
