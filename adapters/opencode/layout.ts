// The parts of an opencode screen: blocks with a bar at their left edge (prompts, tools, errors, dialogs), the input box with its
// lower edge, the footer below, a side bar in wide panes; the text of a permission, and the lines of an edit. Geometry only.
// Source: frames recorded with 1.18.33.
import { indentOf, isBlank, readNumberedLines, withoutBlankEnds } from "../common/screenText.ts";

export interface InputBox {
  /** Index of its first row, and of its lower edge. */
  start: number;
  end: number;
  /** Lines above the box, blanks kept, the box's own left out. */
  above: readonly string[];
  /** Lines inside the box without their bar. */
  inside: readonly string[];
  /** The first line with text below the box's edge. */
  footer: string;
}

const EDGE = /^\s*╹▀{12,}/;
const BAR = /^\s*┃/;
/** The bar of the conversation's blocks. A notice that lies over the right half of the screen has bars too. */
const OWN_BAR = /^\s{0,3}┃/;
const NOTICE = /\s*┃[^┃]*┃$/;
/** The text of the side bar begins two columns further to the right. */
const SIDE_BAR_COLUMNS = 42;
const SIDE_BAR_END = /^ {2}• (?:OpenCode|Kilo) \d/;
const MAX_FOOTER_LINES = 4;

interface MainColumn {
  lines: string[];
  width: number;
}

/** Without the side bar, which the name of the program ends: in the last row nothing else stands so far to the right. */
export const withoutSideBar = (lines: string[], width: number): MainColumn => {
  const end = width - SIDE_BAR_COLUMNS;
  if (end < 1 || !SIDE_BAR_END.test((lines.at(-1) ?? "").slice(end))) return { lines, width };
  return { lines: lines.map((line) => line.slice(0, end).trimEnd()), width: end };
};

/** A row of the conversation without what a notice lays over it. */
const withoutNotice = (line: string): string => {
  const notice = NOTICE.exec(line);
  return notice === null || OWN_BAR.test(notice[0]) ? line : line.slice(0, notice.index);
};

export const isBarred = (line: string): boolean => BAR.test(line);
export const withoutBar = (line: string): string => line.replace(BAR, "");

/** Null where no input box with its footer ends the screen: dialogs replace it. */
export const findInputBox = (lines: readonly string[]): InputBox | null => {
  const edge = lines.findLastIndex((line) => EDGE.test(line));
  if (edge < 1) return null;
  const below = lines.slice(edge + 1).filter((line) => !isBlank(line));
  if (below.length === 0 || below.length > MAX_FOOTER_LINES) return null;
  const column = indentOf(lines[edge] ?? "");
  let top = edge;
  while (top > 0 && isBarred(lines[top - 1] ?? "") && indentOf(lines[top - 1] ?? "") === column) top -= 1;
  if (top === edge) return null;
  return {
    start: top,
    end: edge,
    above: lines.slice(0, top).map(withoutNotice),
    inside: lines.slice(top, edge).map(withoutBar),
    footer: below[0] ?? "",
  };
};

/** The barred block that ends the screen, without its bars; null where something else does. */
export const lastBlock = (lines: readonly string[]): readonly string[] | null => {
  let top = lines.length;
  while (top > 0 && isBarred(lines[top - 1] ?? "")) top -= 1;
  return top === lines.length ? null : lines.slice(top).map(withoutBar);
};

/** Blocks of adjoining lines, barred and plain ones apart, top to bottom. */
export const blocksOf = (lines: readonly string[]): { isBarred: boolean; lines: string[] }[] => {
  const blocks: { isBarred: boolean; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (isBlank(line)) {
      isOpen = false;
      continue;
    }
    const barred = OWN_BAR.test(line);
    const last = blocks.at(-1);
    if (isOpen && last !== undefined && last.isBarred === barred) last.lines.push(line);
    else blocks.push({ isBarred: barred, lines: [line] });
    isOpen = true;
  }
  return blocks;
};

// Edits in wide panes: the old file stands beside the new one; their lines are put one below the other. Each row is read to the
// letter: one that does not fit makes the whole unreadable. Source: dialogs recorded with 1.18.33 at 140, 161 and 250 columns.

/** The number, the sign where it has one, and what follows. */
const SPLIT_LINE = /^( *\d+(?: ([ +-])(?: |$)|$))(.*)$/;

interface Half {
  row: string;
  /** Null where no line begins in the row. */
  line: { sign: string; text: string } | null;
}

const halfOf = (row: string): Half => {
  const match = SPLIT_LINE.exec(row);
  return { row, line: match === null ? null : { sign: match[2] ?? " ", text: match[3] ?? "" } };
};

/** Rows of a stretch that was changed. */
interface Change {
  old: string[];
  added: string[];
}

/** Adds the row of one side; false where it is none of that side. */
const take = (rows: string[], { row, line }: Half, sign: "-" | "+"): boolean => {
  if (row === "") return true;
  if (line === null ? rows.length === 0 : line.sign !== sign) return false;
  rows.push(row);
  return true;
};

/** `half`: columns of each side. Null where the rows are not two files side by side. */
const unsplit = (rows: readonly string[], half: number): readonly string[] | null => {
  const lines: string[] = [];
  let change: Change = { old: [], added: [] };
  let isSame = false;
  for (const row of rows) {
    const [left, right] = [halfOf(row.slice(0, half - 1).trimEnd()), halfOf(row.slice(half).trimEnd())];
    if (isBlank(row) || !isBlank(row.slice(half - 1, half))) return null;
    const isBegun = left.line?.sign === " " && right.line?.sign === " ";
    if (isBegun || (isSame && left.line === null && right.line === null)) {
      const isAlike = isBegun ? left.line?.text === right.line?.text : left.row === right.row;
      if (!isAlike) return null;
      lines.push(...change.old, ...change.added, right.row);
      change = { old: [], added: [] };
      isSame = true;
      continue;
    }
    isSame = false;
    if (!take(change.old, left, "-") || !take(change.added, right, "+")) return null;
  }
  return [...lines, ...change.old, ...change.added];
};

// Text of a permission: row by row, by its place between heading and buttons. It is a window of a few rows: a scroll bar shows
// that an edit has more, nothing shows it of a command. Source: dialogs recorded with 1.18.33 at 120, 80 and 60 columns
// (commands, changed and new files, a page, a folder, a server's tool), also in full screen.

const INDENT = 2;
/** Rows of a dialog whose window is full, from the bar above its title to the one below its buttons. */
const FULL_ROWS = 15;
/** Rows of the lowest pane in which that holds. */
const LEAST_HEIGHT = 20;
/** Blank rows below the window. */
const ROWS_BELOW = 2;
/** Columns of bar, margins and, for an edit, the scroll bar, and of the blank behind a word, which is wrapped with it. */
const TEXT_COLUMNS = 11;
const EDIT_COLUMNS = 16;
/** Columns between the scroll bar and the right edge of the pane, and those of the dialog's own bar. */
const BEHIND_SCROLL_BAR = 6;
const BAR_COLUMNS = 3;
const SCROLL_BAR = /^[█▀▄]$/;

/** Columns left and right of the two files of an edit that stand side by side; the scroll bar takes more. */
const SPLIT_MARGINS = 8;
const SCROLL_BAR_COLUMNS = 2;

/** What the dialog has of the pane. */
export interface Pane {
  width: number;
  height: number;
  /** An edit shows the old file beside the new one. */
  isSplit: boolean;
}

export interface DialogText {
  heading: string;
  rows: readonly string[];
  /** Every row is visible, and this is known. */
  isWhole: boolean;
}

/** Columns of the sign that the agent puts before a command. */
export const COMMAND_INSET = 2;

export const columnsOf = ({ width }: Pane): number => Math.max(1, width - TEXT_COLUMNS);

const unindented = (rows: readonly string[]): string[] => rows.map((row) => row.slice(INDENT));

/** The window's rows, of which the last ones may be blank. `lines`: between the title and the buttons. */
const windowOf = (lines: readonly string[]): { heading: readonly string[]; rows: readonly string[] } => {
  const start = lines.findIndex((line) => !isBlank(line));
  const gap = lines.findIndex((line, index) => index > start && isBlank(line));
  if (start < 0 || gap < 0) return { heading: lines.filter((line) => !isBlank(line)), rows: [] };
  let end = lines.length;
  while (end > gap + 1 && lines.length - end < ROWS_BELOW && isBlank(lines[end - 1] ?? "")) end -= 1;
  return { heading: lines.slice(start, gap), rows: lines.slice(gap + 1, end) };
};

/** `rowCount`: of the whole dialog. */
export const textOf = (lines: readonly string[], rowCount: number, pane: Pane): DialogText => {
  const { heading, rows } = windowOf(lines);
  return {
    heading: heading.join("\n").trim(),
    rows: unindented(withoutBlankEnds(rows)),
    isWhole: heading.length === 1 && rowCount < FULL_ROWS && pane.height >= LEAST_HEIGHT,
  };
};

const NUMBERED_LINE = /^( *\d+(?: ([ +-])(?: |$)|$))/;

/** The lines of an edit, whose window is as large as it can be; its last row is blank where all of them fit. */
export const linesOf = (
  block: readonly string[],
  pane: Pane,
): { content: string | null; columns: number; isWhole: boolean } => {
  const { heading, rows } = windowOf(block);
  const barAt = pane.width - BEHIND_SCROLL_BAR - BAR_COLUMNS;
  const hasBar = rows.some((row) => SCROLL_BAR.test(row.slice(barAt)));
  const own = rows.map((row) => (SCROLL_BAR.test(row.slice(barAt)) ? row.slice(0, barAt).trimEnd() : row));
  const isFull = !isBlank(own.at(-1) ?? "");
  const drawn = unindented(withoutBlankEnds(own));
  const half = Math.ceil((pane.width - SPLIT_MARGINS - (hasBar ? SCROLL_BAR_COLUMNS : 0)) / 2);
  const lines = pane.isSplit ? unsplit(drawn, half) : drawn;
  const { content, gutter, isReadable } = readNumberedLines(lines ?? drawn, NUMBERED_LINE, " ");
  const columns = pane.isSplit ? half - INDENT : pane.width - EDIT_COLUMNS + INDENT;
  const isAll = lines !== null && isReadable && !hasBar && !isFull;
  return {
    content: drawn.length === 0 ? null : content,
    columns: Math.max(1, columns - gutter),
    isWhole: heading.length === 1 && isAll && pane.height >= LEAST_HEIGHT,
  };
};
