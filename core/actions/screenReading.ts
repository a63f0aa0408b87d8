// What a capture of a pane tells its agent's adapter, and which of its rows are worth checking again when keys arrive. Pure.
import type { Pane } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { AgentAdapter, Reading } from "../ports/agentAdapter.ts";
import type { PaneCapture } from "./paneClient.ts";

/** What the screen shows right now; the engine may be some hundred milliseconds behind. */
export const readCapture = (
  agent: { adapter: Pick<AgentAdapter, "readScreen"> | null } | null,
  pane: Pick<Pane, "title">,
  capture: PaneCapture,
): Reading | null => {
  const { rows: lines, title, isAlternate, width, height } = capture;
  const screen = { lines, title: title || pane.title, isAlternate, width, height };
  return agent?.adapter?.readScreen(screen) ?? null;
};

export const showsPrompt = (reading: Reading | null): boolean =>
  reading !== null && isWaiting(reading.status.state);

/**
 * Rows, as tmux has them, that disappear when a dialog opens: the input box, and the rows that gave the state away. A row
 * that counts seconds or tokens changes by itself: it is taken only where there is no other.
 */
export const landmarks = ({ rows, rawRows, cursorY }: PaneCapture, reading: Reading | null): string[] => {
  const matched = reading === null ? -1 : rows.findIndex((row) => row.includes(reading.matched));
  const found = [rawRows[cursorY], rawRows[matched]].filter(
    (row): row is string => row !== undefined && row.trim() !== "",
  );
  const steady = found.filter((row) => !/\d/.test(row));
  return steady.length > 0 ? steady : found;
};
