// Where on a screen the agent draws: in a terminal of an editor's split it has some columns and rows of it, and beside its
// conversation it may have a panel of its own. Geometry only. Source: 2.1.329 in splits of vim's terminal, and with its panel of
// changes.
import type { Screen } from "../../../core/ports/agentAdapter.ts";

/** Between windows of vim, of nvim, and of tmux. */
const SEPARATOR = /^[|│┃]$/;
const RUN = /─{12,}|▔{12,}/g;
/** Less is a table in a text. */
const MIN_ROWS = 6;
const MIN_PANEL_ROWS = 3;
const PANEL = "│";
/** In the place of the nearest row above the agent's part: no block of the agent begins so. */
const FOREIGN_ROW = "|";
/** Characters that take two columns and one unit of a text. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const FILLER = "\u0000";
/** Below an editor's terminal that takes all of the screen: the line of the window, and the one for commands. */
const MAX_EDITOR_ROWS = 2;
const EDITOR_ROW = /^[!-~]/;
const KEYS_ROW = /^(?:enter|esc|tab|ctrl[+-]\w|shift\+\w+) to /i;

export interface Columns {
  from: number;
  /** Exclusive. */
  to: number;
}

const isSeparator = (row: string, at: number): boolean => SEPARATOR.test(row.charAt(at));

/** A rule with a separator on each side that is not an edge of the screen; null where there is none, or none has a separator. */
const ruleBetween = (row: string): Columns | null => {
  for (const { index, 0: run } of row.matchAll(RUN)) {
    const end = index + run.length;
    const [hasLeft, hasRight] = [isSeparator(row, index - 1), isSeparator(row, end)];
    if ((hasLeft || index === 0) && (hasRight || end === row.length) && (hasLeft || hasRight))
      return { from: index, to: end };
  }
  return null;
};

/** The rows around one that have the separators in the same columns. */
const rowsBetween = (
  lines: readonly string[],
  at: number,
  { from, to }: Columns,
): { first: number; end: number } => {
  const rule = lines[at] ?? "";
  const isIn = (row: string | undefined): boolean =>
    row !== undefined &&
    (from === 0 || isSeparator(row, from - 1)) &&
    (to === rule.length || isSeparator(row, to));
  let [first, end] = [at, at + 1];
  while (isIn(lines[first - 1])) first -= 1;
  while (isIn(lines[end])) end += 1;
  return { first, end };
};

interface OwnPart {
  screen: Screen;
  columns: Columns | null;
}

/**
 * The screen with nothing but the agent's own part, whose rows keep their places; `columns` null: all of it. A rule across the whole
 * screen says that nothing stands beside the agent. A row in which the separator is not where it should be ends it.
 */
export const ownColumns = (screen: Screen): OwnPart => {
  const lines = screen.lines.map((line) => line.trimEnd().replace(WIDE, `$&${FILLER}`));
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (line.length >= screen.width && /^(?:─+|▔+)$/.test(line)) break;
    const columns = ruleBetween(line);
    if (columns === null) continue;
    const { first, end } = rowsBetween(lines, at, columns);
    if (end - first < MIN_ROWS) continue;
    const { from, to } = columns;
    const own = lines.map((row, index) => {
      if (index < first || index >= end) return index === first - 1 ? FOREIGN_ROW : "";
      return row.slice(from, to).replaceAll(FILLER, "").trimEnd();
    });
    return { screen: { ...screen, lines: own, width: to - from }, columns };
  }
  return { screen, columns: null };
};

/**
 * The lines above the box without the panel beside them: a line down to the box, where the last rows of a text never have one. Higher up
 * the panel may be of another width.
 */
export const leftOfPanel = (lines: readonly string[]): readonly string[] => {
  const at = lines.at(-1)?.lastIndexOf(PANEL) ?? -1;
  if (at < 0) return lines;
  const outside = lines.findLastIndex((line) => line.charAt(at) !== PANEL);
  if (lines.length - 1 - outside < MIN_PANEL_ROWS) return lines;
  return lines.map((line, index) => (index > outside ? line.slice(0, at).trimEnd() : line));
};

/**
 * Without the last lines of an editor in whose terminal the agent has the whole width. On the alternate screen alone: below what an agent
 * left on the other one, a shell writes.
 */
export const withoutEditor = (lines: readonly string[], isAlternate: boolean): readonly string[] => {
  if (!isAlternate) return lines;
  let end = lines.length;
  const isEditors = (line: string): boolean => EDITOR_ROW.test(line) && !KEYS_ROW.test(line);
  while (lines.length - end < MAX_EDITOR_ROWS && isEditors(lines[end - 1] ?? "")) end -= 1;
  const own = lines.slice(0, end);
  while (end < lines.length && own.at(-1)?.trim() === "") own.pop();
  return own;
};
