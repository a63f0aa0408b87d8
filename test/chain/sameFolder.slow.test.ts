// Two agents of one kind in one folder, in two panes, with their hooks: whatever one does, the other's row stays as it was.
// Without hooks: panes.slow.test.ts. Codex behind its background server, whose hooks name a third pane: codex.slow.test.ts.
import { describe, expect, it } from "vitest";
import { playStep } from "./conversations.ts";
import { AGENTS, useChainHarness } from "./chainHarness.ts";

const harness = useChainHarness({ isConcurrent: true });
const { daemon } = harness;

describe.concurrent("two agents of one kind in one folder, with hooks", () => {
  it.each(AGENTS)("are told apart: %s", async (agent) => {
    await harness.install(agent);
    const [one, two] = [await harness.play(agent), await harness.play(agent)];
    for (const player of [one, two]) {
      await playStep(player, agent, "begin");
      await daemon.untilState(player.paneId, "idle");
    }
    await playStep(one, agent, "prompt");
    await daemon.untilState(one.paneId, "running");
    await playStep(two, agent, "prompt");
    await daemon.untilState(two.paneId, "running");
    await playStep(one, agent, "ask");
    // Agents announce a prompt before they draw it.
    const waiting = await daemon.until(one.paneId, (row) => row.prompt_fingerprint !== null);
    await playStep(two, agent, "end");
    await daemon.untilState(two.paneId, "completed");
    // The end of one turn answers nothing that the other agent asked.
    expect(await daemon.untilState(one.paneId, "waiting_approval")).toMatchObject({
      prompt_fingerprint: waiting.prompt_fingerprint,
      agent_session_id: waiting.agent_session_id,
    });
    expect(daemon.timeline(two.paneId)).not.toContain("waiting_approval");
    expect(daemon.timeline(one.paneId)).not.toContain("completed");
  });
});
