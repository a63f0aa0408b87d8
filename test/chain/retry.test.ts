// A request that fails and is tried again, by every agent: it runs on, says why and at which attempt, and is never taken
// for an end, an error or a wait.
import { describe, expect, it, vi } from "vitest";
import { CONVERSATIONS, playStep } from "./conversations.ts";
import { AGENTS, useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const harness = useChainHarness({ isConcurrent: true });
const { daemon } = harness;

describe.concurrent("an agent that tries again", () => {
  it.each(AGENTS)("runs on and says at which attempt: %s", async (agent) => {
    await harness.install(agent);
    const player = await harness.play(agent);
    await playStep(player, agent, "begin");
    await daemon.untilState(player.paneId, "idle");
    await playStep(player, agent, "prompt");
    await daemon.untilState(player.paneId, "running");
    await playStep(player, agent, "retry");
    const { progress } = CONVERSATIONS[agent].retry;
    await daemon.until(
      player.paneId,
      (row) => row.reason_code === "retrying" && row.progress === progress,
      WITHOUT_HOOK_MS + 3_000,
    );
    await playStep(player, agent, "end");
    const row = await daemon.untilState(player.paneId, "completed");
    expect(row.progress).toBeNull();
    // The feed tells it a moment after the list does.
    await vi.waitFor(() => {
      const states = daemon.timeline(player.paneId);
      expect(states.slice(states.indexOf("running"))).toEqual(["running", "completed"]);
    });
  });
});
