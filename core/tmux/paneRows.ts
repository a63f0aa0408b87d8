// The one format of the pane listing and its parser. Pure. Numbers come first, separated by spaces; the three free texts
// stand between marks that hold the query's nonce, so that no title or name can shift a field or forge a row, whatever
// characters a version of tmux lets through.
import type { Pane } from "../model/runtime.ts";
import { cleanName, cleanText } from "./cleanText.ts";

const MAX_NAME = 200;
const MAX_TITLE = 500;

const NUMBER_FIELDS = [
  "pane_id",
  "session_id",
  "window_id",
  "window_index",
  "pane_index",
  "pane_pid",
  "pane_active",
  "pane_dead",
  "alternate_on",
  "pane_in_mode",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "history_size",
  "window_activity",
  "session_grouped",
  "pane_dead_status",
  "pane_tty",
] as const;

/** Not `pane_current_command`: it costs a read of the process table per pane (facts of tmux 3.3a). */
export const rowFormat = (nonce: string): string => {
  const mark = `<${nonce}>`;
  const numbers = NUMBER_FIELDS.map((name) => `#{${name}}`).join(" ");
  return `${mark}${numbers}${mark}#{pane_title}${mark}#{window_name}${mark}#{session_name}${mark}`;
};

/** A pane as one session has it. */
export type ListedPane = Omit<Pane, "targetId" | "server" | "alsoIn" | "updatedAt"> & { isGrouped: boolean };

const parseRow = (parts: readonly string[]): ListedPane | null => {
  const [numbers = "", title = "", windowName = "", sessionName = ""] = parts;
  const fields = numbers.split(" ");
  if (fields.length !== NUMBER_FIELDS.length) return null;
  const field = (name: (typeof NUMBER_FIELDS)[number]): string => fields[NUMBER_FIELDS.indexOf(name)] ?? "";
  const integer = (name: (typeof NUMBER_FIELDS)[number]): number =>
    /^-?\d{1,15}$/.test(field(name)) ? Number(field(name)) : Number.NaN;
  const isSet = (name: (typeof NUMBER_FIELDS)[number]): boolean => integer(name) > 0;
  const paneId = field("pane_id");
  const sessionId = field("session_id");
  const windowId = field("window_id");
  if (!/^%\d{1,10}$/.test(paneId) || !/^\$\d{1,10}$/.test(sessionId) || !/^@\d{1,10}$/.test(windowId))
    return null;
  const row = {
    paneId,
    sessionId,
    sessionName: cleanName(sessionName, MAX_NAME, sessionId),
    windowId,
    windowIndex: integer("window_index"),
    windowName: cleanName(windowName, MAX_NAME, windowId),
    paneIndex: integer("pane_index"),
    panePid: integer("pane_pid"),
    tty: cleanText(field("pane_tty"), MAX_NAME),
    title: cleanText(title, MAX_TITLE),
    isActive: isSet("pane_active"),
    isDead: isSet("pane_dead"),
    deadStatus: Number.isNaN(integer("pane_dead_status")) ? null : integer("pane_dead_status"),
    isAlternate: isSet("alternate_on"),
    inMode: isSet("pane_in_mode"),
    width: integer("pane_width"),
    height: integer("pane_height"),
    cursorX: integer("cursor_x"),
    cursorY: integer("cursor_y"),
    historySize: integer("history_size"),
    windowActivity: integer("window_activity"),
    isGrouped: isSet("session_grouped"),
  };
  return Object.values(row).some((value) => Number.isNaN(value)) ? null : row;
};

/** Rows that parse; `malformed` counts the others. A newline inside a name does not break a row. */
export const parseRows = (
  lines: readonly string[],
  nonce: string,
): { rows: ListedPane[]; malformed: number } => {
  const rows: ListedPane[] = [];
  let malformed = 0;
  // Every row holds five marks: its text starts after the first and ends at the fifth.
  const parts = lines.join("\n").split(`<${nonce}>`);
  if ((parts[0] ?? "").trim() !== "") malformed += 1;
  for (let at = 1; at < parts.length; at += 5) {
    const row = at + 3 < parts.length ? parseRow(parts.slice(at, at + 4)) : null;
    const between = parts[at + 4];
    if (row === null || (between ?? "x").trim() !== "") malformed += 1;
    if (row !== null) rows.push(row);
  }
  return { rows, malformed };
};

const idNumber = (id: string): number => Number(id.slice(1));

/**
 * Orders sessions to choose the one that stands for a pane: ungrouped before grouped, then the lowest id.
 */
const byRank = (a: ListedPane, b: ListedPane): number =>
  Number(a.isGrouped) - Number(b.isGrouped) || idNumber(a.sessionId) - idNumber(b.sessionId);

/**
 * One entry per pane, in the order of the listing: the row of the session that stands for it, with every other link of its
 * window in `alsoIn`. Of the links of one session the lowest index comes first.
 */
export const foldRows = (
  rows: readonly ListedPane[],
): (Omit<ListedPane, "isGrouped"> & Pick<Pane, "alsoIn">)[] => {
  const byPane = Map.groupBy(rows, (row) => row.paneId);
  return [...byPane.values()].flatMap((group) => {
    const ranked = group.toSorted((a, b) => byRank(a, b) || a.windowIndex - b.windowIndex);
    const [first, ...others] = ranked;
    if (first === undefined) return [];
    const { isGrouped: _, ...chosen } = first;
    const alsoIn = others.map(({ sessionId, sessionName, windowIndex }) => ({
      sessionId,
      sessionName,
      windowIndex,
    }));
    return [{ ...chosen, alsoIn }];
  });
};
