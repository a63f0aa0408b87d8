// The lines of an edit in a wide pane, where the old file stands beside the new one, as one below the other. Each row is read
// to the letter: one that does not fit makes the whole unreadable. Source: dialogs recorded with 1.18.33 at 140, 161 and 250
// columns.
import { isBlank } from "../../common/screenText.ts";

/** The number, the sign where it has one, and what follows. */
const LINE = /^( *\d+(?: ([ +-])(?: |$)|$))(.*)$/;

interface Half {
  row: string;
  /** Null where no line begins in the row. */
  line: { sign: string; text: string } | null;
}

const halfOf = (row: string): Half => {
  const match = LINE.exec(row);
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
export const unsplit = (rows: readonly string[], half: number): readonly string[] | null => {
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
