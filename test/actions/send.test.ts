// The heart of send: what is typed arrives as it is, and an open prompt is never typed into. The rest is in send.slow.test.ts.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { auditOf, expectNoBuffers, sendTo, openHarness, openPlayer, type Harness } from "./actionHarness.ts";
import { until } from "../setup/realClock.ts";
import { openAgent } from "./agentPane.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

describe.concurrent("to an agent", () => {
  it.each([
    ["a short line", "hello there"],
    ["quotes, substitutions and formats", `"a" 'b' \`id\` $(id) \${HOME} #{pane_id} #[fg=red] %% \\n \\`],
  ])("types %s literally and submits it", async (_name, text) => {
    const agent = await openAgent(harness);
    const result = await sendTo(harness, agent.row, text);
    expect([result.outcome, result.notes, agent.received()]).toEqual(["delivered", [], [text]]);
    expect(auditOf(harness, agent.row)).toEqual([["send", "delivered", text.length]]);
    await expectNoBuffers(harness);
  });
});

describe.concurrent("nothing is sent", () => {
  it("while the agent waits for an answer", async () => {
    const player = await openPlayer(harness);
    try {
      await player.frame("waiting_approval");
      const row = await harness.daemon.untilState(player.paneId, "waiting_approval");
      await expect(sendTo(harness, row, "y")).rejects.toMatchObject({ code: "E_PROMPT_OPEN" });
      // What it did not read comes to the shell after it.
      await player.exit();
      await vi.waitFor(async () => expect((await harness.screen(player.paneId)).trimEnd()).toMatch(/\$$/), {
        timeout: 5_000,
      });
    } finally {
      await player.close();
    }
  });
});

it("is typed to its end when the daemon is asked to end meanwhile", async () => {
  const own = await openHarness();
  try {
    const agent = await openAgent(own);
    const sending = sendTo(own, agent.row, "the last one");
    await until(() => own.service.underWay().actions === 1, "the text is under way");
    const ending = own.daemon.daemon.close();
    expect((await sending).outcome).toBe("delivered");
    await ending;
    expect([agent.received(), own.service.underWay()]).toEqual([["the last one"], { actions: 0 }]);
  } finally {
    await own.close();
  }
});
