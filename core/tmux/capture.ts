// Reads what panes show: the visible screen only, never the scrollback, as clean bounded lines.
import { cleanLine } from "./cleanText.ts";
import type { TmuxServer } from "./tmuxServer.ts";

export const MAX_SCREEN_LINES = 300;
export const MAX_SCREEN_COLUMNS = 1_000;
/**
 * Panes per query. Each costs a server of this machine some turns of its loop; over a connection, which may be slow, a query must be
 * answered in time and others wait behind it.
 */
const PANES_PER_QUERY = { direct: 50, polling: 20 } as const;

const TAB_COLUMNS = 8;

/**
 * From 3.6 on tmux gives a tab as it was printed; older versions give the blanks that it draws. Every character counts as one
 * column.
 */
const withoutTabs = (line: string): string => {
  let drawn = "";
  for (const part of line.split(/(\t)/))
    drawn += part === "\t" ? " ".repeat(TAB_COLUMNS - (drawn.length % TAB_COLUMNS)) : part;
  return drawn;
};

/** A screen's lines, top to bottom, without trailing blank lines. Of a screen that is too tall only the bottom is kept. */
export const cleanScreen = (lines: readonly string[]): string[] => {
  const last = lines.findLastIndex((line) => line.trimEnd() !== "");
  return lines
    .slice(Math.max(0, last + 1 - MAX_SCREEN_LINES), last + 1)
    .map((line) => cleanLine(withoutTabs(line), MAX_SCREEN_COLUMNS));
};

/**
 * The visible screens of some panes. A pane that is gone, or a server that does not answer, is missing in the map. While a
 * pane is in copy mode this is still the program's screen (tmux 3.3a).
 */
export const captureScreens = async (
  server: Pick<TmuxServer, "mode" | "query">,
  paneIds: readonly string[],
): Promise<Map<string, string[]>> => {
  const screens = new Map<string, string[]>();
  const atOnce = PANES_PER_QUERY[server.mode];
  for (let from = 0; from < paneIds.length; from += atOnce) {
    const ids = paneIds.slice(from, from + atOnce);
    const result = await server.query(ids.map((paneId) => ["capture-pane", "-p", "-t", paneId]));
    if (result.status !== "ok") break;
    for (const [index, answer] of result.answers.entries())
      if (answer.isOk) screens.set(ids[index] ?? "", cleanScreen(answer.lines));
  }
  return screens;
};
