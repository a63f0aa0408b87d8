// The parts of Copilot CLI's screen: the input box between two rules with its footer, and the conversation above it. Its
// lines stand one column in and may have a scroll bar at the right edge. Source: frames recorded with 1.0.102.
import type { Screen } from "../../../core/ports/agentAdapter.ts";
import { frameAtBottom } from "../../common/frames.ts";
import { isKeyHints, readKeyHints } from "../../common/keyHints.ts";
import { isBlank, joined } from "../../common/screenText.ts";
import { styledRows, typedOf } from "../../common/styledText.ts";

export interface InputBox {
  /** Index of the row with the prompt's sign, and of the lower rule. */
  start: number;
  end: number;
  footer: string;
  /** Lines since the last prompt, or all of them. */
  turn: readonly string[];
  hasPrompt: boolean;
}

const RULE = /^─{8,}$/;
const PROMPT_SIGN = /^[❯!>]( |$)/;
const SHELL_SIGN = /^!(?: |$)/;
const BOX_FOOTER = /\/ commands|\? help/;
const SEARCH_SIGN = /^\(reverse-i-search\)/;
/** A draft whose menu is open. */
const MENU_DRAFT = /^❯ (?:\/|(?:\S.*\s)?[@#]\S*$)/;
/** A prompt in the conversation; quotes are indented further. */
const OLD_PROMPT = /^ ❯ /;
const SCROLL_BAR = /\s*┃$/;
const MAX_FOOTER_LINES = 3;

export const isRule = (line: string): boolean => RULE.test(line);

/** Null when no input box with a short footer is at the bottom: dialogs replace it. */
export const findInputBox = (lines: readonly string[]): InputBox | null => {
  const lower = lines.findLastIndex(isRule);
  if (lower < 2) return null;
  const upper = lines.slice(0, lower).findLastIndex(isRule);
  if (upper < 0 || upper + 1 === lower || !PROMPT_SIGN.test(lines[upper + 1] ?? "")) return null;
  const footer = lines.slice(lower + 1).filter((line) => !isBlank(line));
  if (footer.length === 0 || footer.length > MAX_FOOTER_LINES) return null;
  // Directly above the box stands the working folder.
  const above = lines.slice(0, Math.max(upper - 1, 0)).map((line) => line.replace(SCROLL_BAR, ""));
  const prompt = above.findLastIndex((line) => OLD_PROMPT.test(line));
  return {
    start: upper + 1,
    end: lower,
    footer: joined(footer),
    turn: above.slice(prompt + 1).filter((line) => !isBlank(line)),
    hasPrompt: prompt >= 0,
  };
};

/**
 * The row at the bottom that shows that keys are commands: of the box where it is a shell's or a search, of its footer, or the last
 * one of a list that stands in its place; null where the box takes prompts.
 */
export const findViewRow = (lines: readonly string[]): string | null => {
  const box = findInputBox(lines);
  if (box !== null) {
    const row = lines[box.start] ?? "";
    if (SHELL_SIGN.test(row)) return row;
    return readKeyHints(box.footer).leaves ? box.footer : null;
  }
  const lower = lines.findLastIndex(isRule);
  const search = lines[lower - 1] ?? "";
  if (lower > 0 && SEARCH_SIGN.test(search)) return search;
  const rows = frameAtBottom(lines)?.content ?? lines;
  const last = rows.findLast((row) => !isBlank(row) && !isRule(row)) ?? "";
  // The box's own footer is no view, though the box is not in sight, as with a draft of many rows.
  return !BOX_FOOTER.test(last) && isKeyHints(last.replace(SCROLL_BAR, "")) ? last : null;
};

/** A menu of the box is open; a turn may go on above it. */
export const opensMenu = (lines: readonly string[], { start }: InputBox): boolean =>
  MENU_DRAFT.test(lines[start] ?? "");

/** What is typed behind `!` runs in a shell. */
const SIGN_OF_PROMPTS = /^[❯>]( |$)/;
/** Sign and blank, or the indentation of the rows below. */
const INDENT = 2;

/**
 * What somebody typed into the box, with what it offers to complete. "": it is empty; null: there is none, or it is not for
 * prompts. Source: drafts recorded with 1.0.102, whose empty box has no hint.
 */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const box = findInputBox(screen.lines.map((line) => line.trimEnd()));
  if (rows === null || box === null || !SIGN_OF_PROMPTS.test(screen.lines[box.start] ?? "")) return null;
  return typedOf(rows.slice(box.start, box.end), INDENT);
};
