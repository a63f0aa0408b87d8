// What is armed, in the popover: texts that wait and watches, held, released, ended and paused; the reply that waits for its agent;
// and the way there from a row. By mouse and by keyboard, light and dark.
import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../core/model/errors.ts";
import type { PaneView } from "../core/model/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import type { FakeAutomation } from "../test/fakes/fakeAutomation.ts";
import type { BrowserPopover } from "./launchers/browser.ts";
import { shareStage } from "./launchers/popovers.ts";
import { findFaults, recordLook } from "./looks/look.ts";
import { armedScene } from "./scenes/armedScene.ts";
import { COLOURED_SCREEN, tenScene } from "./scenes/workScene.ts";

const stage = shareStage();

const scene = (): PaneView[] =>
  tenScene(Date.now()).map((pane) => (pane.window_name === "split" ? { ...pane, armed: "2 queued" } : pane));

const paneOf = (panes: readonly PaneView[], window: string): PaneView => {
  const pane = panes.find(({ window_name: name }) => name === window);
  if (pane === undefined) throw new Error(`no window ${window}`);
  return pane;
};

type Started = BrowserPopover & { daemon: AnsweringDaemon; automation: FakeAutomation };

const withPopover = async (
  options: { viewport?: { width: number; height: number } },
  work: (started: Started) => Promise<void>,
): Promise<void> => {
  const panes = scene();
  const daemon = new AnsweringDaemon(panes);
  for (const { identity } of panes) daemon.outputs.set(identity.pane_ref, { screen: COLOURED_SCREEN });
  const automation = armedScene(panes);
  const launched = await stage.show({ daemon, features: [automation], ...options });
  await launched.popover.row("Split the refund").waitFor();
  await work({ ...launched, daemon, automation });
  expect(await findFaults(launched.page)).toEqual([]);
  // The page itself writes a line for a call that is refused.
  expect(launched.errors.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
};

describe("the view of what is armed (light, dark)", () => {
  it("shows what waits, for what, and what it did", () =>
    withPopover({}, async ({ page, popover }) => {
      await popover.press("l");
      const jobs = page.locator("button[data-job]");
      await jobs.first().waitFor();
      expect(await jobs.evaluateAll((all) => all.map((one) => one.dataset["job"]))).toEqual([
        "job_2",
        "job_3",
        "job_4",
        "job_5",
        "job_1",
      ]);
      await jobs.first().focus();
      await popover.press("ArrowDown", "Enter");
      await page.getByText("told: Codex has shown nothing new").waitFor();
      await recordLook(page, { name: "armed", isPictured: true });
    }));

  it("offers a reply that waits, with what comes of it", () =>
    withPopover({}, async ({ page, popover, automation }) => {
      await popover.row("Split the refund").focus();
      await popover.press("r");
      await popover.replyBox.waitFor();
      await page.getByText("When ready: Sends when the agent is idle").waitFor();
      await page.keyboard.type("then measure it again");
      const list = page.locator("[data-list]").first();
      const isVisible = () =>
        list.evaluate((box) => {
          const line = document.querySelector("#reply-later")?.getBoundingClientRect();
          const edge = box.getBoundingClientRect();
          return line !== undefined && line.top >= edge.top && line.bottom <= edge.bottom + 1;
        });
      await expect.poll(isVisible).toBe(true);
      for (let row = 0; row < 6; row += 1) await popover.press("Shift+Enter");
      await expect.poll(isVisible).toBe(true);
      for (let row = 0; row < 6; row += 1) await popover.press("Backspace");
      await recordLook(page, { name: "later", isPictured: true });
      await popover.press("Alt+Enter");
      await page.getByText("Scheduled.", { exact: true }).waitFor();
      expect(automation.items[0]).toMatchObject({ text: "then measure it again", surface: "popover" });
      expect(await popover.replyBox.inputValue()).toBe("");
    }));
});

describe("what is armed", () => {
  it("is held, released, cancelled and paused, and says why it could not", () =>
    withPopover({}, async ({ page, popover, automation }) => {
      await popover.tab("Automation").click();
      const job = page.locator("button[data-job=job_4]");
      await job.click();
      const act = (name: string) => page.getByRole("button", { name, exact: true }).click();
      await act("Hold");
      await page.locator("[data-job=job_4][data-state=held]").waitFor();
      await act("Release");
      await page.locator("[data-job=job_4][data-state=armed]").waitFor();
      automation.failures.set("jobHold", new AgtmuxError("E_REF_NOT_FOUND", "there is no such job"));
      await act("Hold");
      await page.getByRole("alert").getByText("There is no such job.").waitFor();
      const cancel = page.getByRole("button", { name: "Cancel job", exact: true });
      await cancel.focus();
      await popover.press("Enter");
      await page.locator("[data-job=job_4][data-state=cancelled]").waitFor();
      // It stands among what has ended now; the focus went with it, and goes on from there.
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-job") ?? null);
      await expect.poll(focused).toBe("job_4");
      await popover.press("ArrowDown");
      expect(await focused()).toBe("job_1");
      await act("Pause all");
      await page.getByText("Paused for").waitFor();
      expect(automation.pausedAt).not.toBeNull();
      await act("Resume all");
      await page.getByText("Paused for").waitFor({ state: "detached" });
    }));

  it("is reached from the row of its agent, by mouse and by key, and leads back to it", () =>
    withPopover({ viewport: { width: 360, height: 600 } }, async ({ page, popover }) => {
      await page.locator("[data-armed]").click();
      const jobs = page.locator("button[data-job]");
      await expect.poll(() => jobs.count()).toBe(2);
      await jobs.first().click();
      await page.getByRole("button", { name: "Show agent" }).click();
      await expect.poll(() => popover.focusedName()).toContain("Split the refund");
      await popover.press("l");
      await expect.poll(() => jobs.count()).toBe(2);
      await popover.press("Escape");
      await expect.poll(() => jobs.count()).toBe(5);
      await popover.press("Escape");
      await popover.row("Split the refund").waitFor();
    }));

  it("is shown as text, whatever stands in it", () =>
    withPopover({}, async ({ page, popover, automation }) => {
      const hostile = '<img src=x onerror="document.title=1">\u202E';
      const [first] = automation.items;
      if (first === undefined) throw new Error("the scene is empty");
      automation.items = [{ ...first, runtime_id: null, text: hostile, about: hostile, waits_for: hostile }];
      await popover.press("l");
      const job = page.locator("button[data-job]");
      await job.waitFor();
      expect((await job.textContent())?.split('<img src=x onerror="document.title=1">⟨U+202E⟩')).toHaveLength(
        4,
      );
      expect(await page.title()).not.toBe("1");
    }));

  it("is found by the search of the header", () =>
    withPopover({}, async ({ page, popover }) => {
      await popover.press("l", "/");
      await page.keyboard.type("docs");
      await expect.poll(() => page.locator("button[data-job]").count()).toBe(1);
    }));
});

it("an agent that stopped at a limit goes on after it, and its card says when", () =>
  withPopover({ viewport: { width: 420, height: 1_200 } }, async ({ page, popover, automation }) => {
    const limited = scene().find(({ reason_code: reason }) => reason === "usage_limit");
    const ref = limited?.identity.pane_ref ?? "";
    const card = page.locator(`[data-card=true]:has([data-ref="${ref}"])`);
    await card.waitFor();
    await popover.read();
    await card.getByRole("button", { name: "Continue after the limit" }).click();
    await page.getByText("“go on” is sent Tue").waitFor();
    expect(automation.items[0]).toMatchObject({ text: "go on", when: "at", surface: "popover" });
  }));

it("an agent whose input box cannot be read says why no text can wait for it", () =>
  withPopover({ viewport: { width: 420, height: 1_200 } }, async ({ page, popover, daemon, automation }) => {
    const { agent } = paneOf(scene(), "a11y");
    const list = daemon.adapters();
    const [first] = list.items;
    if (first === undefined || agent === null) throw new Error("the scene has no such agent");
    daemon.adapters = () => ({
      ...list,
      items: [{ ...first, agent_type: agent, capabilities: { supports_send_later: false } }],
    });
    await page.reload();
    await popover.row("Make the checkout").focus();
    await popover.press("r");
    await page.getByText("When ready: Can't tell whether somebody is typing in Codex").waitFor();
    await page.keyboard.type("go on");
    expect(await page.getByRole("button", { name: "When ready" }).count()).toBe(0);
    const before = automation.items.length;
    await popover.press("Alt+Enter");
    expect(await popover.replyBox.inputValue()).toBe("go on");
    expect(automation.items.length).toBe(before);
    expect(daemon.asked).toEqual([]);
  }));
