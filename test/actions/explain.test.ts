// explain on a real daemon and real tmux: the rule that won, what lost, and the rows of the screen that matched.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { openHarness, openPlayer, type Harness } from "./actionHarness.ts";

let harness: Harness;
let player: Player;
beforeEach(async () => {
  harness = await openHarness();
  await harness.service.integrationChange({ agent: "claude", action: "install", dryRun: false });
  player = await openPlayer(harness);
});
afterEach(async () => {
  await player.close();
  await harness.close();
});

it("names what won, what lost and why, and shows the rows that gave the dialog away", async () => {
  await player.event("SessionStart");
  await player.event("UserPromptSubmit");
  // What comes in one batch changes the state once.
  await harness.daemon.untilState(player.paneId, "running");
  await player.event("PermissionRequest");
  await player.frame("waiting_approval");
  const row = await harness.daemon.until(
    player.paneId,
    ({ state, confidence }) => state === "waiting_approval" && confidence === "high",
  );
  const explained = await harness.service.explain({ ref: row.identity.pane_ref });
  expect(explained.pane.state).toBe("waiting_approval");
  expect(explained.rule).not.toBe("");
  expect(explained.evidence.filter(({ outcome }) => outcome === "won")).toHaveLength(1);
  expect(explained.evidence.every(({ rule }) => rule !== "")).toBe(true);
  expect(explained.timeline.map(({ state }) => state)).toContain("running");
  const matched = explained.screen?.lines.filter(({ is_match }) => is_match).map(({ text }) => text.trim());
  expect(explained.screen?.state).toBe("waiting_approval");
  expect(matched).toContain("Do you want to proceed?");
  const visible = (await harness.screen(player.paneId)).split("\n");
  for (const { row: at, text } of explained.screen?.lines ?? [])
    expect(visible[at - 1]?.trimEnd()).toBe(text);
});

it("has no screen for a pane without an agent", async () => {
  const cat = await harness.open("exec cat");
  expect(await harness.service.explain({ ref: cat.identity.pane_ref })).toMatchObject({
    screen: null,
    evidence: [],
  });
});
