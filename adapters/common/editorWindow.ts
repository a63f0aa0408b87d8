// An agent in an editor's terminal (`:terminal` of vim and nvim) has one window: the rows above the window's status line, between
// the lines that divide windows. Adapters get only that part of the screen, because other windows are not the agent's. Source: vim
// 9.1 with Codex 0.169 and Claude Code 2.1.329 in one window, above and beside others; nvim's status line by its documents.
import type { AgentAdapter, Screen } from "../../core/ports/agentAdapter.ts";

/** Vim's status line of a terminal: `!program [title or running]`, cut at its left to `<`; nvim's names its buffer. */
const STATUS = /(?:^|\s{2})([!<]\S.{0,300}? \[[^\]]*\]|term:\/\/\S+)/;
/** The status line of another window. */
const OTHER_STATUS = /^\[No Name\]|^\S.*\s\d+,\d+(?:-\d+)?\s+(?:All|Top|Bot|\d+%)\s*$/;
const DIVIDER = /^[|│]$/;
/** A table in a text has fewer rows. */
const MIN_ROWS = 6;
/** Characters that take two columns. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** The title of the program in the terminal, as vim shows it. */
const TITLE = /^[!<]\S.*? \[(.*?)\](?:\s{2}|$)/;
const NO_TITLES = new Set(["running", "finished"]);

interface Window {
  title: string;
  /** Rows and columns, the ends exclusive. */
  first: number;
  end: number;
  from: number;
  to: number;
}

/** What stands in each column; the second one of a wide character is empty. */
const columnsOf = (row: string): string[] =>
  Array.from(row).flatMap((char) => (WIDE.test(char) ? [char, ""] : [char]));

/** Null: no editor's window is on the screen. */
const findWindow = ({ lines, isAlternate, width }: Screen): Window | null => {
  if (!isAlternate) return null;
  const end = lines.findLastIndex((line) => STATUS.test(line));
  const found = STATUS.exec(lines[end] ?? "");
  if (end < MIN_ROWS || found === null) return null;
  const begins = found.index + (found[0].length - (found[1]?.length ?? 0));
  const above = lines.slice(0, end).findLastIndex((line) => STATUS.test(line) || OTHER_STATUS.test(line));
  const first = end - above - 1 < MIN_ROWS ? 0 : above + 1;
  const rows = lines.slice(first, end).map(columnsOf);
  const isDivider = (column: number): boolean => rows.every((row) => DIVIDER.test(row[column] ?? ""));
  let left = begins === 0 ? -1 : begins;
  while (left >= 0 && !isDivider(left)) left -= 1;
  let right = left + 2;
  while (right < width && !isDivider(right)) right += 1;
  const told = TITLE.exec((lines[end] ?? "").slice(begins))?.[1] ?? "running";
  return {
    title: NO_TITLES.has(told) ? "" : told.trim(),
    first,
    end,
    from: left + 1,
    to: right,
  };
};

/** The text of these columns; escape sequences stay, because their effect goes on. */
const cut = (row: string, { from, to }: Window): string => {
  let column = 0;
  let text = "";
  // oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
  for (const [part] of row.matchAll(/\u001b\[[0-9;:?]*[A-Za-z]|\u001b[()][A-Z0-9]|[^]/gu)) {
    if (part.startsWith("\u001b")) {
      text += part;
      continue;
    }
    if (column >= from && column < to) text += part;
    column += WIDE.test(part) ? 2 : 1;
  }
  return text.trimEnd();
};

/** Screen and title of only the agent's own window, whose rows keep their places; unchanged where no editor is around it. */
export const ownWindow = (screen: Screen): Screen => {
  const window = findWindow(screen);
  if (window === null) return screen;
  const { title, first, end, from, to } = window;
  const own = (rows: readonly string[]): string[] =>
    rows.slice(0, end).map((row, at) => (at < first ? cut(row, { ...window, to: 0 }) : cut(row, window)));
  const { styledLines, lines, cursor } = screen;
  return {
    ...screen,
    lines: own(lines),
    ...(styledLines === undefined ? {} : { styledLines: own(styledLines) }),
    ...(cursor === undefined ? {} : { cursor: { ...cursor, x: cursor.x - from } }),
    title,
    width: to - from,
    height: end - first,
  };
};

/** The adapter, which sees the agent's own window of an editor. */
export const inEditors = (adapter: AgentAdapter): AgentAdapter => ({
  ...adapter,
  readScreen: (screen) => adapter.readScreen(ownWindow(screen)),
  ...(adapter.readDraft === undefined
    ? {}
    : { readDraft: (screen) => adapter.readDraft?.(ownWindow(screen)) ?? null }),
  ...(adapter.isOwnScreen === undefined
    ? {}
    : { isOwnScreen: (screen) => adapter.isOwnScreen?.(ownWindow(screen)) ?? false }),
});
