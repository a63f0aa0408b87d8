import { expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { needsFirst } from "../text/rowText.ts";

it("who needs a person comes first, the longest wait on top, and the others stay as they were", () => {
  const panes = [
    makePane({ pane: 1, state: "running" }),
    makePane({ pane: 2, state: "waiting_approval", since: 2_000 }),
    makePane({ pane: 3, state: "idle" }),
    makePane({ pane: 4, state: "error", since: 1_000 }),
    makePane({ pane: 5, state: "waiting_input", since: 2_000 }),
  ];
  expect(needsFirst(panes).map(({ identity }) => identity.pane_id)).toEqual(["%4", "%2", "%5", "%1", "%3"]);
});
