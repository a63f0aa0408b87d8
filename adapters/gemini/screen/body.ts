// The text of a permission dialog, row by row, by its place: in the inner box directly above the question, else between the
// heading and the question. Nothing is left out for what it says but the mark in the first or last row of that box. Source:
// dialogs recorded with 0.61.0 at 120, 80 and 60 columns (commands, changed and new files, a page, a server's tool).
import { frameAtBottom, withoutBlankEnds } from "../../common/frames.ts";
import { readDrawnLines } from "../../common/drawnLines.ts";

/** Columns of the frames, and of the word that does not reach their right end. */
const FRAME_COLUMNS = 8;
const TEXT_COLUMNS = 10;

export const columnsOf = (width: number): number => Math.max(1, width - TEXT_COLUMNS);

const ELIDED = /^\.\.\. (first |last )?\d+ .*hidden.* \.\.\.$/;

export interface InnerText {
  rows: readonly string[];
  /** Nothing of the box is out of sight. */
  isWhole: boolean;
  /** Rows at its other end are out of sight; null: at both, or at none that is known. */
  sight: "start" | "end" | null;
  /** What stands above the box. */
  before: readonly string[];
}

/** The box that ends directly above the question. `lines`: of the dialog above it; null where there is no box. */
export const innerTextOf = (lines: readonly string[]): InnerText | null => {
  const frame = frameAtBottom(lines);
  if (frame === null) return null;
  const rows = frame.content.map((line) => line.replace(/^ /, ""));
  const isMarked = (row: string | undefined): boolean => row !== undefined && ELIDED.test(row);
  const isCutAbove = isMarked(rows[0]) || !frame.hasTop;
  const isCutBelow = isMarked(rows.at(-1));
  return {
    rows: rows.slice(isMarked(rows[0]) ? 1 : 0, isCutBelow ? -1 : undefined),
    sight: isCutAbove === isCutBelow ? null : isCutAbove ? "end" : "start",
    // A row that reads like the mark may be one of its own or of the text.
    isWhole: frame.hasTop && !rows.some(isMarked),
    before: lines.slice(0, frame.start),
  };
};

/** Rows between the heading and the question, where there is no box. */
export const plainTextOf = (lines: readonly string[]): string[] => {
  const [first, ...rest] = withoutBlankEnds(lines);
  const heading = /^ ?Action Required$/.test(first ?? "") ? withoutBlankEnds(rest).slice(1) : rest;
  return withoutBlankEnds(heading).map((line) => line.replace(/^ /, ""));
};

/** Trailing blanks are not drawn: an empty line of the file ends after its number. */
const SIGNED = /^( *\d+(?: ([ +-])(?: |$)|$))/;
const NEW = /^( *\d+(?: |$))/;

const numberOf = (row: string): number => Number(/^ *(\d+)/.exec(row)?.[1] ?? 0);

/**
 * The lines of an edit. `isWriting`: the tool that writes whole files, which draws new ones with numbers alone. Where all of its
 * lines begin as those of a change do, nobody can tell which of the two it is. `width`: of the pane.
 */
export const contentOf = (
  rows: readonly string[],
  isWriting: boolean,
  width: number,
): { content: string; columns: number; isReadable: boolean } => {
  const numbered = rows.filter((row) => NEW.test(row));
  const first = numberOf(numbered[0] ?? "");
  const mayBeNew = isWriting && numbered.every((row, index) => numberOf(row) === first + index);
  const isSigned = numbered.every((row) => SIGNED.test(row));
  const isNew = mayBeNew && !isSigned;
  const lines = readDrawnLines(rows, isNew ? NEW : SIGNED, isNew ? "+" : " ");
  return {
    content: lines.content,
    columns: Math.max(1, width - FRAME_COLUMNS - lines.gutter),
    isReadable: lines.isReadable && isSigned !== mayBeNew,
  };
};

const WRITING = /^ ?\? +(\S+) +Writing to (\S.*)$/;
/** `Edit  src/a.ts: the old text => the new one`. */
const EDITING = /^ ?\? +(\S+) +(.+?): (.*) => .*$/;
const PLACE_IN_LINE = / {2,}\d+ of \d+$/;
/** Names are shortened in the middle and at the end. */
const SHORTENED = /\.\.\.|…/;

/** The path that the heading names. `isSure`: nothing of it was cut, and no other reading of the row gives another one. */
export const pathOf = (row: string): { path: string | null; isWriting: boolean; isSure: boolean } => {
  const heading = row.replace(PLACE_IN_LINE, "");
  const written = WRITING.exec(heading)?.[2];
  if (written !== undefined) return { path: written, isWriting: true, isSure: !SHORTENED.test(written) };
  const [, , path, old = ""] = EDITING.exec(heading) ?? [];
  if (path === undefined) return { path: null, isWriting: false, isSure: false };
  return { path, isWriting: false, isSure: !SHORTENED.test(path) && !`${old} `.includes(": ") };
};
