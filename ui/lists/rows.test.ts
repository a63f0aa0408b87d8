import { describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { arrange } from "./groups.ts";
import { groupAbove, listRows, nextWaiting, RowMemory, type Row } from "./rows.ts";

const NO_FILTER = { text: "", states: new Set<never>() };
const byRef = (panes: readonly PaneView[]) => new Map(panes.map((pane) => [pane.identity.pane_ref, pane]));
const common = { view: { kind: "agents" }, collapsed: new Set<string>(), text: "", isMerged: false } as const;

const panes = [1, 2, 3, 4].map((pane) => makePane({ pane, session: pane < 3 ? "one" : "two" }));
const targets = new Map([["host", makeTarget()]]);

const setUp = () => {
  const memory = new RowMemory();
  return (now: readonly PaneView[], places = targets) => {
    const overview = memory.arrange(byRef(now), places, NO_FILTER, null);
    const rows = memory.list({ ...common, overview, targets: places });
    // The memory never changes the answer.
    expect(overview).toEqual(arrange(now, places, NO_FILTER));
    expect(rows).toEqual(listRows({ ...common, overview, targets: places }));
    return rows;
  };
};

it("makes again only the rows of what changed", () => {
  const look = setUp();
  const before = look(panes);
  const [first, ...rest] = panes;
  const after = look([{ ...(first ?? makePane()), state: "running" }, ...rest]);
  const isKept = after.map((row) => before.includes(row));
  // New objects: the group of the changed row, with its sum, and the row itself; all others are the same.
  expect(after.map((row, index) => [row.kind, isKept[index]])).toEqual([
    ["group", false],
    ["pane", false],
    ["pane", true],
    ["group", true],
    ["pane", true],
    ["pane", true],
  ]);
});

it("makes groups again when a target changed: they say how it is", () => {
  const look = setUp();
  const before = look(panes);
  const after = look(panes, new Map([["host", makeTarget({ health: "down", health_reason: "gone" })]]));
  expect(after.filter((row) => before.includes(row)).map(({ kind }) => kind)).toEqual(Array(4).fill("pane"));
});

it("puts a row that begins to need somebody into the inbox, and back", () => {
  const look = setUp();
  look(panes);
  const [first, ...rest] = panes;
  const waiting = makePane({ pane: 1, session: "one", state: "waiting_input" });
  expect(look([waiting, ...rest]).map(({ kind }) => kind)[0]).toBe("heading");
  expect(look([first ?? makePane(), ...rest]).map(({ kind }) => kind)[0]).toBe("group");
});

it("the next row that waits is below, then from the top again, and never the selected one", () => {
  const states = ["waiting_input", "waiting_input", "running", "waiting_input"] as const;
  const rows = states.map((state, index): Row => {
    const pane = makePane({ pane: index, state });
    return { kind: "pane", key: `row${index}`, pane, place: "session" };
  });
  const none = () => false;
  expect(["row0", "row1", "row2", "row3", null].map((key) => nextWaiting(rows, key, none))).toEqual([
    "row1",
    "row3",
    "row3",
    "row0",
    "row0",
  ]);
  expect(nextWaiting(rows, "row1", (key) => key === "row3")).toBe("row0");
  expect(nextWaiting(rows.slice(0, 1), "row0", none)).toBeNull();
});

describe("a search", () => {
  const search = (text: string) => ({ text, states: NO_FILTER.states });
  const shown = (memory: RowMemory, now: readonly PaneView[], text: string, selectedKey: string | null) =>
    memory.arrange(byRef(now), targets, search(text), selectedKey).shown.map(({ title }) => title);
  const before = [1, 2].map((pane) => makePane({ pane, title: "mend the till" }));
  const after = before.map((pane) => ({ ...pane, title: "something else" }));
  const [first, second] = before.map(({ identity }) => identity.pane_ref);

  it("keeps the selected row that a reply renamed until the person moves, and no other", () => {
    const memory = new RowMemory();
    expect(shown(memory, before, "till", first ?? "")).toHaveLength(2);
    for (const _ of [1, 2]) expect(shown(memory, after, "till", first ?? "")).toHaveLength(1);
    expect(shown(memory, after, "till", second ?? "")).toEqual([]);
    expect(shown(memory, after, "till", first ?? "")).toEqual([]);
  });

  it("keeps no row that another search does not find", () => {
    const memory = new RowMemory();
    expect(shown(memory, before, "till", first ?? "")).toHaveLength(2);
    expect(shown(memory, before, "tiller", first ?? "")).toEqual([]);
  });
});

it("an agent alone in its session has no head, stands under no other, and folds none; a machine that is unwell has one", () => {
  const look = setUp();
  const three = [...panes.slice(0, 2), makePane({ pane: 5, session: "web" })];
  const rows = look(three);
  expect(rows.map((row) => (row.kind === "pane" ? row.place : row.kind))).toEqual([
    "alone",
    "group",
    "session",
    "session",
  ]);
  expect(groupAbove(rows, rows[0]?.key ?? "")).toBeUndefined();
  const slow = new Map([["host", makeTarget({ health: "degraded" })]]);
  expect(look(three, slow).map(({ kind }) => kind)).toEqual(["group", "pane", "pane", "group", "pane"]);
});
