import { describe, expect, it } from "vitest";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { summariseSessions, windowsOf } from "./sessions.ts";

const TARGETS = new Map([
  ["host", makeTarget()],
  ["box", makeTarget({ target: "box", kind: "ssh", health: "down" })],
]);
const PANES = [
  makePane({ pane: 1, session: "web", window: 1, state: "running" }),
  makePane({ pane: 2, session: "web", window: 1, state: "idle" }),
  makePane({ pane: 3, session: "web", window: 2, target: "box", state: "unknown" }),
  makePane({ pane: 4, session: "api", window: 1, state: "idle" }),
  makePane({ pane: 5, session: "zoo", window: 1, state: "waiting_input" }),
];
const shapes = (isMerged: boolean) =>
  summariseSessions(PANES, TARGETS, isMerged).map(({ name, places, windowCount, agentCount }) => [
    name,
    places.map(({ target, health, agentCount: share }) => `${target} ${health} ${share}`),
    windowCount,
    agentCount,
  ]);

describe("sessions", () => {
  it("are one per target, those that need a person first", () =>
    expect(shapes(false)).toEqual([
      ["zoo", ["host ok 1"], 1, 1],
      ["api", ["host ok 1"], 1, 1],
      ["web", ["box down 1"], 1, 1],
      ["web", ["host ok 2"], 1, 2],
    ]));
  it("are one per name when merged, with their places", () =>
    expect(shapes(true)).toEqual([
      ["zoo", ["host ok 1"], 1, 1],
      ["api", ["host ok 1"], 1, 1],
      ["web", ["box down 1", "host ok 2"], 2, 3],
    ]));
});

describe("windows", () => {
  it("hold their panes in order, and name the place only where there are several", () => {
    const web = PANES.slice(0, 3);
    expect(
      windowsOf(web).map(({ place, index, panes }) => [
        place,
        index,
        panes.map(({ identity }) => identity.pane_id),
      ]),
    ).toEqual([
      ["box", 2, ["%3"]],
      ["host", 1, ["%1", "%2"]],
    ]);
    expect(windowsOf(web.slice(0, 2)).map(({ place }) => place)).toEqual([null]);
  });
});
