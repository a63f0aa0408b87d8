// Where on the screen a dialog stands, row by row: what must still be there when the keys arrive. Pure, and without knowledge
// of any agent: which row is the first is the adapter's word.
import type { PlacedRow } from "./paneCondition.ts";

/** Frames, rules and blanks: what every dialog of an agent has. */
const hasText = (row: string): boolean => /[^\s\u2500-\u259f]/u.test(row);

/**
 * The rows from `top` on with their places, but for those that repeat an earlier row of the dialog: tmux finds only the first of
 * equal rows. Null where a row stands above the dialog as well, so that nothing could tell it from that one.
 */
export const dialogRows = (rows: readonly string[], top: number): PlacedRow[] | null => {
  const above = new Set(rows.slice(0, top).filter(hasText));
  const placed = new Map<string, PlacedRow>();
  for (const [index, text] of rows.entries()) {
    if (index < top || !hasText(text)) continue;
    if (above.has(text)) return null;
    if (!placed.has(text)) placed.set(text, { line: index, text });
  }
  return [...placed.values()];
};
