// Each played agent with its hooks, through the states of a turn: at its prompt, at work, waiting for a permission, at work again,
// done. The long files beside this one play what else can happen.
import { describe, expect, it } from "vitest";
import { AGENTS, useChainHarness } from "./chainHarness.ts";
import { playStep } from "./conversations.ts";

const harness = useChainHarness({ isConcurrent: true });
const { daemon } = harness;

describe.concurrent("a turn that asks for a permission", () => {
  it.each(AGENTS)("is told state by state: %s", async (agent) => {
    await harness.install(agent);
    const player = await harness.play(agent);
    await playStep(player, agent, "begin");
    await daemon.untilState(player.paneId, "idle");
    await playStep(player, agent, "prompt");
    await daemon.untilState(player.paneId, "running");
    await playStep(player, agent, "ask");
    const waiting = await daemon.until(player.paneId, (row) => row.prompt_fingerprint !== null);
    expect(waiting).toMatchObject({ agent, state: "waiting_approval", needs_action: true });
    await playStep(player, agent, "end");
    await daemon.untilState(player.paneId, "completed");
    await player.exit();
    await daemon.untilGone(player.paneId);
    expect(daemon.timeline(player.paneId)).toEqual(
      expect.arrayContaining(["idle", "running", "waiting_approval", "completed"]),
    );
  });
});
