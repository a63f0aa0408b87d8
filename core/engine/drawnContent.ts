// Whether the rows that a dialog draws of an edit are those that were announced, to the letter. Pure. Both are lines of a
// difference; agents draw the file's lines around them as well, wrap long ones and may show a part only.
import { matchDrawn, type Wrapping } from "./drawnText.ts";

const rowsOf = (text: string): string[] => text.split("\n");

const linesWith = (sign: string, content: string): string[] =>
  rowsOf(content).flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : []));

/**
 * As they are drawn, with the rows in which a line continues; if such a row is blank, it shows only the blank at the line's
 * end.
 */
const rowsWith = (sign: string, rows: readonly string[]): string[] => {
  let isOwn = false;
  return rows.flatMap((row) => {
    const isBelow = row.startsWith(">");
    if (!isBelow) isOwn = row.startsWith(sign);
    return isOwn && !(isBelow && row.slice(1).trim() === "") ? [row.slice(1)] : [];
  });
};

/** Each row is a line of its own, and they follow each other as the lines do. */
const areLinesDrawn = (lines: readonly string[], rows: readonly string[]): boolean => {
  let from = 0;
  return rows.every((row) => {
    const at = lines.findIndex((line, index) => index >= from && matchDrawn(line, [row], null) === "all");
    from = at + 1;
    return at >= 0;
  });
};

/**
 * The rows drawn as added and as removed are all of the announced ones, or pieces of them in the same order. False for rows
 * whose effect is not known. `columns`: in which lines are wrapped; null where each row is a line.
 */
export const isContentDrawn = (
  announced: string,
  drawn: string,
  columns: number | null,
  wrapping: Wrapping = {},
): boolean => {
  const rows = rowsOf(drawn);
  if (!rows.every((row) => /^[+\- >]/.test(row))) return false;
  return ["+", "-"].every((sign) => {
    const lines = linesWith(sign, announced);
    const own = rowsWith(sign, rows);
    const isWrapped = columns !== null && matchDrawn(lines.join("\n"), own, columns, wrapping) !== "none";
    return isWrapped || areLinesDrawn(lines, own);
  });
};
