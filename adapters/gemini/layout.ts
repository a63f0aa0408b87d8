// The parts of Gemini CLI's screen: its title, the input box with the status above it, a draft, the conversation of the last
// turn, and of a permission dialog its text and its edit. The program draws inline, so everything higher up is history. Source:
// frames recorded with 0.61.0.
import type { Screen } from "../../core/ports/agentAdapter.ts";
import {
  isBlank,
  type StyledCell,
  styledRows,
  typedOf,
  frameAtBottom,
  withoutBlankEnds,
  readNumberedLines,
} from "../common/screenText.ts";

export type TitleState = "ready" | "working" | "action";

/** The clock stands for a command that prints nothing for a while. */
const TITLE_SIGNS: Readonly<Record<string, TitleState>> = {
  "◇": "ready",
  "✦": "working",
  "⏲": "working",
  "✋": "action",
};

/** What the title says; null where it is not the agent's (it can be switched off). */
export const titleStateOf = (title: string): TitleState | null => {
  const sign = /^\s*(\S)/u.exec(title)?.[1] ?? "";
  return Object.hasOwn(TITLE_SIGNS, sign) ? (TITLE_SIGNS[sign] ?? null) : null;
};

export interface InputBox {
  /** Index of the row with the prompt's sign, and of the lower edge. */
  start: number;
  end: number;
  /** Lines directly above the box: spinner, hook and hint texts. */
  status: readonly string[];
  /** Lines since the last prompt, or all of them; without the status. */
  turn: readonly string[];
  /** Whether a prompt of the person is on the screen. */
  hasPrompt: boolean;
}

const UPPER = /^▄{8,}$/;
const LOWER = /^▀{8,}$/;
const RULE = /^─{8,}$/;
const PROMPT = /^ [>!*] /;
/** Sign of the history search, and of a shell. */
const OTHER_SIGN = /^ (?:\(r:\)|!)(?: |$)/;
/** A draft whose menu is open below the box. */
const MENU_DRAFT = /^ [>*] (?:\/|(?:\S.*\s)?@\S*$)/;
const MAX_FOOTER_LINES = 8;
const MAX_MODE_LINES = 4;
const MAX_STATUS_LINES = 3;

/** Null when no input box with a short footer is at the bottom: dialogs replace it. */
export const findInputBox = (lines: readonly string[]): InputBox | null => {
  const lower = lines.findLastIndex((line) => LOWER.test(line));
  if (lower < 2 || lines.length - 1 - lower > MAX_FOOTER_LINES) return null;
  const upper = lines.slice(0, lower).findLastIndex((line) => UPPER.test(line));
  if (upper < 0 || !PROMPT.test(`${lines[upper + 1] ?? ""} `)) return null;
  // A prompt in the history is drawn alike; only the box has the rule and the mode above it.
  const rule = lines.slice(0, upper).findLastIndex((line) => RULE.test(line));
  if (rule < 0 || upper - rule > MAX_MODE_LINES) return null;
  let top = rule;
  while (top > 0 && rule - top < MAX_STATUS_LINES && !isBlank(lines[top - 1] ?? "")) top -= 1;
  const prompt = lines.slice(0, top).findLastIndex((line) => LOWER.test(line));
  return {
    start: upper + 1,
    end: lower,
    status: lines.slice(top, rule),
    turn: lines.slice(prompt + 1, top).filter((line) => !isBlank(line)),
    hasPrompt: prompt >= 0,
  };
};

/**
 * The row of the box at the bottom where it takes no prompt: a search, a shell, or a menu, whose list stands below it; null where
 * it takes one, or is not there.
 */
export const findMenuRow = (lines: readonly string[]): string | null => {
  const lower = lines.findLastIndex((line) => LOWER.test(line));
  const upper = lines.slice(0, Math.max(0, lower)).findLastIndex((line) => UPPER.test(line));
  const rule = lines.slice(0, Math.max(0, upper)).findLastIndex((line) => RULE.test(line));
  const row = lines[upper + 1] ?? "";
  if (rule < 0 || upper - rule > MAX_MODE_LINES) return null;
  return OTHER_SIGN.test(row) || MENU_DRAFT.test(row) ? row : null;
};

/** What is typed behind `!` runs in a shell. */
const SIGN_OF_PROMPTS = /^ [>*]( |$)/;
/** Margin, sign and blank, or the indentation of the rows below. */
const INDENT = 3;
const HINT = /^ +Type your message or @path\/to\/file *$/;

/** Two columns further in than what is typed, and in a colour of its own. */
const isHint = (row: readonly StyledCell[]): boolean => {
  const cells = row.slice(INDENT);
  const words = cells.filter(({ char }) => char !== " ");
  const colour = words[0]?.colour ?? "";
  return (
    HINT.test(cells.map(({ char }) => char).join("")) &&
    colour !== "" &&
    words.every((cell) => cell.colour === colour)
  );
};

/** What somebody typed into the box. "": it is empty; null: there is none, or it is not for prompts. Recorded with 0.61.0. */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const box = findInputBox(screen.lines.map((line) => line.trimEnd()));
  if (rows === null || box === null || !SIGN_OF_PROMPTS.test(screen.lines[box.start] ?? "")) return null;
  const typed = rows.slice(box.start, box.end);
  return typed.length === 1 && isHint(typed[0] ?? []) ? "" : typedOf(typed, INDENT);
};

// Text of a permission dialog: row by row, by its place: in the inner box directly above the question, else between heading and
// question. Only the mark in the first or last row of that box is left out. Source: dialogs recorded with 0.61.0 at 120, 80 and
// 60 columns (commands, changed and new files, a page, a server's tool).

/** Columns of the frames. */
const FRAME_COLUMNS = 8;
/** The same for wrapped text, which ends two columns before the frame. */
const TEXT_COLUMNS = 10;

export const columnsOf = (width: number): number => Math.max(1, width - TEXT_COLUMNS);

const ELIDED = /^\.\.\. (first |last )?\d+ .*hidden.* \.\.\.$/;

interface InnerText {
  rows: readonly string[];
  /** All of the box is visible. */
  isWhole: boolean;
  /** Rows are cut at its other end; null: at both, or at none that is known. */
  sight: "start" | "end" | null;
  /** What stands above the box. */
  before: readonly string[];
}

/** The box that ends directly above the question. `lines`: of the dialog above it; null where there is no box. */
export const innerTextOf = (lines: readonly string[]): InnerText | null => {
  const frame = frameAtBottom(lines);
  if (frame === null) return null;
  const rows = frame.content.map((line) => line.replace(/^ /, ""));
  const isMarked = (row: string | undefined): boolean => row !== undefined && ELIDED.test(row);
  const isCutAbove = isMarked(rows[0]) || !frame.hasTop;
  const isCutBelow = isMarked(rows.at(-1));
  return {
    rows: rows.slice(isMarked(rows[0]) ? 1 : 0, isCutBelow ? -1 : undefined),
    sight: isCutAbove === isCutBelow ? null : isCutAbove ? "end" : "start",
    // A row that reads like the mark may be one of its own or of the text.
    isWhole: frame.hasTop && !rows.some(isMarked),
    before: lines.slice(0, frame.start),
  };
};

/** Rows between the heading and the question, where there is no box. */
export const plainTextOf = (lines: readonly string[]): string[] => {
  const [first, ...rest] = withoutBlankEnds(lines);
  const heading = /^ ?Action Required$/.test(first ?? "") ? withoutBlankEnds(rest).slice(1) : rest;
  return withoutBlankEnds(heading).map((line) => line.replace(/^ /, ""));
};

// Edits: numbered lines, and the path in the heading.

/** Trailing blanks are not drawn: an empty line of the file ends after its number. */
const SIGNED = /^( *\d+(?: ([ +-])(?: |$)|$))/;
const NEW = /^( *\d+(?: |$))/;

const numberOf = (row: string): number => Number(/^ *(\d+)/.exec(row)?.[1] ?? 0);

/**
 * The lines of an edit. `isWriting`: the tool that writes whole files, which draws new ones with numbers alone. Where all of its
 * lines begin as those of a change do, it cannot be known which of the two it is. `width`: of the pane.
 */
export const contentOf = (
  rows: readonly string[],
  isWriting: boolean,
  width: number,
): { content: string; columns: number; isReadable: boolean } => {
  const numbered = rows.filter((row) => NEW.test(row));
  const first = numberOf(numbered[0] ?? "");
  const mayBeNew = isWriting && numbered.every((row, index) => numberOf(row) === first + index);
  const isSigned = numbered.every((row) => SIGNED.test(row));
  const isNew = mayBeNew && !isSigned;
  const lines = readNumberedLines(rows, isNew ? NEW : SIGNED, isNew ? "+" : " ");
  return {
    content: lines.content,
    columns: Math.max(1, width - FRAME_COLUMNS - lines.gutter),
    isReadable: lines.isReadable && isSigned !== mayBeNew,
  };
};

const WRITING = /^ ?\? +(\S+) +Writing to (\S.*)$/;
/** `Edit  src/a.ts: the old text => the new one`. */
const EDITING = /^ ?\? +(\S+) +(.+?): (.*) => .*$/;
const PLACE_IN_LINE = / {2,}\d+ of \d+$/;
/** Names are shortened in the middle and at the end. */
const SHORTENED = /\.\.\.|…/;

/** The path that the heading names. `isSure`: nothing of it was cut, and no other reading of the row gives another one. */
export const pathOf = (row: string): { path: string | null; isWriting: boolean; isSure: boolean } => {
  const heading = row.replace(PLACE_IN_LINE, "");
  const written = WRITING.exec(heading)?.[2];
  if (written !== undefined) return { path: written, isWriting: true, isSure: !SHORTENED.test(written) };
  const [, , path, old = ""] = EDITING.exec(heading) ?? [];
  if (path === undefined) return { path: null, isWriting: false, isSure: false };
  return { path, isWriting: false, isSure: !SHORTENED.test(path) && !`${old} `.includes(": ") };
};
