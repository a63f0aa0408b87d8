// The text of a permission dialog, row by row, by its place: between the dotted lines below the heading, or, in 2.1.197, all
// that stands between heading and question. Nothing is left out for what it says. Source: dialogs recorded with 2.1.329 at
// 120, 80 and 60 columns (commands of many rows, tools, new and changed files), 2.1.197.
import { withoutBlankEnds } from "../../common/frames.ts";
import { indentOf, isBlank } from "../../common/screenText.ts";

const SEPARATOR = /^ ?╌{8,}$/;
export const isSeparator = (line: string): boolean => SEPARATOR.test(line);
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
