// Screens of agents whose input box stands between two rules, with a status above it: rows without a scroll bar, the box, its status,
// and views that take its place. Which signs and words an agent draws is its own business.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { IN_MENU } from "./events.ts";
import { isBlank, joined, shows, styledRows, typedOf, visibleLines } from "./screenText.ts";
import { isKeyHints } from "./selector.ts";

/** Rows without the bar that shows how far the conversation was scrolled; signs may have a selector of no width behind them. */
export const rowsWithoutBar = (screen: Screen): string[] =>
  visibleLines(screen).map((row) =>
    row.length >= screen.width && /[│█]$/.test(row) ? row.slice(0, -1).trimEnd() : row,
  );

const RULE = /^─{20,}$/;
const MAX_FOOTER_ROWS = 5;
const MAX_DRAFT_ROWS = 20;

export interface RuledBox {
  /** Index of the first row inside, and of the lower rule. */
  start: number;
  end: number;
  above: readonly string[];
}

/** The box at the bottom whose first row begins with the sign; null: something else is there. */
export const findRuledBox = (rows: readonly string[], sign: RegExp): RuledBox | null => {
  const end = rows.findLastIndex((row) => RULE.test(row));
  if (end < 2 || rows.length - 1 - end > MAX_FOOTER_ROWS) return null;
  const upper = rows.slice(0, end).findLastIndex((row) => RULE.test(row));
  if (upper < 0 || end - upper > MAX_DRAFT_ROWS || !sign.test(rows[upper + 1] ?? "")) return null;
  return { start: upper + 1, end, above: rows.slice(0, upper) };
};

/** The rows directly above the box, at most three: a narrow pane wraps them. */
export const statusAbove = ({ above }: RuledBox): string => {
  const start = above.findLastIndex(isBlank) + 1;
  return above.length - start > 3 ? "" : joined(above.slice(start));
};

/** The rows behind the last prompt; null: none is in sight. */
export const turnBelow = (above: readonly string[], prompt: RegExp): readonly string[] | null => {
  const at = above.findLastIndex((row) => prompt.test(row));
  return at < 0 ? null : above.slice(at + 1);
};

/** A mark of no width at the cursor. */
const CURSOR_MARK = /\u200b/g;
/** Sign and blank, or the indentation of the rows below. */
const INDENT = 2;

/** What the agent proposes or hints at has a colour; what somebody typed has the terminal's own. "": nothing; null: no box. */
export const readUncolouredDraft = (screen: Screen, sign: RegExp): string | null => {
  const cells = styledRows(screen);
  const box = findRuledBox(rowsWithoutBar(screen), sign);
  if (cells === null || box === null) return null;
  const typed = cells
    .slice(box.start, box.end)
    .map((row) => row.slice(INDENT).filter(({ colour }) => colour === ""));
  return typedOf(typed, 0).replaceAll(CURSOR_MARK, "").trim();
};

const VIEW_ROWS = 12;

/** A view that a person opened: it stands where the box was, and explains its keys. */
export const readHintedView = (rows: readonly string[]): Reading | null => {
  const hint = rows
    .slice(-VIEW_ROWS)
    .map((row) => row.replaceAll(/[│┃]/g, " ").trim())
    .find((row) => row !== "" && isKeyHints(row));
  return hint === undefined ? null : shows(IN_MENU, "high", hint);
};
