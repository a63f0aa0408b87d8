// The order of a flat list: who needs a person first, the longest wait on top; then the others as they come.
import type { PaneView } from "../../core/model/view.ts";

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Those that need a person, the longest wait first. */
export const waitingOf = (panes: readonly PaneView[]): PaneView[] =>
  panes
    .filter(({ needs_action }) => needs_action)
    .toSorted(
      (a, b) => byText(a.since ?? "", b.since ?? "") || byText(a.identity.pane_ref, b.identity.pane_ref),
    );

export const needsFirst = (panes: readonly PaneView[]): PaneView[] => [
  ...waitingOf(panes),
  ...panes.filter(({ needs_action }) => !needs_action),
];
