// The watches that docs/automation.md puts into the rules file, as they stand there: the real command line, a real daemon, an agent on
// real tmux that comes later, a channel that receives.
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { openAgent } from "../actions/agentPane.ts";
import { until } from "../setup/realClock.ts";
import { openStandingWatches } from "./watchHarness.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const WORKING = fileURLToPath(new URL("../fixtures/recordings/claude/running.txt", import.meta.url));

it("the watches of the page tell of an agent that comes later, are listed, and rest while paused", async (test) => {
  const { harness, print, told } = await openStandingWatches(test);
  expect(await print("rule", "check")).toBe("2 rules are good.\n");
  expect(harness.daemon.daemon.keepsAwake).toBe(true);

  const agent = await openAgent(harness, {}, "agent");
  await harness.tmux.run("send-keys", "-t", agent.row.identity.pane_id ?? "", "-l", " 7 failed");
  await until(() => told().length > 0, "its line is told", 20_000);
  expect(told()[0]).toMatchObject({ kind: "watch", text: expect.stringContaining("7 failed") });
  await openAgent(harness, { working: WORKING }, "busy");
  await until(() => told().length > 1, "its silence is told", 20_000);
  expect(told()[1]?.title).toContain("has shown nothing new for 2s");

  const list = await print("rule", "list");
  expect(list).toMatch(/too-quiet +notify +in force +1/);
  expect(list).toContain('watch: "match:[1-9][0-9]* failed"');
  expect(list).toContain('channel: "phone"');
  expect(await print("rule", "log")).toMatch(/too-quiet +tell +has shown nothing new for 2s/);
  await print("automation", "pause");
  await openAgent(harness, { working: WORKING }, "late");
  await new Promise((done) => setTimeout(done, 4_000));
  expect(told()).toHaveLength(2);
});
