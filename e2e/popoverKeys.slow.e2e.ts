// Finding a row in the popover and acting on it, by keyboard and by chips, on a fake daemon.
import { describe, expect, it, vi } from "vitest";
import { isFocused, usePopovers, WAIT } from "./launchers/popovers.ts";
import { mixedScene } from "./scenes/scenes.ts";

const { startMixed } = usePopovers();

describe("filtering", () => {
  it("filters by totals and text, and Escape clears", async () => {
    const { popover, page } = await startMixed();
    await popover.total("3 working").click();
    await popover.row("refunds").waitFor({ state: "detached" });
    expect(await popover.paneRows.count()).toBe(3);
    await popover.press("/");
    await page.keyboard.type("codex store");
    await vi.waitFor(async () => expect(await popover.paneRows.count()).toBe(1), WAIT);
    await page.keyboard.type(" nothing");
    await page.getByText("Nothing matches").waitFor();
    await popover.press("Escape");
    await popover.row("refunds").waitFor();
    expect(await popover.filter.inputValue()).toBe("");
  });

  it("keeps the selected row that a reply renames, and its keys", async () => {
    const { daemon, popover, page } = await startMixed();
    const storefront = mixedScene(Date.now()).find((pane) => pane.window_name === "storefront");
    if (storefront === undefined) throw new Error("the scene has changed");
    await popover.press("/");
    await page.keyboard.type("storefront");
    await vi.waitFor(async () => expect(await popover.paneRows.count()).toBe(1), WAIT);
    await popover.row("storefront").focus();
    daemon.put({ ...storefront, window_name: "renamed", title: "renamed", activity: null });
    await popover.row("renamed").waitFor();
    expect(await popover.paneRows.count()).toBe(1);
    await popover.press("r");
    await popover.replyBox.waitFor();
  });

  it("remembers collapsed groups over a reload", async () => {
    const { popover, page } = await startMixed();
    await popover.group("web on host").click();
    await popover.row("storefront").waitFor({ state: "detached" });
    await page.reload();
    await popover.group("web on host").waitFor();
    expect(await popover.group("web on host").getAttribute("aria-expanded")).toBe("false");
    expect(await popover.row("storefront").count()).toBe(0);
  });
});

describe("keyboard and actions", () => {
  it("moves with j, k and arrows, expands with Space and →, collapses with ←", async () => {
    const started = await startMixed();
    const { popover } = started;
    // The one that waits longest is selected at the start.
    await isFocused(started, "alerts");
    await popover.press("j", "ArrowDown", "k");
    await isFocused(started, "refunds");
    await popover.press("Space");
    await popover.detail.waitFor();
    await isFocused(started, "refunds");
    await popover.press("Space");
    await popover.detail.waitFor({ state: "detached" });
    await isFocused(started, "refunds");
    await popover.press("ArrowRight");
    await popover.detail.waitFor();
    await popover.press("ArrowLeft");
    await popover.detail.waitFor({ state: "detached" });
    await popover.press("ArrowRight", "Escape");
    await popover.detail.waitFor({ state: "detached" });
  });

  it("passes the heads of sessions; ← folds the one of the row, whose head is then a stop, and → unfolds it", async () => {
    const started = await startMixed();
    const { popover } = started;
    await popover.row("storefront").focus();
    await popover.press("ArrowLeft");
    await popover.row("storefront").waitFor({ state: "detached" });
    const head = popover.group("web on host");
    await vi.waitFor(
      async () => expect(await head.evaluate((element) => element === document.activeElement)).toBe(true),
      WAIT,
    );
    await popover.press("ArrowDown", "ArrowUp", "ArrowRight");
    await popover.row("storefront").waitFor();
    expect(await head.getAttribute("aria-expanded")).toBe("true");
    expect(await head.evaluate((element) => element === document.activeElement)).toBe(false);
  });

  it("attaches the selected pane with Enter, guarded by the agent that was shown", async () => {
    const started = await startMixed();
    await started.popover.press("j", "Enter");
    await vi.waitFor(
      () =>
        expect(started.daemon.asked).toMatchObject([
          {
            action: "openAttach",
            input: {
              ref: started.refunds.identity.pane_ref,
              surface: "popover",
              guards: { ifRuntime: started.refunds.identity.runtime_id },
            },
          },
        ]),
      WAIT,
    );
  });

  it("shows the command where no terminal can be opened", async () => {
    const { popover, context } = await startMixed({ daemonOptions: { canOpenTerminal: false } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await popover.answer("refunds", "Attach").click();
    await popover.dialog.waitFor();
    expect(await popover.dialog.getByLabel("Command").textContent()).toBe("agtmux attach host/%11");
    await popover.dialog.getByRole("button", { name: "Copy" }).click();
    await popover.dialog.getByRole("button", { name: "Copied" }).waitFor();
    await popover.press("Escape");
    await popover.dialog.waitFor({ state: "detached" });
  });

  it("says which terminal shows the pane where the one that was used last was switched", async () => {
    const { popover } = await startMixed({
      daemonOptions: { canOpenTerminal: false, lastTerminal: "/dev/pts/3" },
    });
    await popover.answer("refunds", "Attach").click();
    await popover.status.getByText("The terminal /dev/pts/3 shows it now").waitFor();
    expect(await popover.dialog.count()).toBe(0);
  });

  it("says why an action failed and what to do", async () => {
    const { daemon, popover, refunds } = await startMixed();
    daemon.gate.refuse("E_STALE_SNAPSHOT", `the agent in ${refunds.identity.pane_id} changed`);
    await popover.answer("refunds", "Attach").click();
    await popover.alert.waitFor();
    expect(await popover.alert.textContent()).toContain("The agent in %11 changed. Check the pane");
  });

  it("dismisses an error", async () => {
    const { daemon, popover } = await startMixed();
    await popover.read();
    await popover.answer("alerts", "Dismiss").click();
    await vi.waitFor(() => expect(daemon.asked).toMatchObject([{ action: "dismiss" }]), WAIT);
  });

  it("lists the keys", async () => {
    const { popover } = await startMixed();
    await popover.press("?");
    await popover.dialog.getByText("Approve this once, deny").waitFor();
    await popover.press("Escape");
    await popover.dialog.waitFor({ state: "detached" });
  });
});
