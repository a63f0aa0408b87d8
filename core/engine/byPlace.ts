// The order in which every surface lists panes.
import type { PaneView } from "../model/view.ts";

/** Most of what is compared is equal, and comparing in a language's order is dear. */
export const byText = (a: string, b: string): number => (a === b ? 0 : a.localeCompare(b));

/** Stable order: target, server, session, window, pane. */
export const byPlace = (a: PaneView, b: PaneView): number =>
  byText(a.identity.target, b.identity.target) ||
  byText(a.identity.tmux_server, b.identity.tmux_server) ||
  byText(a.identity.session_name, b.identity.session_name) ||
  a.window_index - b.window_index ||
  a.pane_index - b.pane_index ||
  byText(a.identity.pane_id, b.identity.pane_id);
