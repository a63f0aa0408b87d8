// Whether a dialog draws what an event reported: a plan (`matchPlan`), a text to the letter (`matchDrawn`), and the changes of an
// edit (`isContentDrawn`). Pure. Finding the dialog and its rows on a screen is the adapters' task.

// Plan: events report it as Markdown and agents draw it laid out. Signs of lists and headings, fences and tables change, words do
// not.

/** Signs that Markdown gives a meaning, white space, and what frames and bullets are drawn with. */
const LAYOUT = /[\s#*_`~>|+\-=:\\[\]()!<\u2022\u2500-\u25ff]/gu;
/** Names the language of what it opens, which nobody draws. */
const FENCE = /^[ \t]*(`{3,}|~{3,}).*$/gmu;

const wordsOf = (markdown: string): string => markdown.replaceAll(FENCE, "").replaceAll(LAYOUT, "");

/** So few characters occur in any plan. */
const LEAST = 12;

/** `all`: every word is drawn. `part`: a run of its words is drawn, and the rest is not visible. */
export const matchPlan = (told: string, drawn: string): "all" | "part" | "none" => {
  const [whole, seen] = [wordsOf(told), wordsOf(drawn)];
  if (whole === seen) return "all";
  return seen.length >= LEAST && whole.includes(seen) ? "part" : "none";
};

// Text: a row may end where the text has a line break, and where the width of the dialog explains a wrap. Only white space that a
// wrap swallows may be missing.

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/** Columns that a terminal gives to one character of a text. */
const widthOfChar = (char: string): number => (WIDE.test(char) ? 2 : 1);

const widthOf = (text: string): number => {
  let width = 0;
  for (const char of text) width += widthOfChar(char);
  return width;
};

/** A tab is drawn as at most this many blanks. */
const MAX_TAB = 8;
/** A shorter row occurs in any text. */
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
  /** Whether the visible rows are the first or the last ones of the text; absent where that is not known. */
  sight?: "start" | "end" | undefined;
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

/** The row below a full row shows only the blank that did not fit. */
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

/** A piece may begin or end within a line only where that line is wrapped: then a row of it may not be visible. */
const isBorder = (text: string, at: number, columns: number | null, side: "start" | "end"): boolean => {
  const line = lineAround(text, at);
  if (columns !== null && isWider(text, line, columns)) return true;
  const rest = side === "start" ? text.slice(line.start, at) : text.slice(at, line.end);
  return rest.trim() === "";
};

/** Where a piece is looked for. `isFirst`, `isLast`: it may begin or end within a wrapped line, of which a row is not visible. */
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

/** Index behind the piece of `text` that the rows show without a gap, at the place that `sight` gives it; -1: they show none. */
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
const endOfPiece = (
  text: string,
  rows: readonly string[],
  columns: number | null,
  { from, isFirst, isLast, ...wrapping }: Wrapping & Place,
): number =>
  pieceEnd(text, rows, { columns, wrapping: { ...wrapping, sight: undefined } }, { from, isFirst, isLast });

/**
 * `all`: the rows are the whole text. `part`: they are a piece of it without a gap, and the rest is not visible. `none`: something
 * else, or nothing. `rows`: without the dialog's frame and indentation. `columns`: the width at which they wrap; null where that is
 * not known, so that only line breaks end a row.
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

// Edit: whether the drawn rows are the announced ones, to the letter and in their place. Both are lines of a diff; agents also draw
// the file's lines around them, wrap long ones and may show only a part.

const rowsOf = (text: string): string[] => text.split("\n");

/** A line of a diff as it is drawn: the rows that it is wrapped into. */
interface DrawnLine {
  sign: string;
  rows: readonly string[];
}

/** A row that only shows the blank at a line's end belongs to it. */
const joinWrapped = (rows: readonly string[]): DrawnLine[] => {
  const lines: { sign: string; rows: string[] }[] = [];
  for (const row of rows) {
    const [sign, text] = [row.slice(0, 1), row.slice(1)];
    const last = lines.at(-1);
    if (sign !== ">" || last === undefined) lines.push({ sign: sign === ">" ? " " : sign, rows: [text] });
    else if (text.trim() !== "") last.rows.push(text);
  }
  return lines;
};

interface Wrap {
  columns: number | null;
  wrapping: Wrapping;
}

/** What an edit replaces, and by what, in one place of the file. */
interface Change {
  before: readonly string[];
  after: readonly string[];
}

/** Unchanged lines may be announced as removed and added again. */
const withoutEqualEnds = ({ before, after }: Change): Change => {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
};

/** Leaves out announced lines that are not the file's: how it ends, and where in it the change is. */
const changeOf = (lines: readonly string[]): Change => {
  const of = (sign: string): string[] =>
    lines.flatMap((line) => (line.startsWith(sign) || /^( |$)/.test(line) ? [line.slice(1)] : []));
  return withoutEqualEnds({ before: of("-"), after: of("+") });
};

const changesOf = (announced: string): Change[] => {
  const places: string[][] = [[]];
  for (const line of rowsOf(announced)) {
    if (line.startsWith("@@")) places.push([]);
    else places.at(-1)?.push(line);
  }
  return places.map(changeOf).filter(({ before, after }) => before.length + after.length > 0);
};

const isLine = (line: string | undefined, { rows }: DrawnLine, { columns, wrapping }: Wrap): boolean =>
  line !== undefined && matchDrawn(line, rows, columns, wrapping) === "all";

/** The lines behind the change with which `drawn` begins; null: it begins with something else. */
const restBehind = (
  { before, after }: Change,
  drawn: readonly DrawnLine[],
  wrap: Wrap,
): readonly DrawnLine[] | null => {
  let [old, now, end] = [0, 0, 0];
  for (; end < drawn.length && (old < before.length || now < after.length); end += 1) {
    const line = drawn[end];
    if (line === undefined) return null;
    if (line.sign !== "+" && !isLine(before[old++], line, wrap)) return null;
    if (line.sign !== "-" && !isLine(after[now++], line, wrap)) return null;
  }
  return old === before.length && now === after.length ? drawn.slice(end) : null;
};

/** The lines of `drawn` behind the change; null where it is not drawn, or where something else is changed before it. */
const behindChange = (
  change: Change,
  drawn: readonly DrawnLine[],
  wrap: Wrap,
): readonly DrawnLine[] | null => {
  for (let from = 0; from < drawn.length; from += 1) {
    const rest = restBehind(change, drawn.slice(from), wrap);
    // Only unchanged lines may stand before a change.
    if (rest !== null || drawn[from]?.sign !== " ") return rest;
  }
  return null;
};

/** Every announced change is drawn, in its order and place, and nothing else is. */
const isAllDrawn = (changes: readonly Change[], drawn: readonly DrawnLine[], wrap: Wrap): boolean => {
  let rest: readonly DrawnLine[] = drawn;
  for (const change of changes) {
    const behind = behindChange(change, rest, wrap);
    if (behind === null) return false;
    rest = behind;
  }
  return rest.every(({ sign }) => sign === " ");
};

/** Runs of rows with one sign, each up to a row with another. A blank row below a line shows only the blank at its end. */
const runsOf = (sign: string, rows: readonly string[]): string[][] => {
  const runs: string[][] = [];
  let [isOwn, isNew] = [false, true];
  for (const row of rows) {
    const isBelow = row.startsWith(">");
    if (!isBelow) {
      isNew = !isOwn || !row.startsWith(sign);
      isOwn = row.startsWith(sign);
    }
    if (!isOwn || (isBelow && row.slice(1).trim() === "")) continue;
    if (isNew) runs.push([]);
    isNew = false;
    runs.at(-1)?.push(row.slice(1));
  }
  return runs;
};

/** Each run is a piece of the text without a gap, and the runs follow each other as their lines do. */
const areRunsOf = (text: string, runs: readonly string[][], wrap: Wrap): boolean => {
  let from = 0;
  return runs.every((drawn, at) => {
    // Blank lines occur anywhere.
    const run = drawn.slice(drawn.findIndex((row) => row.trim() !== ""));
    if (run.every((row) => row.trim() === "")) return true;
    const sides = { isFirst: at === 0, isLast: at === runs.length - 1 };
    from = endOfPiece(text, run, wrap.columns, { ...wrap.wrapping, from, ...sides });
    return from >= 0;
  });
};

/** `isAll`: nothing may be missing. */
const areRowsDrawn = (announced: string, rows: readonly string[], wrap: Wrap, isAll: boolean): boolean =>
  ["+", "-"].every((sign) => {
    const text = rowsOf(announced)
      .flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : []))
      .join("\n");
    const runs = runsOf(sign, rows);
    if (!isAll) return areRunsOf(text, runs, wrap);
    return matchDrawn(text, runs.flat(), wrap.columns, wrap.wrapping) === "all";
  });

/** How a dialog draws an edit. */
interface Drawing extends Wrapping {
  /** Every row of it is visible. */
  isWhole?: boolean | undefined;
}

/**
 * Where all rows are visible (`isWhole`): the announced changes stand among the file's lines, each in its place, and nothing else
 * is changed. Else the rows drawn as added and as removed are pieces of the announced ones, without a gap unless another row is
 * between them. False for rows whose effect is not known. `columns`: the width at which lines wrap; null where each row is a line.
 */
export const isContentDrawn = (
  announced: string,
  drawn: string,
  columns: number | null,
  { isWhole = false, ...wrapping }: Drawing = {},
): boolean => {
  const rows = rowsOf(drawn);
  if (!rows.every((row) => /^[+\- >]/.test(row))) return false;
  const wrap = { columns, wrapping };
  if (!isWhole) return areRowsDrawn(announced, rows, wrap, false);
  if (isAllDrawn(changesOf(announced), joinWrapped(rows), wrap)) return true;
  // Where a line wraps without a sign, and no line of the file is drawn, only the text of a row says which line it is of.
  return rows.every((row) => /^[+-]/.test(row)) && areRowsDrawn(announced, rows, wrap, true);
};

/** Nothing of what it changes is visible. */
export const isWithoutChange = (drawn: string | null): boolean => drawn === null || !/^[+-]/m.test(drawn);
