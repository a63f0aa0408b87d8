// The parts of Copilot CLI's screen: the input box between two rules with its footer, a draft, the rows of views, the
// conversation above the box, and the text of a permission. Lines of the conversation stand one column in and may have a scroll
// bar at the right edge. Source: frames recorded with 1.0.102.
import type { Screen } from "../../core/ports/agentAdapter.ts";
import {
  frameAtBottom,
  isBlank,
  joined,
  styledRows,
  typedOf,
  readNumberedLines,
  withoutBlankEnds,
  tellsSame,
} from "../common/screenText.ts";
import { isKeyHints, readKeyHints } from "../common/selector.ts";

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
/** A draft that has a menu, as long as something fits. */
const MENU_DRAFT = /^❯ (?:\/|(?:\S.*\s)?[@#]\S*$)/;
/** The working folder, directly above the box; a menu takes its place. */
const FOLDER = /^ [~/]/;
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
 * The row at the bottom that shows that keys are commands: the box's own where it is a shell's or a search, its footer, or the last
 * row of a list that stands in its place; null where the box takes prompts.
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
  // The box's own footer is no view, though the box is not visible, as with a draft of many rows.
  return !BOX_FOOTER.test(last) && isKeyHints(last.replace(SCROLL_BAR, "")) ? last : null;
};

/** A menu of the box is open; a turn may go on above it. */
export const opensMenu = (lines: readonly string[], { start }: InputBox): boolean =>
  MENU_DRAFT.test(lines[start] ?? "") && !FOLDER.test(lines[start - 2] ?? "");

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

// Text of a permission: row by row, by its place: below the rule under the heading, in a box of its own directly above the
// question, or, of an edit, path and numbered lines. No row is left out for what it says. Source: dialogs recorded with 1.0.102
// at 120, 80 and 60 columns (commands, changed and new files, addresses, paths, a server's tool). What stands behind a carriage
// return is not drawn, so the dialog alone does not prove what would run or be written.

/** Columns of the frames, and of the blank behind a word, which is wrapped with it. */
const BOX_COLUMNS = 9;
const LINE_COLUMNS = 5;

export const columnsOf = (width: number): number => Math.max(1, width - BOX_COLUMNS);

const unframed = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/^ /, ""));

/** Where the agent's heading ends and what is asked begins; null where the rule between them is not visible. */
const splitHeading = (lines: readonly string[]): { heading: string; rest: readonly string[] } | null => {
  const rule = lines.findIndex((line) => isRule(line.trim()));
  return rule < 0 ? null : { heading: joined(lines.slice(0, rule)), rest: lines.slice(rule + 1) };
};

interface BoxedText {
  rows: readonly string[];
  /** All rows of the box are visible, and its heading. */
  isWhole: boolean;
  /** Its upper edge is cut off, and rows below it may be. */
  isEnd: boolean;
  heading: string;
  /** The agent's own words between heading and box; empty where it says nothing. */
  intro: string;
}

/** `lines`: of the dialog above its question. `hasTop`: its upper edge is visible. Null without a box there. */
export const boxedTextOf = (lines: readonly string[], hasTop: boolean): BoxedText | null => {
  const end = lines.findLastIndex((line) => !isBlank(line)) + 1;
  const frame = frameAtBottom(lines.slice(0, end));
  if (frame === null) return null;
  // A heading has as many rows as the model gives it, some of which may look like a rule and a box.
  const above = hasTop && frame.hasTop ? splitHeading(lines.slice(0, frame.start)) : null;
  return {
    rows: unframed(frame.content),
    isWhole: above !== null,
    isEnd: !frame.hasTop,
    heading: above?.heading ?? "",
    intro: above === null ? "" : joined(above.rest.filter((line) => !isBlank(line) && !isRule(line.trim()))),
  };
};

/** Trailing blanks are not drawn: an empty line ends after its number or its sign. */
const LINE = /^( *\d+(?: ([ +-])(?: \u00a0\u00a0|$)|$))/;
const NAME = /^(\S.*) \+\d+ -\d+$/;
const QUESTION = /^Do you want to \w+ (\S.*)\?$/;

interface DrawnEdit {
  path: string | null;
  content: string | null;
  columns: number;
}

/** The path as the question names it, where it has one row: a broken one may have lost a blank. */
const pathIn = (question: readonly string[]): string | null =>
  question.length === 1 ? (QUESTION.exec((question[0] ?? "").trim())?.[1] ?? null) : null;

/** `question`: its rows. `width`: of the pane. */
export const editOf = (
  lines: readonly string[],
  question: readonly string[],
  { hasTop, width }: { hasTop: boolean; width: number },
): DrawnEdit => {
  const boxed = boxedTextOf(lines, hasTop);
  const rows = boxed?.rows ?? unframed(withoutBlankEnds(splitHeading(lines)?.rest ?? lines));
  const [name = "", folder = ""] = rows;
  const file = NAME.exec(name)?.[1];
  const hasName = boxed === null && hasTop && file !== undefined && rows[2] === "";
  // Above the first line stand its name and folder, or what is left of them.
  const first = rows.findIndex((row) => LINE.test(row));
  const drawn = withoutBlankEnds(boxed === null && first > 0 ? rows.slice(first) : rows);
  const { content, gutter } = readNumberedLines(drawn, LINE, " ");
  const path = pathIn(question) ?? (hasName ? `${folder}/${file}` : null);
  return {
    path,
    content: drawn.length === 0 ? null : content,
    columns: Math.max(1, width - LINE_COLUMNS - gutter),
  };
};

const WAITING = /^Permission request \(\d+ remaining\)$/;
const CUT = /…$/;

/** Whether the conversation shows the same command: in one row, the last above the dialog. */
export const isToldAlike = (rows: readonly string[], above: readonly string[]): boolean => {
  const told = above
    .map((line) => line.replace(SCROLL_BAR, ""))
    .findLast((line) => !isBlank(line) && !WAITING.test(line));
  return told !== undefined && /^ {3}\S/.test(told) && !CUT.test(told) && tellsSame([told], rows);
};
