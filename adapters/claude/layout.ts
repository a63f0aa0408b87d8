// The parts of a Claude Code screen, as geometry; what stands there is read in screen.ts and dialogs.ts. In this file: the agent's
// own columns in a split editor or tmux, the input box, the text of a dialog, its selector, the dialog around them.
import type { Screen } from "../../core/ports/agentAdapter.ts";
import { indentOf, isBlank, withoutBlankEnds, movesTo, joined } from "../common/screenText.ts";
import { MAX_OPTIONS, type PromptRequest } from "../../core/model/request.ts";
import { oneLine } from "../common/events.ts";
import { readPlainOptions } from "../common/selector.ts";

// Own columns: a terminal inside vim, nvim or tmux shows other windows beside the agent.

/** Between windows of vim, of nvim, and of tmux. */
const SEPARATOR = /^[|│┃]$/;
const RUN = /─{12,}|▔{12,}/g;
/** A table in a text has fewer rows. */
const MIN_ROWS = 6;
const MIN_PANEL_ROWS = 3;
const PANEL = "│";
/** Replaces the row directly above the agent's part: no block of the agent begins so. */
const FOREIGN_ROW = "|";
/** Characters that take two columns and one UTF-16 unit. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const FILLER = "\u0000";
/** An editor's terminal that takes the whole screen still has two rows below it: the window's line, and the one for commands. */
const MAX_EDITOR_ROWS = 2;
const EDITOR_ROW = /^[!-~]/;
const KEYS_ROW = /^(?:enter|esc|tab|ctrl[+-]\w|shift\+\w+) to /i;

interface Columns {
  from: number;
  /** Exclusive. */
  to: number;
}

const isDivider = (row: string, at: number): boolean => SEPARATOR.test(row.charAt(at));

/** A rule with a separator on each side that is not an edge of the screen; null where there is none. */
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
 * The agent's own part of the screen, whose rows keep their places; `columns` null: it is the whole screen. A rule across the
 * screen proves that nothing stands beside the agent. The part ends at a row without the separator in its column.
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
 * The lines above the box without the panel beside them, whose vertical line reaches down to the box; the last rows of a text never
 * have one. Higher up the panel may have another width.
 */
const leftOfPanel = (lines: readonly string[]): readonly string[] => {
  const at = lines.at(-1)?.lastIndexOf(PANEL) ?? -1;
  if (at < 0) return lines;
  const outside = lines.findLastIndex((line) => line.charAt(at) !== PANEL);
  if (lines.length - 1 - outside < MIN_PANEL_ROWS) return lines;
  return lines.map((line, index) => (index > outside ? line.slice(0, at).trimEnd() : line));
};

/**
 * Without the last lines of an editor in whose terminal the agent has the whole width. Only on the alternate screen: on the other
 * one, what stands below the agent's output is a shell's.
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

// Input box: at the bottom, with what stands directly above and below it. Source: frames recorded with 2.1.329, notes on 2.1.197's
// inline renderer.

/** The input box between two rules that start in column 0; answers and quotes are indented by two columns. */
export interface InputBox {
  /** First line inside the box, with its prompt sign; without one where the draft is taller than the box. */
  text: string;
  /** Index of that line, and of the lower rule. */
  start: number;
  end: number;
  /** The agent's own line below the box; "" where it cannot be distinguished from the person's status line. */
  footer: string;
  /** The lower rule and everything below it. */
  below: readonly string[];
  /** Rows of the list of its agents at the bottom: itself, then those that work for it. */
  agents: readonly string[];
  /** Non-empty lines above the box, nearest last; hints at the right edge and a panel beside the conversation left out. */
  above: readonly string[];
}

const MAX_LINES_BELOW = 24;
// Each character matches in one way only: a long line that is no rule must not cost the cube of its length.
const RULE = /^─{12}(?:─*|.*──)$/;
/** The box's lower edge may say how much of the draft is below it. */
const LOWER_EDGE = /^─{12,}$|^─── ↓ \d+ more ─+$/;
/** The upper edge may say how much of the draft is above it and, up to its last two columns, the session's name. */
const UPPER_EDGE = /^─{3,}(?:.* )?─+$|^ \S.* ─$/;
const CUT_EDGE = /^─── ↑ \d+ more .*─$/;
const PROMPT_SIGN = /^[❯>!]( |\u00a0|$)/;
/** Sign and blank, or the indentation of the rows below. */
export const INDENT = 2;

export const isRule = (line: string): boolean => RULE.test(line);

/** Text that hugs the right edge ("◐ medium · /effort") is a status hint, not part of the conversation. */
const isRightAligned = (line: string, width: number): boolean => indentOf(line) > Math.max(30, width / 2);

const isIndented = (line: string): boolean => isBlank(line) || indentOf(line) >= INDENT;

/** A row of the list of agents. A full circle: its conversation is shown. A row marked `❯`: the list takes the keys. */
const AGENT = /^(?:❯ | {2})[│├└ ]*[●◯] \S/;

/** The agent's own line below the box: a mode of its editor, the mode of the agent, what it offers. */
const MODE_LINE = /^ {2}(?:-- [A-Z][A-Z -]* -- +)?(?:⏸|⏵⏵) /;
/** The same line where it names no mode (2.1.197). */
const PLAIN_LINE = /^ {2}(?:\? for shortcuts|esc to interrupt)(?: · .*)?$/;

/**
 * A person's status line stands between the box and the agent's own line, may have several rows, and may say anything: it is
 * evidence of nothing. `below`: the rows below the box that are not blank. Recorded with 2.1.329 and status lines of every kind.
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

/** The rows below the box down to the first that is the surrounding editor's: those of the agent and its person are indented. */
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

/** Without the session's name below a dialog: the dialog replaces the box, but the box's upper edge stays. */
export const withoutName = (lines: readonly string[]): readonly string[] =>
  UPPER_EDGE.test(lines.at(-1) ?? "") && /[^─\s]/.test(lines.at(-1) ?? "") ? lines.slice(0, -1) : lines;

/** The last block above the box: its first line starts in column 0, the rest hangs below it. */
export const lastBlock = (above: readonly string[]): readonly string[] => {
  const start = above.findLastIndex((line) => indentOf(line) === 0);
  return above.slice(Math.max(start, 0));
};

// Text: that of a permission dialog, row by row, found by its place: between the dotted lines below the heading, or, in 2.1.197,
// all that stands between heading and question. No row is dropped because of what it says. Source: dialogs recorded with 2.1.329 at
// 120, 80 and 60 columns (commands of many rows, tools, new and changed files), and with 2.1.197.

const DOTTED_LINE = /^ ?╌{8,}$/;
export const isSeparator = (line: string): boolean => DOTTED_LINE.test(line);
/** Before each row of a text that takes more than one. */
const BAR = /^ │( |$)/;
/** Columns of the pane that the frame takes. */
const FRAME_COLUMNS = 4;

export interface DialogText {
  /** The agent's own lines above: heading, hint, description, the path of an edit. */
  heading: readonly string[];
  /** As drawn; `unframed` removes frame and indentation. */
  rows: readonly string[];
  /** All of the text is visible. */
  isWhole: boolean;
  /** Its first rows have scrolled out, its last row is visible. */
  isEnd: boolean;
  /** The model's remark would stand directly below the text, with nothing to divide the two. */
  hasRemarkBelow: boolean;
}

export const unframed = (rows: readonly string[]): string[] => {
  if (rows.length > 0 && rows.every((row) => BAR.test(row))) return rows.map((row) => row.slice(3));
  const indent = Math.min(...rows.filter((row) => !isBlank(row)).map(indentOf));
  return rows.map((row) => row.slice(indent));
};

/** `lines`: above the question. `isTopSeen`: they begin below the dialog's rule; otherwise the top has scrolled out. */
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
  // A single visible dotted line ends the text; what is below it is the agent's own.
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

/** Columns that a text's rows have in a pane of this width. */
export const columnsOf = (width: number): number => Math.max(1, width - FRAME_COLUMNS);

const NUMBERED = /^( *\d+)(?: (.*))?$/;
/** Marks a row whose effect on the file is not known. */
const UNKNOWN_SIGN = "?";

/**
 * The drawn lines of a file as lines of a diff. `isNew`: every line is an added one; otherwise each has its sign. A long line of a
 * new file is broken at the right edge and continues below the numbers. `width`: of the pane.
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
      // Blanks at the end of the row above were trimmed: pad it to the edge.
      lines[lines.length - 1] = before.padEnd(1 + rowsOfLine * (width - 1 - gutter)) + row.slice(gutter);
      rowsOfLine += 1;
    } else lines.push(`${UNKNOWN_SIGN}${row}`);
  }
  return lines.join("\n");
};

// Selector: a dialog's options with the keys that choose them. A digit alone chooses (recorded 2.1.329). Options without digits are
// chosen by moving the mark and Enter; each move is verified before the next key, because Enter on another option of the trust
// dialog exits the agent.

type Option = PromptRequest["options"][number];

export interface Selector {
  options: Option[];
  /** Keys from the marked row to the one below the boxes that submits them, and Enter; null: there is none. */
  submit: string[] | null;
  /** Index of the marked option; -1: the mark stands on no option. */
  marked: number;
  /** Index of the first option's line. */
  start: number;
  /** Index after the last option's line. */
  end: number;
}

const NUMBERED_OPTION = /^\s{0,3}(❯\s?)?\s*(\d{1,2})\. +(\S.*)$/;
/** The chosen line of a dialog stands in column 0 or 1; quoted dialogs are indented further. */
const SELECTED = /^ ?❯ ?(\d{1,2}\. )?\S/;
const CHECKBOX = /^\[(.)\] /;
/** Below the boxes, without a number: the last of several questions has `Submit`, the others `Next` (recorded 2.1.329). */
const SUBMIT_ROW = /^ ?(❯| ) {3,5}(?:Submit|Next)$/;
const HINT = / · (auto mode handles|\().*$/;

const labelOf = (text: string): string => oneLine(text.replace(HINT, "").replace(CHECKBOX, ""));

const isOptionLine = (line: string): boolean => NUMBERED_OPTION.test(line);

/** A wrapped option continues below its text; in recorded dialogs that is indented by at least five columns. */
const continues = (line: string): boolean => indentOf(line) >= 5 && !isOptionLine(line);

/**
 * Reads upwards from `end`, over rules and descriptions between options; null where no option is selected in a dialog's column.
 * `joinWrapped`: rows below an option belong to its label; otherwise they are its description.
 */
export const readNumbered = (
  lines: readonly string[],
  end: number,
  joinWrapped: boolean,
): Selector | null => {
  const options: Option[] = [];
  /** Rows that the mark can be moved to, from the top. */
  const rows: { isMarked: boolean; isSubmit: boolean }[] = [];
  let last = -1;
  let expected: number | null = null;
  let start = end;
  let wrapped: string[] = [];
  let below: string | null = null;
  for (let index = end - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const match = NUMBERED_OPTION.exec(line);
    if (match === null && SUBMIT_ROW.test(line)) {
      below = line;
      continue;
    }
    if (match === null) {
      if (!isBlank(line) && !continues(line) && !/^─+$/.test(line.trim())) break;
      if (continues(line)) wrapped.unshift(line);
      continue;
    }
    const number = Number(match[2]);
    if (expected !== null && number !== expected) break;
    if (last < 0) last = index;
    const isBox = CHECKBOX.test(match[3] ?? "");
    // Below anything but a box it is a description.
    if (below !== null && isBox) rows.unshift({ isMarked: below.includes("❯"), isSubmit: true });
    else if (below !== null) wrapped.push(below);
    below = null;
    rows.unshift({ isMarked: SELECTED.test(line), isSubmit: false });
    const text = joinWrapped ? [match[3], ...wrapped.map((part) => part.trim())].join(" ") : (match[3] ?? "");
    // With a checkbox the digit toggles instead of choosing.
    const box = CHECKBOX.exec(text)?.[1];
    const key = number <= 9 ? String(number) : null;
    const description = joinWrapped ? "" : oneLine(wrapped.join(" "));
    options.unshift({
      label: labelOf(text),
      keys: key === null || box !== undefined ? null : [key],
      ...(box === undefined ? {} : { ticked: box !== " " }),
      ...(box === undefined || key === null ? {} : { toggle: key }),
      ...(description === "" ? {} : { description }),
    });
    wrapped = [];
    start = index;
    expected = number - 1;
    if (number === 1) break;
  }
  const marked = rows.findIndex(({ isMarked }) => isMarked);
  const submit = rows.findIndex(({ isSubmit }) => isSubmit);
  return marked >= 0 && expected === 0 && options.length <= MAX_OPTIONS
    ? {
        options,
        submit: submit < 0 ? null : movesTo(submit, marked),
        marked: marked === submit ? -1 : marked - (submit >= 0 && marked > submit ? 1 : 0),
        start,
        end: last + 1,
      }
    : null;
};

/** Options without digits: the mark is moved to one, and Enter chooses it. */
export const readPlain = (lines: readonly string[], end: number): Selector | null => {
  const found = readPlainOptions(lines, end, { mark: "❯", maxIndent: 4, isWrapped: false });
  if (found === null || found.labels.length > MAX_OPTIONS) return null;
  const options = found.labels.map((label, index) => ({
    label: labelOf(label),
    keys: movesTo(index, found.marked),
  }));
  return { options, submit: null, marked: found.marked, start: found.start, end: found.end };
};

// Dialog: what stands between the rule above it and the keys below it.

/** The dialog's own text above its selector, without the rule that separates it from the conversation. */
export interface Dialog {
  lines: readonly string[];
  selector: Selector;
  footer: string;
  hasRule: boolean;
  /** A part of it has scrolled out, as its last row above the footer says. */
  isScrolled: boolean;
  /** Index on the screen of its first visible row. */
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
