// What adapters' readers of screens share: rows and readings, frames around dialogs, drawn lines of a file, the comparison
// of a text that is drawn twice, and styled cells with what was typed.
import type { Confidence, Status } from "../../core/model/state.ts";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { oneLine } from "./events.ts";
import { promptRequest, type RequestFields } from "./promptRequest.ts";

/** More than any terminal shows; keeps a hostile screen cheap. */
const MAX_LINES = 500;
export const MAX_COLUMNS = 1_000;

export const isBlank = (line: string): boolean => line.trim() === "";
export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The screen's lines without trailing blanks and without the empty rest below the last text. */
export const visibleLines = (screen: Screen): string[] => {
  const lines = screen.lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_COLUMNS).trimEnd());
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
};

export const joined = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .join(" ")
    .trim();

/** Whether a row continues in the one below because its next word did not fit: the agent wraps text by words. */
export const isWrapped = (row: string, below: string, columns: number): boolean => {
  const word = below.trimStart().split(" ", 1)[0] ?? "";
  return word !== "" && !isBlank(row) && row.length + 1 + word.length > columns;
};

/** A reading without a request. */
export const shows = (
  status: Status,
  confidence: Confidence,
  matched: string,
  isSteady = false,
): Reading => ({ status, confidence, matched: oneLine(matched), request: null, isSteady });

/** A reading of an open dialog. `top`: index of its first row among the rows that are read. */
export const asks = (
  status: Status,
  confidence: Confidence,
  matched: string,
  { top, ...request }: RequestFields & { top?: number },
): Reading => ({
  ...shows(status, confidence, matched),
  request: promptRequest(request),
  ...(top === undefined ? {} : { dialogTop: top }),
});

/** The reading with its dialog's top moved down by `rows`. */
export const movedDown = (reading: Reading | null, rows: number): Reading | null =>
  reading?.dialogTop === undefined ? reading : { ...reading, dialogTop: reading.dialogTop + rows };

/** Where rows or columns of the screen were left out, the request is not whole, and row numbers are not those of the pane. */
export const ofWholeScreen = (screen: Screen, reading: Reading | null): Reading | null => {
  if (reading === null || reading.request === null) return reading;
  if (screen.lines.length <= MAX_LINES && screen.lines.every((line) => line.length <= MAX_COLUMNS))
    return reading;
  const { dialogTop: _dialogTop, ...rest } = reading;
  return { ...rest, request: { ...reading.request, isWhole: false } };
};

/** The block of rows above `end` and the gap before it, and where the block begins. */
export const blockAbove = (
  lines: readonly string[],
  end: number,
  isGap: (line: string) => boolean = isBlank,
): { lines: readonly string[]; start: number } => {
  const to = lines.slice(0, end).findLastIndex((line) => !isGap(line)) + 1;
  const start = lines.slice(0, to).findLastIndex(isGap) + 1;
  return { lines: lines.slice(start, to), start };
};

/** Keys from the chosen option to another in a list in which Up and Down move and Enter chooses. */
export const movesTo = (index: number, selected: number): string[] => [
  ...Array<string>(Math.abs(index - selected)).fill(index > selected ? "Down" : "Up"),
  "Enter",
];

// Frames: boxes that agents draw around dialogs and tools.

/** Without blank lines at both ends. */
export const withoutBlankEnds = (lines: readonly string[]): readonly string[] => {
  const first = lines.findIndex((line) => !isBlank(line));
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => !isBlank(line)) + 1);
};

const FRAME_TOP = /^\s?╭─+╮$/;
const FRAME_BOTTOM = /^\s?╰─+╯$/;

export interface Frame {
  /** What stands between the vertical lines, their padding kept. */
  content: readonly string[];
  /** Index on the screen of its upper edge, else of its first visible line. */
  start: number;
  /** False where its top has scrolled out. */
  hasTop: boolean;
}

/** Inside of a framed line, or null. */
const insideOf = (line: string): string | null => /^\s?│(.*)│$/.exec(line)?.[1]?.trimEnd() ?? null;

/** The frame that ends in the last of `lines`; frames inside it are part of its content. Null where that line ends none. */
export const frameAtBottom = (lines: readonly string[]): Frame | null => {
  if (!FRAME_BOTTOM.test(lines.at(-1) ?? "")) return null;
  const content: string[] = [];
  for (let index = lines.length - 2; index >= 0; index -= 1) {
    const line = lines[index] ?? "";
    const inside = insideOf(line);
    if (inside === null) {
      const hasTop = FRAME_TOP.test(line);
      return hasTop ? { content: content.toReversed(), start: index, hasTop } : null;
    }
    content.push(inside);
  }
  return content.length === 0 ? null : { content: content.toReversed(), start: 0, hasTop: false };
};

/** The text of the first frame inside a frame's content, and what stands before and after it. */
export const splitInnerFrame = (
  content: readonly string[],
): { before: readonly string[]; inner: readonly string[]; after: readonly string[] } | null => {
  const start = content.findIndex((line) => FRAME_TOP.test(line));
  const end = content.findIndex((line, index) => index > start && FRAME_BOTTOM.test(line));
  if (start < 0 || end < 0) return null;
  const inner = content.slice(start + 1, end).map((line) => (insideOf(line) ?? "").replace(/^ /, ""));
  return { before: content.slice(0, start), inner, after: content.slice(end + 1) };
};

// Drawn lines of a file, as lines of a diff. Each begins with its number and mostly its sign, and a wrapped one continues below its
// text. Any other row is unknown.

/** Marks a row whose effect on the file is not known. */
const UNKNOWN_SIGN = "?";
/** Marks a row that continues the line above. */
const WRAPPED_SIGN = ">";

interface NumberedLines {
  content: string;
  /** Columns that numbers and signs take; 0 without a line. */
  gutter: number;
  isReadable: boolean;
}

/**
 * `line`: matches a row that begins a line; its groups are the gutter and, where there is one, the sign. `unsigned`: the sign of a
 * line without one. The text follows the gutter.
 */
export const readNumberedLines = (
  rows: readonly string[],
  line: RegExp,
  unsigned: "+" | " ",
): NumberedLines => {
  let gutter = 0;
  const lines = rows.map((row) => {
    const match = line.exec(row);
    if (match !== null) {
      const own = match[1]?.length ?? 0;
      gutter = Math.max(gutter, own);
      return `${match[2] ?? unsigned}${row.slice(own)}`;
    }
    const isBelow = gutter > 0 && row.slice(0, gutter).trim() === "";
    return isBelow ? `${WRAPPED_SIGN}${row.slice(gutter)}` : `${UNKNOWN_SIGN}${row}`;
  });
  return {
    content: lines.join("\n"),
    gutter,
    isReadable: gutter > 0 && lines.every((one) => !one.startsWith(UNKNOWN_SIGN)),
  };
};

// Comparison: whether a text that an agent draws twice, once to be approved and once in its conversation, is the same both times,
// so that characters left out in one place are noticed.

type Gap = "blank" | "none" | "row";

interface Unit {
  char: string;
  /** What stands before it; at the start of a row that may have been a blank or nothing. */
  gap: Gap;
}

const unitsOf = (rows: readonly string[]): Unit[] =>
  rows.flatMap((row, index) => {
    let gap: Gap = index === 0 ? "none" : "row";
    const units: Unit[] = [];
    for (const char of row.trim())
      if (/\s/u.test(char)) gap = "blank";
      else {
        units.push({ char, gap });
        gap = "none";
      }
    return units;
  });

/** Both show the same characters, with blanks at the same places. Their number does not count: tabs are drawn as blanks too. */
export const tellsSame = (told: readonly string[], drawn: readonly string[]): boolean => {
  const [one, other] = [unitsOf(told), unitsOf(drawn)];
  return (
    one.length === other.length &&
    one.every(({ char, gap }, index) => {
      const { char: same, gap: between } = other[index] ?? { char: "", gap };
      return char === same && (gap === between || gap === "row" || between === "row");
    })
  );
};

// Styled cells: what is drawn dim or coloured, by SGR sequences, whose effect continues from line to line. It distinguishes an
// agent's hint from what a person typed.

export interface StyledCell {
  readonly char: string;
  readonly isDim: boolean;
  /** The parameters that set it, such as `38;5;248`; "": the terminal's own. */
  readonly colour: string;
  /** The same for the background. */
  readonly ground: string;
}

// oxlint-disable-next-line no-control-regex -- SGR and other escape sequences are what this is about
const PART = /\u001b\[([0-9;:]*)m|\u001b\[[0-9;?]*[A-Za-z]|\u001b[()][A-Z0-9]|([^\u001b])/gu;

/** How many parameters belong to the colour at `at`, as in `38;5;n` and `48;2;r;g;b`. */
const widthOfColour = (codes: readonly string[], at: number): number => (codes[at + 1] === "2" ? 5 : 3);

type Style = Omit<StyledCell, "char">;
const PLAIN: Style = { isDim: false, colour: "", ground: "" };

const isNamedColour = (code: number): boolean => (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
const isNamedGround = (code: number): boolean => (code >= 40 && code <= 47) || (code >= 100 && code <= 107);

const styleAfter = (style: Style, parameters: string): Style => {
  const codes = parameters === "" ? ["0"] : parameters.split(/[;:]/);
  let now = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 0) now = PLAIN;
    else if (code === 2) now = { ...now, isDim: true };
    else if (code === 22) now = { ...now, isDim: false };
    else if (code === 39) now = { ...now, colour: "" };
    else if (code === 49) now = { ...now, ground: "" };
    else if (isNamedGround(code)) now = { ...now, ground: String(code) };
    else if (isNamedColour(code)) now = { ...now, colour: String(code) };
    else if (code === 38 || code === 48 || code === 58) {
      const width = widthOfColour(codes, at);
      const set = codes.slice(at, at + width).join(";");
      if (code === 38) now = { ...now, colour: set };
      if (code === 48) now = { ...now, ground: set };
      at += width - 1;
    }
  }
  return now;
};

export const styledCells = (styledLines: readonly string[]): StyledCell[][] => {
  let style = PLAIN;
  return styledLines.map((line) => {
    const cells: StyledCell[] = [];
    for (const [, parameters, char] of line.matchAll(PART)) {
      if (parameters !== undefined) style = styleAfter(style, parameters);
      else if (char !== undefined) cells.push({ char, ...style });
    }
    return cells;
  });
};

/** The cells of each row; null where the screen was read without its colours. */
export const styledRows = ({ lines, styledLines }: Screen): StyledCell[][] | null =>
  styledLines === undefined || styledLines.length !== lines.length ? null : styledCells(styledLines);

/** The text in these rows that is not dim, without the sign or indentation before each. */
export const typedOf = (rows: readonly (readonly StyledCell[])[], indent: number): string =>
  rows
    .map((cells) =>
      cells
        .slice(indent)
        .filter(({ isDim }) => !isDim)
        .map(({ char }) => char)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trim();
