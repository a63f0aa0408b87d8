import { expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { findSharing } from "./rowWorkspaces.ts";

const at = (pane: number, folder: string | null, more: Parameters<typeof makePane>[0] = {}) =>
  makePane({ pane, ...more, activity: { folder } });

it("finds agents in one work tree, also in different folders of it", () => {
  const rows = [
    makePane({ pane: 1, activity: { folder: "/r/src", work_tree: "/r" } }),
    makePane({ pane: 2, session: "pay", activity: { folder: "/r", work_tree: "/r" } }),
    makePane({ pane: 3, activity: { folder: "/r-two", work_tree: "/r-two" } }),
  ];
  expect([...findSharing(rows)]).toEqual([
    ["rt1", [{ short_ref: "host/%2", place: "pay:1.0" }]],
    ["rt2", [{ short_ref: "host/%1", place: "work:1.0" }]],
  ]);
});

it("finds agents in one folder outside of a work tree, on the same machine only", () => {
  const rows = [at(1, "/p"), at(2, "/p/"), at(3, "/p", { target: "vm1" }), at(4, "/p/sub"), at(5, null)];
  expect([...findSharing(rows).keys()]).toEqual(["rt1", "rt2"]);
});

it("counts only living agents", () => {
  const rows = [
    at(1, "/p"),
    at(2, "/p", { state: null, agent: null }),
    at(3, "/p", { state: "error", reason: "crashed" }),
  ];
  expect(findSharing(rows).size).toBe(0);
});
