// The order in which every surface lists panes.
import type { PaneView } from "../model/view.ts";

/** First without regard to case, as people sort; then with it, so that the order is total. */
export const byText = (a: string, b: string): number => {
  // Most compared names are equal. Sorting by the rules of a language would cost time, and two megabytes.
  if (a === b) return 0;
  const [lowA, lowB] = [a.toLowerCase(), b.toLowerCase()];
  if (lowA !== lowB) return lowA < lowB ? -1 : 1;
  return a < b ? -1 : 1;
};

/** Stable order: target, server, session, window, pane. */
export const byPlace = (a: PaneView, b: PaneView): number =>
  byText(a.identity.target, b.identity.target) ||
  byText(a.identity.tmux_server, b.identity.tmux_server) ||
  byText(a.identity.session_name, b.identity.session_name) ||
  a.window_index - b.window_index ||
  a.pane_index - b.pane_index ||
  byText(a.identity.pane_id, b.identity.pane_id);
