// Whether the rows of a dialog show a text, to the letter. Pure. A row may end where the text has a line break, and where
// the width of the dialog explains a wrap; white space that a wrap swallows is the only thing that may be missing.

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/** Columns that a terminal gives to one character of a text. */
export const widthOfChar = (char: string): number => (WIDE.test(char) ? 2 : 1);

const widthOf = (text: string): number => {
  let width = 0;
  for (const char of text) width += widthOfChar(char);
  return width;
};

/** A tab is drawn as so many blanks at most. */
const MAX_TAB = 8;
/** A shorter row is found in any text. */
const LEAST_TO_FIND = 3;
/** A row that is found in more places of a text proves nothing. This also keeps a hostile text cheap. */
const MAX_PLACES = 100;

/** Index in `text` after what `row` shows of it from `from` on; -1 where it shows something else. */
const afterRow = (text: string, from: number, row: string): number => {
  let at = from;
  for (let index = 0; index < row.length; at += 1) {
    if (text[at] === row[index]) index += 1;
    else if (text[at] === "\t" && row[index] === " ") {
      const blanks = /^ {1,8}/.exec(row.slice(index, index + MAX_TAB))?.[0].length ?? 0;
      // What follows the tab decides how many of the blanks are its own.
      const following = text.slice(at + 1).match(/^ */)?.[0].length ?? 0;
      index += Math.max(1, blanks - following);
    } else return -1;
  }
  return at;
};

const firstWord = (row: string): string => /^\s*(\S+)/.exec(row)?.[1] ?? "";

/** How an agent wraps a text. */
export interface Wrapping {
  /** Columns of the first row that are taken by a sign before the text. */
  inset?: number | undefined;
  /** Words are also broken behind a hyphen or a slash, to fill a row. */
  hasJoints?: boolean | undefined;
  /** Where rows are out of sight: those in sight are the first or the last. Without it nobody knows which. */
  sight?: "start" | "end" | undefined;
}

/** With the columns in which rows are wrapped; null where that is not known. */
interface Wrap {
  columns: number | null;
  wrapping: Wrapping;
}

/** Index in `text` at which the row after `row` begins; -1 where nothing explains that `row` ends at `at`. */
const nextRowAt = (
  text: string,
  at: number,
  { row, next }: { row: string; next: string },
  { columns, wrapping }: Wrap,
): number => {
  let end = at;
  while (text[end] === " " || text[end] === "\t") end += 1;
  if (text[end] === "\n") return end + 1;
  if (columns === null) return -1;
  const width = widthOf(row);
  if (end > at) {
    const own = next.length - next.trimStart().length;
    // The whole gap would have fitted before the word.
    const gap = text.slice(at, end).replaceAll("\t", " ".repeat(MAX_TAB)).length;
    if (width + gap + widthOf(firstWord(next)) <= columns || own > end - at) return -1;
    return end - own;
  }
  const isFull = width + widthOfChar(next[0] ?? " ") > columns;
  const isJoint =
    wrapping.hasJoints === true && /[-/]$/.test(row) && width + widthOf(firstWord(next)) > columns;
  return isFull || isJoint ? at : -1;
};

const isRest = (text: string, at: number): boolean => /^\s*$/.test(text.slice(at));

/** The row below a full row shows only the blank that had no room in it. */
const isWrappedBlank = (
  text: string,
  at: number,
  { row, next }: { row: string; next: string | undefined },
  columns: number,
): boolean =>
  next?.trim() === "" && widthOf(row) >= columns && /^ +[^ \n]/.test(text.slice(at, at + MAX_TAB));

/** How many of the rows from `index` on follow each other in `text` from `from`, and where that ends. */
const follow = (
  text: string,
  rows: readonly string[],
  { columns, wrapping }: Wrap,
  start: { index: number; from: number },
): { index: number; at: number } => {
  let { index, from } = start;
  let at = from;
  while (index < rows.length) {
    const row = rows[index] ?? "";
    const after = afterRow(text, from, row);
    if (after < 0) break;
    at = after;
    index += 1;
    const isFirst = index === 1 && wrapping.sight !== "end";
    const own = columns === null || !isFirst ? columns : columns - (wrapping.inset ?? 0);
    if (own !== null && isWrappedBlank(text, at, { row, next: rows[index] }, own)) index += 1;
    const next = rows[index];
    if (next === undefined) break;
    from = nextRowAt(text, at, { row, next }, { columns: own, wrapping });
    if (from < 0) break;
  }
  return { index, at };
};

const lineAround = (text: string, at: number): { start: number; end: number } => {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  return { start, end: end < 0 ? text.length : end };
};

const isWider = (text: string, { start, end }: { start: number; end: number }, columns: number): boolean =>
  end - start > columns || widthOf(text.slice(start, end)) > columns;

/** A piece may begin or end within a line only where that line is wrapped: then a row of it may be out of sight. */
const isBorder = (text: string, at: number, columns: number | null, side: "start" | "end"): boolean => {
  const line = lineAround(text, at);
  if (columns !== null && isWider(text, line, columns)) return true;
  const rest = side === "start" ? text.slice(line.start, at) : text.slice(at, line.end);
  return rest.trim() === "";
};

/** Where a piece is looked for, and whether it may begin and end within a line that is wrapped: a row of it is then out of sight. */
interface Place {
  from: number;
  isFirst: boolean;
  isLast: boolean;
}

/** Places in `text` at which `row` may begin a piece; the last ones first where the piece is the end of it. */
function* piecesAt(
  text: string,
  row: string,
  { columns, wrapping }: Wrap,
  { from, isFirst }: Place,
): Iterable<number> {
  const sought = row.trimStart();
  const indent = row.length - sought.length;
  const isEnd = wrapping.sight === "end";
  let at = isEnd ? text.lastIndexOf(sought) : text.indexOf(sought, from);
  for (let places = 0; at >= from && places < MAX_PLACES; places += 1) {
    const { start } = lineAround(text, at);
    const isIndented = at - start !== indent ? indent === 0 : text.slice(start, at).trim() === "";
    if (isIndented && isBorder(text, at, isFirst ? columns : null, "start")) yield at;
    if (isEnd && at === 0) return;
    at = isEnd ? text.lastIndexOf(sought, at - 1) : text.indexOf(sought, at + 1);
  }
}

const ANYWHERE: Place = { from: 0, isFirst: true, isLast: true };

/** Index behind the piece of `text` that the rows show without a gap, in the place that the dialog gives them; -1: they show none. */
const pieceEnd = (text: string, rows: readonly string[], wrap: Wrap, place: Place = ANYWHERE): number => {
  const { sight } = wrap.wrapping;
  const columns = place.isLast ? wrap.columns : null;
  const endsWell = ({ index, at }: { index: number; at: number }): boolean =>
    index === rows.length && (sight === "end" ? isRest(text, at) : isBorder(text, at, columns, "end"));
  const [first = ""] = rows;
  if (sight === "start") {
    const run = follow(text, rows, wrap, { index: 0, from: place.from });
    return endsWell(run) ? run.at : -1;
  }
  const own = rows.with(0, first.trimStart());
  for (const from of piecesAt(text, first, wrap, place)) {
    const run = follow(text, own, wrap, { index: 0, from });
    if (endsWell(run)) return run.at;
  }
  return -1;
};

/** The same for one of several pieces that follow each other; its first row is not blank. */
export const endOfPiece = (
  text: string,
  rows: readonly string[],
  columns: number | null,
  { from, isFirst, isLast, ...wrapping }: Wrapping & Place,
): number =>
  pieceEnd(text, rows, { columns, wrapping: { ...wrapping, sight: undefined } }, { from, isFirst, isLast });

/**
 * `all`: the rows are the whole text. `part`: they are a piece of it without a gap, and the rest is out of sight. `none`: something else, or nothing. `rows`: without the dialog's frame and indentation. `columns`: in which they are
 * wrapped; null where that is not known, so that only line breaks end a row.
 */
export const matchDrawn = (
  text: string,
  rows: readonly string[],
  columns: number | null,
  wrapping: Wrapping = {},
): "all" | "part" | "none" => {
  if (rows.every((row) => row.trim() === "")) return text.trim() === "" ? "all" : "none";
  const wrap = { columns, wrapping };
  const whole = follow(text, rows, wrap, { index: 0, from: 0 });
  if (whole.index === rows.length && isRest(text, whole.at)) return "all";
  const start = wrapping.sight === "start" ? 0 : rows.findIndex((row) => row.trim() !== "");
  const end = rows.findLastIndex((row) => row.trim() !== "") + 1;
  const seen = rows.slice(start, end);
  // A piece of which the place is not known.
  if (wrapping.sight === undefined && (seen[0] ?? "").trim().length < LEAST_TO_FIND) return "none";
  return pieceEnd(text, seen, wrap) < 0 ? "none" : "part";
};
