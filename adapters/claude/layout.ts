// The parts of a Claude Code screen: where the agent draws, its input box, and of a dialog its frame, text and options. Geometry
// only; what stands there is read in screen.ts and dialogs.ts.
import type { Screen } from "../../core/ports/agentAdapter.ts";
import { indentOf, isBlank, withoutBlankEnds, movesTo, joined } from "../common/screenText.ts";
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { oneLine } from "../common/events.ts";
import { readPlainOptions } from "../common/selector.ts";

/** Between windows of vim, of nvim, and of tmux. */
const SEPARATOR = /^[|│┃]$/;
const RUN = /─{12,}|▔{12,}/g;
/** Less is a table in a text. */
const MIN_ROWS = 6;
const MIN_PANEL_ROWS = 3;
const PANEL = "│";
/** In the place of the nearest row above the agent's part: no block of the agent begins so. */
const FOREIGN_ROW = "|";
/** Characters that take two columns and one unit of a text. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const FILLER = "\u0000";
/** Below an editor's terminal that takes all of the screen: the line of the window, and the one for commands. */
const MAX_EDITOR_ROWS = 2;
const EDITOR_ROW = /^[!-~]/;
const KEYS_ROW = /^(?:enter|esc|tab|ctrl[+-]\w|shift\+\w+) to /i;

interface Columns {
  from: number;
  /** Exclusive. */
  to: number;
}

const isDivider = (row: string, at: number): boolean => SEPARATOR.test(row.charAt(at));

/** A rule with a separator on each side that is not an edge of the screen; null where there is none, or none has a separator. */
const ruleBetween = (row: string): Columns | null => {
  for (const { index, 0: run } of row.matchAll(RUN)) {
    const end = index + run.length;
    const [hasLeft, hasRight] = [isDivider(row, index - 1), isDivider(row, end)];
    if ((hasLeft || index === 0) && (hasRight || end === row.length) && (hasLeft || hasRight))
      return { from: index, to: end };
  }
  return null;
};

/** The rows around one that have the separators in the same columns. */
const rowsBetween = (
  lines: readonly string[],
  at: number,
  { from, to }: Columns,
): { first: number; end: number } => {
  const rule = lines[at] ?? "";
  const isIn = (row: string | undefined): boolean =>
    row !== undefined &&
    (from === 0 || isDivider(row, from - 1)) &&
    (to === rule.length || isDivider(row, to));
  let [first, end] = [at, at + 1];
  while (isIn(lines[first - 1])) first -= 1;
  while (isIn(lines[end])) end += 1;
  return { first, end };
};

interface OwnPart {
  screen: Screen;
  columns: Columns | null;
}

/**
 * The screen with nothing but the agent's own part, whose rows keep their places; `columns` null: all of it. A rule across the whole
 * screen says that nothing stands beside the agent. A row in which the separator is not where it should be ends it.
 */
export const ownColumns = (screen: Screen): OwnPart => {
  const lines = screen.lines.map((line) => line.trimEnd().replace(WIDE, `$&${FILLER}`));
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (line.length >= screen.width && /^(?:─+|▔+)$/.test(line)) break;
    const columns = ruleBetween(line);
    if (columns === null) continue;
    const { first, end } = rowsBetween(lines, at, columns);
    if (end - first < MIN_ROWS) continue;
    const { from, to } = columns;
    const own = lines.map((row, index) => {
      if (index < first || index >= end) return index === first - 1 ? FOREIGN_ROW : "";
      return row.slice(from, to).replaceAll(FILLER, "").trimEnd();
    });
    return { screen: { ...screen, lines: own, width: to - from }, columns };
  }
  return { screen, columns: null };
};

/**
 * The lines above the box without the panel beside them: a line down to the box, where the last rows of a text never have one. Higher up
 * the panel may be of another width.
 */
const leftOfPanel = (lines: readonly string[]): readonly string[] => {
  const at = lines.at(-1)?.lastIndexOf(PANEL) ?? -1;
  if (at < 0) return lines;
  const outside = lines.findLastIndex((line) => line.charAt(at) !== PANEL);
  if (lines.length - 1 - outside < MIN_PANEL_ROWS) return lines;
  return lines.map((line, index) => (index > outside ? line.slice(0, at).trimEnd() : line));
};

/**
 * Without the last lines of an editor in whose terminal the agent has the whole width. On the alternate screen alone: below what an agent
 * left on the other one, a shell writes.
 */
export const withoutEditor = (lines: readonly string[], isAlternate: boolean): readonly string[] => {
  if (!isAlternate) return lines;
  let end = lines.length;
  const isEditors = (line: string): boolean => EDITOR_ROW.test(line) && !KEYS_ROW.test(line);
  while (lines.length - end < MAX_EDITOR_ROWS && isEditors(lines[end - 1] ?? "")) end -= 1;
  const own = lines.slice(0, end);
  while (end < lines.length && own.at(-1)?.trim() === "") own.pop();
  return own;
};

// The parts of a Claude Code screen: the input box at the bottom with what stands directly above and below it, and the views that
// take its place. Geometry only; meaning is given in the sibling files. Source: frames recorded with 2.1.329, notes on 2.1.197's
// inline renderer.

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

// The text of a permission dialog, row by row, by its place: between the dotted lines below the heading, or, in 2.1.197, all
// that stands between heading and question. Nothing is left out for what it says. Source: dialogs recorded with 2.1.329 at
// 120, 80 and 60 columns (commands of many rows, tools, new and changed files), 2.1.197.

const DOTTED_LINE = /^ ?╌{8,}$/;
export const isSeparator = (line: string): boolean => DOTTED_LINE.test(line);
/** Before each row of a text that takes more than one. */
const BAR = /^ │( |$)/;
/** Columns that the frame takes of those of the pane. */
const FRAME_COLUMNS = 4;

export interface DialogText {
  /** The agent's own lines above: heading, hint, description, the path of an edit. */
  heading: readonly string[];
  /** As they are drawn; `unframed` gives them without frame and indentation. */
  rows: readonly string[];
  /** All of the text is in sight. */
  isWhole: boolean;
  /** Its first rows are out of sight, its last one is not. */
  isEnd: boolean;
  /** What the model says of it would stand below it, and nothing divides the two. */
  hasRemarkBelow: boolean;
}

export const unframed = (rows: readonly string[]): string[] => {
  if (rows.length > 0 && rows.every((row) => BAR.test(row))) return rows.map((row) => row.slice(3));
  const indent = Math.min(...rows.filter((row) => !isBlank(row)).map(indentOf));
  return rows.map((row) => row.slice(indent));
};

/**
 * `lines`: of the dialog above its question. `isTopSeen`: they begin below the dialog's rule; else its upper part is out of
 * sight.
 */
export const textOf = (lines: readonly string[], isTopSeen: boolean): DialogText => {
  const first = lines.findIndex((line) => isSeparator(line));
  const last = lines.findLastIndex((line) => isSeparator(line));
  if (first >= 0 && last > first)
    return {
      heading: isTopSeen ? lines.slice(0, first).filter((line) => !isBlank(line)) : [],
      rows: lines.slice(first + 1, last),
      isWhole: isTopSeen,
      isEnd: !isTopSeen,
      hasRemarkBelow: false,
    };
  // One line in sight ends the text; what is below it is the agent's own.
  if (!isTopSeen)
    return {
      heading: [],
      rows: withoutBlankEnds(first < 0 ? lines : lines.slice(0, first)),
      isWhole: false,
      isEnd: first >= 0,
      hasRemarkBelow: false,
    };
  const top = lines.findIndex((line) => !isBlank(line));
  const isPlain = first < 0 && top >= 0;
  return {
    heading: lines.slice(0, top + 1).filter((line) => !isBlank(line)),
    rows: withoutBlankEnds(lines.slice(top + 1)),
    isWhole: isPlain,
    isEnd: false,
    hasRemarkBelow: isPlain,
  };
};

/** Columns of the rows of a text in a pane so wide. */
export const columnsOf = (width: number): number => Math.max(1, width - FRAME_COLUMNS);

const NUMBERED = /^( *\d+)(?: (.*))?$/;
/** Before a row of which it is not known what it does. */
const UNKNOWN_SIGN = "?";

/**
 * The drawn lines of a file as lines of a difference: all of them are new, or each has its sign. A longer line of a new file is
 * broken at the right edge and goes on below the numbers. `width`: of the pane.
 */
export const contentOf = (rows: readonly string[], isNew: boolean, width: number): string => {
  const lines: string[] = [];
  let [gutter, rowsOfLine] = [0, 0];
  for (const row of rows) {
    const [, number, text = ""] = NUMBERED.exec(row) ?? [];
    const before = lines.at(-1);
    if (number !== undefined && (isNew || text === "" || /^[ +-]/.test(text))) {
      [gutter, rowsOfLine] = [number.length + 1, 1];
      lines.push(isNew ? `+${text}` : text || " ");
    } else if (isNew && before !== undefined && row.slice(0, gutter).trim() === "") {
      // What the edge cut off the right end of the row above were blanks.
      lines[lines.length - 1] = before.padEnd(1 + rowsOfLine * (width - 1 - gutter)) + row.slice(gutter);
      rowsOfLine += 1;
    } else lines.push(`${UNKNOWN_SIGN}${row}`);
  }
  return lines.join("\n");
};

// The selector of a dialog: its options with the keys that choose them. A digit alone chooses (recorded 2.1.329). Options
// without digits are chosen by moving the mark and Enter; each move is seen before the next key, because Enter on another option
// of the trust dialog leaves the agent.

type Option = PromptRequest["options"][number];

export interface Selector {
  options: Option[];
  /** Index of the first option's line. */
  start: number;
  /** Index after the last option's line. */
  end: number;
}

const NUMBERED_OPTION = /^\s{0,3}(❯\s?)?\s*(\d{1,2})\. +(\S.*)$/;
/** The chosen line of a dialog stands in column 0 or 1; quoted dialogs are indented further. */
const SELECTED = /^ ?❯ ?(\d{1,2}\. )?\S/;
const CHECKBOX = /^\[.\] /;
const HINT = / · (auto mode handles|\().*$/;

const labelOf = (text: string): string => oneLine(text.replace(HINT, "").replace(CHECKBOX, ""));

const isOptionLine = (line: string): boolean => NUMBERED_OPTION.test(line);

/** A wrapped option continues under its text, which no option of a recorded dialog reaches with less than five columns. */
const continues = (line: string): boolean => indentOf(line) >= 5 && !isOptionLine(line);

/** Reads upwards from `end`; null when no option there is selected in a dialog's column. Options may have rules and descriptions between. */
export const readNumbered = (
  lines: readonly string[],
  end: number,
  joinWrapped: boolean,
): Selector | null => {
  const options: Option[] = [];
  let last = -1;
  let expected: number | null = null;
  let start = end;
  let isSelectedSeen = false;
  let wrapped: string[] = [];
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const match = NUMBERED_OPTION.exec(line);
    if (match === null) {
      if (!isBlank(line) && !continues(line) && !/^─+$/.test(line.trim())) break;
      if (continues(line)) wrapped.unshift(line);
      continue;
    }
    const number = Number(match[2]);
    if (expected !== null && number !== expected) break;
    if (last < 0) last = index;
    isSelectedSeen ||= SELECTED.test(line);
    const text = joinWrapped ? [match[3], ...wrapped.map((part) => part.trim())].join(" ") : (match[3] ?? "");
    // With a checkbox the digit toggles instead of choosing.
    const isChoice = number <= 9 && !CHECKBOX.test(text);
    const description = joinWrapped ? "" : oneLine(wrapped.join(" "));
    options.unshift({
      label: labelOf(text),
      keys: isChoice ? [String(number)] : null,
      ...(description === "" ? {} : { description }),
    });
    wrapped = [];
    start = index;
    expected = number - 1;
    if (number === 1) break;
  }
  return isSelectedSeen && expected === 0 && options.length <= MAX_OPTIONS
    ? { options, start, end: last + 1 }
    : null;
};

/** Options without digits: the mark moves to one, and Enter chooses it. Whoever answers sees that it moved. */
export const readPlain = (lines: readonly string[], end: number): Selector | null => {
  const found = readPlainOptions(lines, end, { mark: "❯", maxIndent: 4, isWrapped: false });
  if (found === null || found.labels.length > MAX_OPTIONS) return null;
  const options = found.labels.map((label, index) => ({
    label: labelOf(label),
    keys: movesTo(index, found.marked),
  }));
  return { options, start: found.start, end: found.end };
};

// A dialog between the rule above it and the keys below it, and what readers of every kind of dialog take from it.

/** The dialog's own text above its selector, without the rule that separates it from the conversation. */
export interface Dialog {
  lines: readonly string[];
  selector: Selector;
  footer: string;
  hasRule: boolean;
  /** A part of it is out of sight, and its last row but the footer says so. */
  isScrolled: boolean;
  /** Index on the screen of its first row in sight. */
  top: number;
  /** Columns of the pane. */
  width: number;
}

/** The question's paragraph directly above the selector, and its first line's index. */
export const questionOf = (dialog: Dialog): { text: string; start: number; indent: number } => {
  let end = dialog.selector.start;
  while (end > 0 && isBlank(dialog.lines[end - 1] ?? "")) end -= 1;
  let start = end;
  while (start > 0 && !isBlank(dialog.lines[start - 1] ?? "") && !isSeparator(dialog.lines[start - 1] ?? ""))
    start -= 1;
  // A wrapped question has its known beginning some lines up; the nearest line that begins like one wins.
  const known = dialog.lines
    .slice(start, end)
    .findLastIndex((line) => /^ ?(Do you want|Would you like|Exit plan)/.test(line));
  const from = known < 0 ? start : start + known;
  return {
    text: joined(dialog.lines.slice(from, end)),
    start: from,
    indent: indentOf(dialog.lines[from] ?? ""),
  };
};
