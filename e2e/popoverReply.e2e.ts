// What the popover sends to panes, on a scripted daemon, once each: a reply, an interrupt and a kill.
import { describe, expect, it } from "vitest";
import { asked, select, useActions } from "./pages/actions.ts";

const { startMixed, startReply } = useActions();

describe("the quick reply", () => {
  it("sends several lines with Enter, shows what is under way, and is empty when they arrived", async () => {
    const { daemon, popover, page } = await startReply();
    await page.keyboard.type("Write the changelog");
    await popover.press("Shift+Enter");
    await page.keyboard.type("and stop.");
    const release = daemon.gate.hold();
    await popover.press("Enter");
    await popover.status.getByText("Sending…").waitFor();
    release();
    await popover.status.getByText("Delivered.").waitFor();
    expect(await popover.replyBox.inputValue()).toBe("");
    expect(daemon.asked).toMatchObject([
      {
        action: "send",
        input: { text: "Write the changelog\nand stop.", pressEnter: true, guards: { ifRuntime: "rt14" } },
      },
    ]);
    // Further typing goes into the box, not into the list.
    await page.keyboard.type("and again");
    expect(await popover.replyBox.inputValue()).toBe("and again");
  });
});

describe("stopping", () => {
  it("interrupts the turn that is shown", async () => {
    const started = await startMixed();
    await select(started, "storefront");
    await started.popover.press("i");
    await started.popover.dialog.getByRole("button", { name: "Interrupt" }).click();
    expect(await asked(started.daemon, 1)).toMatchObject([
      { action: "interrupt", input: { guards: { ifRuntime: "rt21", ifState: "running" } } },
    ]);
  });

  it("kills after a dialog that names the process, with the signal that was chosen", async () => {
    const started = await startMixed();
    const { daemon, popover } = started;
    await select(started, "storefront");
    await popover.press("x");
    await popover.dialog.getByText("Kill sends INT to process 4242 (codex)").waitFor();
    await popover.dialog.getByRole("button", { name: "Cancel" }).click();
    await popover.dialog.waitFor({ state: "detached" });
    expect(daemon.asked).toEqual([]);
    await popover.press("x");
    await popover.dialog.getByRole("radio", { name: /^TERM/ }).check();
    await popover.dialog.getByText("Kill sends TERM to process 4242 (codex)").waitFor();
    await popover.dialog.getByRole("button", { name: "Send TERM" }).click();
    expect(await asked(daemon, 1)).toMatchObject([
      {
        action: "kill",
        input: { signal: "TERM", isConfirmed: true, guards: { ifRuntime: "rt21" } },
      },
    ]);
    await popover.status.getByText("Delivered.").waitFor();
  });
});
