// A rule in short: a watch of docs/automation.md is good, and tells of an agent that comes later. The rest is in
// standing.slow.test.ts.
import { expect, it } from "vitest";
import { openAgent } from "../actions/agentPane.ts";
import { until } from "../setup/realClock.ts";
import { openStandingWatches } from "./watchHarness.ts";

it("a watch of the page tells of a line that an agent prints which comes later", async (test) => {
  const { harness, print, told } = await openStandingWatches(test);
  expect(await print("rule", "check")).toBe("2 rules are good.\n");
  const agent = await openAgent(harness);
  await harness.tmux.run("send-keys", "-t", agent.row.identity.pane_id ?? "", "-l", " 7 failed");
  await until(() => told().length > 0, "its line is told", 20_000);
  expect(told()[0]).toMatchObject({ kind: "watch", text: expect.stringContaining("7 failed") });
});
