// The rows that the popover is measured with, and how they change.
import type { PaneView } from "../../core/model/view.ts";
import { thousandScene } from "../../e2e/scenes/scenes.ts";
import { makePane } from "../../test/factories/view.ts";

const TITLES = [
  "Split the refund service",
  "Fix the flaky upload test",
  "Write the migration",
  "Review #4312",
];

export const makeRows = (count: number, now: number): PaneView[] =>
  thousandScene(now)
    .slice(0, count)
    .map((pane, index) => ({
      ...pane,
      title: TITLES[index % TITLES.length] ?? "",
      progress: index % 3 === 0 ? `Editing src/part-${index}.ts` : null,
    }));

/** A row with this text that is on top of the list, because it waits longest. */
export const markerRow = (text: string): PaneView =>
  makePane({ pane: 9_000, session: "marks", windowName: text, state: "error", since: 0 });

/** The row as the next event of its agent leaves it. */
export const changeRow = (pane: PaneView, turn: number): PaneView => {
  const isBusy = turn % 2 === 0;
  return {
    ...pane,
    state: isBusy ? "running" : "idle",
    reason_code: isBusy ? "tool" : "turn_ended",
    needs_action: false,
    request: null,
    since: new Date().toISOString(),
    progress: isBusy ? `Step ${turn}` : null,
    title: TITLES[turn % TITLES.length] ?? "",
  };
};
