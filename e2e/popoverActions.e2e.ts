// What the popover answers for the person, on a scripted daemon, once each: an answer that arrives, a denial, and what the daemon
// refuses.
import { describe, expect, it } from "vitest";
import { asked, select, useActions } from "./pages/actions.ts";

const { startMixed, startAsking } = useActions();

describe("answering", () => {
  it("approves the very prompt that the row shows, and says that it arrived", async () => {
    const started = await startMixed();
    const { daemon, popover } = started;
    await select(started, "refunds");
    await popover.readAndPress("a");
    await popover.status.getByText("Delivered. It was seen to arrive.").waitFor();
    expect(daemon.asked).toMatchObject([
      {
        action: "answer",
        input: {
          choice: { kind: "approve" },
          surface: "popover",
          guards: { ifRuntime: "rt11", ifPrompt: "fp-refunds", forceStale: false },
        },
      },
    ]);
    await select(started, "refunds");
    await popover.press("Escape");
    await popover.status.getByText("Delivered.").waitFor({ state: "detached" });
  });

  it("offers to deny what could not be read whole, and nothing that allows it", async () => {
    const started = await startAsking();
    const { daemon, popover } = started;
    await select(started, "glimpse");
    await popover.card("glimpse").getByText("Not shown in full: part").waitFor();
    expect(await popover.answer("glimpse", "Approve").count()).toBe(0);
    await popover.press("a");
    await popover.press("1");
    expect(daemon.asked).toEqual([]);
    await popover.press("Escape");
    await popover.readAndPress("d");
    await asked(daemon, 1);
    expect(daemon.asked).toMatchObject([
      { input: { choice: { kind: "deny" }, guards: { ifPrompt: "fp-glimpse" } } },
    ]);
  });

  it("says what the daemon refuses, on the row, and presses nothing else", async () => {
    const started = await startMixed();
    const { daemon, popover } = started;
    daemon.gate.refuse("E_STALE_SNAPSHOT", "nothing was sent to %11: the screen shows another prompt");
    await select(started, "refunds");
    await popover.readAndPress("a");
    await popover.alert.waitFor();
    expect(await popover.alert.textContent()).toBe(
      "Refused. Nothing was sent to %11: the screen shows another prompt. Check the pane, then try again.",
    );
    expect(daemon.asked).toHaveLength(1);
  });
});
