import { expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { ResumedSessions } from "./startAgent.ts";
import { partOf } from "../../test/fakes/partOf.ts";

it("says the session of an agent until it names one itself", () => {
  let rows = [makePane({ pane: 1 }), makePane({ pane: 2 })];
  const resumed = new ResumedSessions(partOf({ all: () => rows }));
  const ids = () => resumed.all().map(({ agent_session_id: id }) => id);
  expect(ids()).toEqual([null, null]);
  resumed.note("rt1", "a");
  expect(ids()).toEqual(["a", null]);
  rows = rows.map((row) => ({ ...row, agent_session_id: "b" }));
  expect(ids()).toEqual(["b", "b"]);
});

it("forgets runtimes that are gone once there are many", () => {
  const resumed = new ResumedSessions(partOf({ all: () => [makePane({ pane: 1 })] }));
  resumed.note("rt1", "kept");
  for (let at = 2; at < 600; at += 1) resumed.note(`rt${at}`, "gone");
  expect(resumed.all()[0]?.agent_session_id).toBe("kept");
});
