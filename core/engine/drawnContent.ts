// Whether the rows that a dialog draws of an edit are those that were announced, to the letter and in their place. Pure. Both are
// lines of a difference; agents draw the file's lines around them as well, wrap long ones and may show a part only.
import { endOfPiece, matchDrawn, type Wrapping } from "./drawnText.ts";

const rowsOf = (text: string): string[] => text.split("\n");

/** A line of a difference as it is drawn: the rows that it is wrapped into. */
interface DrawnLine {
  sign: string;
  rows: readonly string[];
}

/** A row that only shows the blank at a line's end belongs to it. */
const drawnLines = (rows: readonly string[]): DrawnLine[] => {
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

/** What an edit puts in the place of what, in one place of the file. */
interface Change {
  before: readonly string[];
  after: readonly string[];
}

/** Lines that stay may be announced as taken out and put in again. */
const withoutEqualEnds = ({ before, after }: Change): Change => {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
};

/** Announced lines that say how the file ends, or where in it a place is, are no lines of it. */
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

/** What stands behind the change, with which `drawn` begins; null: it begins with something else. */
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

/** The change stands in `drawn`, with nothing else changed before it: the drawn lines behind it; null: it does not. */
const behindChange = (
  change: Change,
  drawn: readonly DrawnLine[],
  wrap: Wrap,
): readonly DrawnLine[] | null => {
  for (let from = 0; from < drawn.length; from += 1) {
    const rest = restBehind(change, drawn.slice(from), wrap);
    // What stands before a change stays as it is.
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

/** Rows of one sign, each run of them up to a row of another one. A blank row below a line shows only the blank at its end. */
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
    // Blank lines are found anywhere.
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
export interface Drawing extends Wrapping {
  /** Every row of it is in sight. */
  isWhole?: boolean | undefined;
}

/**
 * All rows are in sight: the announced changes stand among the file's lines, each in its place, and nothing else is changed. Else
 * the rows drawn as added and as removed are pieces of the announced ones, without a gap where no other row is between them.
 * False for rows whose effect is not known. `columns`: in which lines are wrapped; null where each row is a line.
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
  if (isAllDrawn(changesOf(announced), drawnLines(rows), wrap)) return true;
  // Where a line is wrapped without a sign, and no line of the file is drawn, rows are told apart by their text alone.
  return rows.every((row) => /^[+-]/.test(row)) && areRowsDrawn(announced, rows, wrap, true);
};

/** Nothing of what it changes is in sight. */
export const isWithoutChange = (drawn: string | null): boolean => drawn === null || !/^[+-]/m.test(drawn);
