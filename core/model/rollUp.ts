// Totals of spec 7.6 over the rows that surfaces show: counts by state, agent and target.
import { countStates, needsAction } from "./needs.ts";
import type { Counts, PaneView } from "./view.ts";

/** How often each key occurs, in the order of the keys. */
export const countEach = (keys: Iterable<string>): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** Counts over rows with an agent; panes without one are not counted. */
export const rollUp = (rows: readonly PaneView[]): Counts => {
  const panes = rows.filter((pane) => pane.state !== null);
  return {
    total: panes.length,
    needs_action: panes.filter((pane) => pane.state !== null && needsAction(pane.state)).length,
    by_state: countStates(panes),
    by_agent: countEach(panes.map((pane) => pane.agent ?? "")),
    by_target: countEach(panes.map((pane) => pane.identity.target)),
  };
};
