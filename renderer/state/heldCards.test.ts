import { expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { arrange } from "../../ui/lists/groups.ts";
import { listRows } from "../../ui/lists/rows.ts";
import { HeldCards } from "../hooks/useRows.ts";

const targets = new Map([["host", makeTarget()]]);
const wait = (pane: number): PaneView =>
  makePane({ pane, windowName: `w${pane}`, state: "waiting_input", since: pane * 1_000 });
const work = (pane: number): PaneView => makePane({ pane, windowName: `w${pane}`, state: "running" });

const listOf = (panes: readonly PaneView[]) => {
  const filter = { text: "", states: new Set<never>() };
  const overview = arrange(panes, targets, filter);
  const view = { kind: "agents" } as const;
  return listRows({ view, overview, targets, collapsed: new Set(), text: "", isMerged: false });
};
const shown = (held: HeldCards, panes: readonly PaneView[], isHeld: boolean): string[] =>
  held.arrange(listOf(panes), isHeld).map((row) => {
    if (row.kind === "pane") return row.pane.window_name;
    return row.kind === "gone" ? `(${row.cardKey.split("%")[1]})` : row.kind;
  });

it("keeps the place of a card that went away while the person points, and of every other card", () => {
  const held = new HeldCards();
  shown(held, [wait(1), wait(2), wait(3)], true);
  expect(shown(held, [wait(1), work(2), wait(3)], true)).toEqual(["heading", "w1", "(2)", "w3", "w2"]);
  expect(shown(held, [work(1), work(2), wait(3), wait(4)], true)).toEqual([
    "heading",
    "(1)",
    "(2)",
    "w3",
    "w4",
    "group",
    "w1",
    "w2",
  ]);
  // All of them went: their heading stays too.
  expect(shown(held, [work(1), work(2), work(3), work(4)], true).slice(0, 5)).toEqual([
    "heading",
    "(1)",
    "(2)",
    "(3)",
    "(4)",
  ]);
  expect(shown(held, [work(1)], false)).toEqual(["w1"]);
});

it("gives a card that comes back its place again", () => {
  const held = new HeldCards();
  shown(held, [wait(1), wait(2)], true);
  shown(held, [work(1), wait(2)], true);
  expect(shown(held, [wait(1), wait(2)], true)).toEqual(["heading", "w1", "w2"]);
});
