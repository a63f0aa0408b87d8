// The text of a permission, row by row, by its place between heading and buttons. It is a window of a few rows: of an edit
// a scroll bar tells that there is more, of a command nothing does. Source: dialogs recorded with 1.18.33 at 120, 80 and 60
// columns (commands, changed and new files, a page, a folder, a server's tool), also in full screen.
import { readDrawnLines } from "../../common/drawnLines.ts";
import { withoutBlankEnds } from "../../common/frames.ts";
import { isBlank } from "../../common/screenText.ts";
import { unsplit } from "./splitLines.ts";

const INDENT = 2;
/** Rows of a dialog whose window is full, from the bar above its title to the one below its buttons; in panes this high. */
const FULL_ROWS = 15;
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
  /** Every row is in sight, and this is known. */
  isWhole: boolean;
}

/** The sign that the agent puts before a command, in columns. */
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

const LINE = /^( *\d+(?: ([ +-])(?: |$)|$))/;

/** The lines of an edit, whose window is as large as it can be; its last row is blank where all of them have room. */
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
  const { content, gutter, isReadable } = readDrawnLines(lines ?? drawn, LINE, " ");
  const columns = pane.isSplit ? half - INDENT : pane.width - EDIT_COLUMNS + INDENT;
  const isAll = lines !== null && isReadable && !hasBar && !isFull;
  return {
    content: drawn.length === 0 ? null : content,
    columns: Math.max(1, columns - gutter),
    isWhole: heading.length === 1 && isAll && pane.height >= LEAST_HEIGHT,
  };
};
