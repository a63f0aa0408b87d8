// What a person types and clicks after a refusal, during an action, or after a row disappeared never does anything to another
// agent. On a scripted daemon, in a real browser.
import { describe, expect, it, vi } from "vitest";
import { makePane } from "../test/factories/view.ts";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import type { PopoverPage } from "./pages/popover.ts";
import { mixedScene } from "./scenes/scenes.ts";

const popovers = usePopovers();
/** High enough for every row of the scene to be in the document. */
const startMixed = () => popovers.startMixed({ viewport: { width: 420, height: 1_200 } });

/** Contains every letter that is a shortcut, also the keys that move through the rows, and ends like a message. */
const MESSAGE = "jjj iii kk add gone; re-do it, xe? 123 stop/rest";

const shownState = (popover: PopoverPage) =>
  popover.page.evaluate(() => ({
    selected: document.querySelector("[data-selected=true]")?.textContent ?? null,
    view: document.querySelector("nav [aria-current]")?.textContent ?? null,
    dialogs: document.querySelectorAll("dialog[open]").length,
  }));
const hint = (popover: PopoverPage) => popover.page.getByText("Shortcuts paused");
const settle = (popover: PopoverPage) =>
  popover.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));

describe("letters that follow a refusal", () => {
  it("of a reply do nothing to any agent until the person moves on purpose", async () => {
    const { daemon, popover, page } = await startMixed();
    await popover.row("refunds").focus();
    await popover.press("r");
    await popover.alert.getByText("Its prompt doesn't take text").waitFor();
    await hint(popover).waitFor();
    const before = await shownState(popover);
    await page.keyboard.type(MESSAGE);
    await popover.press("Enter", "Space");
    await settle(popover);
    expect([daemon.asked, await shownState(popover)]).toEqual([[], before]);
    expect(await popover.detail.count()).toBe(0);
    // A key that moves is deliberate: from here on keys work again.
    await popover.press("ArrowDown");
    await hint(popover).waitFor({ state: "detached" });
    await popover.press("j");
    await vi.waitFor(
      async () => expect((await shownState(popover)).selected).not.toBe(before.selected),
      WAIT,
    );
  });

  it.each(["Escape", "Tab", "a click"])("count again after %s", async (way) => {
    const { popover } = await startMixed();
    await popover.row("refunds").focus();
    await popover.press("r");
    await hint(popover).waitFor();
    if (way === "a click") await popover.row("docs").click();
    else await popover.press(way);
    await hint(popover).waitFor({ state: "detached" });
    await popover.press("m");
    await popover.targets.first().waitFor();
  });

  it("of a key without a row to act on do nothing either", async () => {
    const { daemon, popover, page } = await popovers.start([makePane({ windowName: "alone" })]);
    await popover.row("alone").waitFor();
    await popover.press("r");
    await hint(popover).waitFor();
    const before = await shownState(popover);
    await page.keyboard.type(MESSAGE);
    await popover.press("Enter");
    await settle(popover);
    expect([daemon.asked, await shownState(popover)]).toEqual([[], before]);
  });

  it("of the daemon's refusal do nothing", async () => {
    const { daemon, popover, page } = await startMixed();
    daemon.gate.refuse("E_STALE_SNAPSHOT", "nothing was sent to %11: the screen shows another prompt");
    await popover.row("refunds").focus();
    await popover.readAndPress("a");
    await popover.alert.waitFor();
    await page.keyboard.type(MESSAGE);
    await popover.press("Enter");
    await settle(popover);
    expect(daemon.asked.map(({ action }) => action)).toEqual(["answer"]);
  });

  it("do nothing once the row went away under the reply", async () => {
    const { daemon, popover, page } = await startMixed();
    const docs = mixedScene(Date.now()).find((pane) => pane.window_name === "docs");
    if (docs === undefined) throw new Error("the scene has changed");
    await popover.row("docs").focus();
    await popover.press("r");
    await popover.replyBox.waitFor();
    await page.keyboard.type("please ");
    daemon.remove(docs.identity.pane_ref);
    await popover.row("docs").waitFor({ state: "detached" });
    await page.keyboard.type(MESSAGE);
    await popover.press("Enter");
    await settle(popover);
    expect([daemon.asked, (await shownState(popover)).dialogs]).toEqual([[], 0]);
  });
});

describe("interrupting", () => {
  it("asks first, and what is typed on does not say yes", async () => {
    const { daemon, popover, page } = await startMixed();
    await popover.row("storefront").focus();
    await popover.press("i");
    await popover.dialog.getByText("Interrupt “storefront”?").waitFor();
    await page.keyboard.type(`${MESSAGE}i`);
    await popover.press("Enter", "Space");
    await settle(popover);
    expect([daemon.asked, (await shownState(popover)).dialogs]).toEqual([[], 1]);
    await popover.press("Escape");
    await popover.dialog.waitFor({ state: "detached" });
    // Its button has the focus, but nobody means it with a key that comes at once.
    await popover.press("i");
    await popover.dialog.waitFor();
    await popover.press("Enter", "Space");
    expect([daemon.asked, (await shownState(popover)).dialogs]).toEqual([[], 1]);
    await popover.read();
    await popover.press("Enter");
    await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
    expect(daemon.asked).toMatchObject([
      { action: "interrupt", input: { guards: { ifRuntime: "rt21", ifState: "running" } } },
    ]);
  });

  it("is for the turn that the question named: one that ended meanwhile is not stopped", async () => {
    const { daemon, popover } = await startMixed();
    const running = mixedScene(Date.now()).find((pane) => pane.window_name === "storefront");
    if (running === undefined) throw new Error("the scene has changed");
    await popover.row("storefront").focus();
    await popover.press("i");
    await popover.dialog.waitFor();
    daemon.put({
      ...running,
      state: "completed",
      reason_code: null,
      state_version: running.state_version + 1,
    });
    await popover.row("storefront, Codex, done").waitFor();
    await popover.dialog.getByRole("button", { name: "Interrupt" }).click();
    await popover.alert.getByText("it changed", { exact: false }).waitFor();
  });
});

it("kills only in the state that the question named", async () => {
  const { daemon, popover, refunds } = await startMixed();
  await popover.row("refunds").focus();
  await popover.press("x");
  await popover.dialog.getByText("needs approval").waitFor();
  daemon.put({
    ...refunds,
    state: "running",
    reason_code: null,
    request: null,
    prompt_fingerprint: null,
    state_version: refunds.state_version + 1,
  });
  await popover.row("refunds, Claude Code, running").waitFor();
  await popover.dialog.getByRole("button", { name: "Send INT" }).click();
  await popover.alert.getByText("it changed", { exact: false }).waitFor();
  const guards = { ifState: "waiting_approval", ifVersion: refunds.state_version };
  expect(daemon.asked).toMatchObject([{ action: "kill", input: { guards } }]);
});

describe("while an action is under way", () => {
  /** Where every button of the popover is, by its name. */
  const places = (popover: PopoverPage) =>
    popover.page.evaluate(() =>
      [...document.querySelectorAll("button, textarea")].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [element.ariaLabel ?? element.textContent, x, y, width, height];
      }),
    );

  it("nothing moves below the pointer, and another press does nothing", async () => {
    const { daemon, popover, page } = await startMixed();
    await popover.row("refunds").click();
    await popover.option("Yes, and don't ask again").hover();
    await popover.read();
    const before = await places(popover);
    const release = daemon.gate.hold();
    await page.mouse.down();
    await page.mouse.up();
    await popover.status.getByText("Answering…").waitFor();
    await settle(popover);
    expect(await places(popover)).toEqual(before);
    await page.mouse.down();
    await page.mouse.up();
    await popover.press("a", "d", "1");
    for (const button of await popover
      .card("refunds")
      .getByRole("button", { name: /Approve|Deny|Interrupt|Kill/ })
      .all())
      expect(await button.getAttribute("aria-disabled")).toBe("true");
    expect(await popover.option("Yes").first().getAttribute("aria-disabled")).toBe("true");
    expect(daemon.asked).toHaveLength(1);
    release();
    await popover.status.getByText("Delivered.").waitFor();
    // The result is below the buttons.
    const names = (await places(popover)).slice(0, before.length).map(([name, , y]) => [name, y]);
    const at = names.findIndex(([name]) => String(name).includes("Kill"));
    expect(names.slice(0, at + 1)).toEqual(before.slice(0, at + 1).map(([name, , y]) => [name, y]));
  });

  it("a collapsed row stays as high as it is, and so the rows below stay where they are", async () => {
    const { daemon, popover } = await startMixed();
    await popover.row("refunds").focus();
    await popover.read();
    const before = await places(popover);
    const release = daemon.gate.hold();
    await popover.press("d");
    await popover.status.getByText("Answering…").waitFor();
    await settle(popover);
    expect(await places(popover)).toEqual(before);
    release();
    await popover.status.getByText("Delivered.").waitFor();
  });

  it("of a reply its box and button stay where they are", async () => {
    const { daemon, popover, page } = await startMixed();
    daemon.put(makePane({ pane: 14, session: "payments", window: 5, windowName: "docs", state: "idle" }));
    await popover.row("docs").focus();
    await popover.press("r");
    await popover.replyBox.waitFor();
    await page.keyboard.type("hello");
    const send = page.getByRole("main").getByRole("button", { name: "Send" });
    await send.scrollIntoViewIfNeeded();
    await popover.read();
    const before = await places(popover);
    const release = daemon.gate.hold();
    await send.click();
    await popover.status.getByText("Sending…").waitFor();
    await settle(popover);
    expect(await places(popover)).toEqual(before);
    release();
    await popover.status.getByText("Delivered.").waitFor();
    expect(daemon.asked).toHaveLength(1);
  });
});
