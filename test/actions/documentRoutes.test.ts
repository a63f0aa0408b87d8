// Where a document's question goes, in short: to the agent of the pane that is named. The rest is in documentRoutes.slow.test.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStartHarness, type StartHarness } from "../workspaces/startHarness.ts";
import { runDoc } from "./documentCommand.ts";
import { claims, openProject } from "./routedProject.ts";

const LIMIT_MS = 60_000;

let harness: StartHarness;
beforeAll(async () => {
  harness = await openStartHarness();
}, LIMIT_MS);
afterAll(() => harness.close(), LIMIT_MS);

describe("route --pane", () => {
  it(
    "takes the agent of that pane, also while it shows old lines; of a shell nothing is claimed, and nothing typed into it",
    async () => {
      const folder = openProject(harness, "attic");
      const doc = (...args: string[]) => runDoc(harness, folder, args);
      const shell = await harness.open("exec bash --norc");
      const before = await harness.screen(shell.identity.pane_id);
      const refused = await doc("route", "plan.md", "--pane", shell.identity.pane_id);
      expect([refused.code, refused.stderr]).toEqual([15, expect.stringContaining("no agent runs in pane")]);
      expect([claims(folder), readFileSync(join(folder, "plan.md"), "utf8")]).toEqual([{}, "# Plan\n"]);
      expect(await harness.screen(shell.identity.pane_id)).toBe(before);
      const { pane_id: agent } = JSON.parse(
        (await harness.cli(folder, "start", "claude", "--json")).stdout,
      ) as { pane_id: string };
      await harness.daemon.untilState(agent, "idle", 20_000);
      await harness.tmux.run("copy-mode", "-t", agent);
      const routed = await doc("route", "plan.md", "--pane", agent);
      expect([routed.code, routed.stderr]).toEqual([0, ""]);
      expect([claims(folder), harness.received(folder)]).toEqual([
        { "plan.md": agent },
        ["/agent-doc plan.md"],
      ]);
    },
    LIMIT_MS,
  );
});
