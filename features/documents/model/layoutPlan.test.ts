// The plan against a small model of what tmux does with its list of panes.
import fc from "fast-check";
import { expect, it } from "vitest";
import { layoutOf, planLayout, type PlacedPane, type TmuxCommand } from "./layoutPlan.ts";

const WINDOW = { window: "@1", width: 120, height: 40, isZoomed: false };

/** Windows with their panes in tmux's order, after the commands. */
const play = (panes: readonly PlacedPane[], commands: readonly TmuxCommand[]): Map<string, string[]> => {
  const windows = new Map<string, string[]>();
  for (const { pane, window } of panes.toSorted((a, b) => a.index - b.index))
    windows.set(window, [...(windows.get(window) ?? []), pane]);
  const find = (pane: string) => {
    for (const list of windows.values()) if (list.includes(pane)) return list;
    throw new Error(`no ${pane}`);
  };
  const take = (pane: string) => {
    const list = find(pane);
    list.splice(list.indexOf(pane), 1);
    for (const [window, left] of windows) if (left.length === 0) windows.delete(window);
  };
  let made = 100;
  for (const command of commands) {
    const option = (name: string) => command[command.indexOf(name) + 1] ?? "";
    const [source, target] = [option("-s"), option("-t")];
    const [verb = ""] = command;
    switch (verb) {
      case "break-pane":
        take(source);
        windows.set(`@${(made += 1)}`, [source]);
        break;
      case "join-pane": {
        expect(find(source)).not.toBe(find(target));
        take(source);
        const list = find(target);
        list.splice(list.indexOf(target) + 1, 0, source);
        break;
      }
      case "swap-pane": {
        const [a, b] = [find(source), find(target)];
        const [at, to] = [a.indexOf(source), b.indexOf(target)];
        a[at] = target;
        b[to] = source;
        break;
      }
      case "select-layout":
        expect(windows.has(target)).toBe(true);
        break;
      default:
        throw new Error(verb);
    }
  }
  return windows;
};

const scene = fc
  .record({
    windows: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 10 }),
    order: fc.infiniteStream(fc.nat()),
    cuts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
    foreign: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  })
  .map(({ windows, order, cuts, foreign }) => {
    const panes: PlacedPane[] = windows.map((window, at) => ({
      pane: `%${at}`,
      window: `@${window}`,
      session: "$0",
      index: at,
      left: at * 10,
      top: 0,
    }));
    const left = panes.map(({ pane }) => pane);
    const columns: string[][] = [];
    for (const cut of cuts) {
      const column: string[] = [];
      for (let at = 0; at < cut && left.length > 0; at += 1)
        column.push(...left.splice((order.next().value ?? 0) % left.length, 1));
      if (column.length > 0) columns.push(column);
    }
    return { panes, columns, isForeign: (pane: string) => foreign[Number(pane.slice(1))] === true };
  });

it("brings the wanted panes into their order, ends none, and moves nobody else's", () => {
  fc.assert(
    fc.property(scene, ({ panes, columns, isForeign }) => {
      const wanted = columns.flat();
      const window = { ...WINDOW, window: panes.find(({ pane }) => wanted.includes(pane))?.window ?? "@1" };
      const commands =
        planLayout({ panes, window, columns, mayLeave: (pane) => !isForeign(pane), isApart: true }) ?? [];
      const after = play(panes, commands);
      expect([...after.values()].flat().toSorted()).toEqual(panes.map(({ pane }) => pane).toSorted());
      const here = after.get(window.window) ?? [];
      const before = panes.filter((one) => one.window === window.window).map(({ pane }) => pane);
      const kept = before.filter((pane) => !wanted.includes(pane) && isForeign(pane));
      expect(here.filter((pane) => wanted.includes(pane)).toSorted()).toEqual(wanted.toSorted());
      expect(here.filter((pane) => !wanted.includes(pane)).toSorted()).toEqual(kept.toSorted());
      // Nobody else's stands among them.
      expect(here).toEqual([...wanted, ...here.slice(wanted.length)]);
      // Panes of other windows that are not wanted stay where they are.
      for (const { pane, window: from } of panes)
        if (from !== window.window && !wanted.includes(pane)) expect(after.get(from)).toContain(pane);
    }),
    { numRuns: 500 },
  );
});

const pane = (id: number, left: number, top = 0): PlacedPane => ({
  pane: `%${id}`,
  window: "@1",
  session: "$0",
  index: id,
  left,
  top,
});
const plan = (
  panes: readonly PlacedPane[],
  columns: readonly (readonly string[])[],
  window: Partial<typeof WINDOW> = {},
) => planLayout({ panes, columns, window: { ...WINDOW, ...window }, mayLeave: () => true, isApart: false });

it("does nothing where all stand as they should, whatever their sizes", () => {
  const panes = [pane(1, 0), pane(2, 30), pane(3, 30, 12)];
  expect(plan(panes, [["%1"], ["%2", "%3"]])).toEqual([]);
  expect(plan(panes, [["%1"], ["%3", "%2"]])).not.toEqual([]);
  expect(plan(panes, [["%1"], ["%2"]])).toEqual([
    ["break-pane", "-d", "-s", "%3", "-t", "$0:"],
    ["select-layout", "-t", "@1", expect.stringContaining("{")],
  ]);
  // While one fills the window, all are said to be at its corner.
  expect(plan([pane(1, 0), pane(2, 0)], [["%1"], ["%2"]], { isZoomed: true })).toEqual([]);
});

it("puts the panes of others to the right of all where that is asked, and else leaves them where they are", () => {
  const panes = [pane(1, 10), pane(2, 30), pane(9, 0)].map((one) => ({ ...one, index: one.left }));
  const at = { panes, columns: [["%1"], ["%2"]], window: WINDOW, mayLeave: () => false };
  expect(planLayout({ ...at, isApart: false })).toEqual([]);
  expect(planLayout({ ...at, isApart: true })?.filter(([verb]) => verb === "swap-pane")).toHaveLength(2);
  const right = [pane(1, 0), pane(2, 30), pane(9, 60)];
  expect(planLayout({ ...at, panes: right, isApart: true })).toEqual([]);
});

it("writes layouts as tmux does, and none for a window that is too small", () => {
  // What tmux prints as #{window_layout} of a new session; whether it takes others is shown on a real one.
  expect(layoutOf([["%0"]], { width: 80, height: 24 })).toBe("b25d,80x24,0,0,0");
  expect(layoutOf([["%0"], ["%1", "%2"], ["%3"]], { width: 80, height: 24 })).toMatch(
    /^[0-9a-f]{4},80x24,0,0\{26x24,0,0,0,26x24,27,0\[26x12,27,0,1,26x11,27,13,2\],26x24,54,0,3\}$/,
  );
  expect(layoutOf([["%7"]], { width: 80, height: 24 })).toMatch(/,80x24,0,0,7$/);
  expect(layoutOf([["%0", "%1", "%2"]], { width: 80, height: 4 })).toBeNull();
  expect(plan([pane(1, 0), pane(2, 1)], [["%2"], ["%1"]], { width: 4 })).toBeNull();
});
