// The order of a flat list: who needs a person first, the longest wait on top; then the others as they come.
import type { PaneView } from "../../core/model/view.ts";

const waitedSince = ({ since }: PaneView): string => since ?? "";

/** Those that need a person, the longest wait first. */
export const waitingOf = (panes: readonly PaneView[]): PaneView[] =>
  panes
    .filter(({ needs_action }) => needs_action)
    .toSorted((a, b) => (waitedSince(a) < waitedSince(b) ? -1 : waitedSince(a) > waitedSince(b) ? 1 : 0));

export const needsFirst = (panes: readonly PaneView[]): PaneView[] => [
  ...waitingOf(panes),
  ...panes.filter(({ needs_action }) => !needs_action),
];
