// Hooks that are removed while their agent works, on a real daemon: what they said counts for less from then on.
import { afterAll, expect, it } from "vitest";
import { openHarness, openPlayer } from "../actions/actionHarness.ts";

const harness = await openHarness();
afterAll(() => harness.close());

it("a running agent's state is not certain any more, and explain says why", { timeout: 30_000 }, async () => {
  const change = (action: "install" | "uninstall") =>
    harness.service.integrationChange({ agent: "claude", action, dryRun: false });
  await change("install");
  const player = await openPlayer(harness, "claude");
  try {
    await player.frame("running");
    await player.event("SessionStart", { source: "startup" });
    await player.event("UserPromptSubmit", { prompt: "go" });
    await harness.daemon.until(
      player.paneId,
      ({ state, confidence }) => state === "running" && confidence === "high",
    );
    await change("uninstall");
    const row = await harness.daemon.until(
      player.paneId,
      ({ state, confidence }) => state === "running" && confidence === "medium",
    );
    const { rule } = await harness.service.explain({ ref: row.identity.pane_ref });
    expect(rule).toContain("its hooks were removed since");
  } finally {
    await player.close();
  }
});
