// What features add to the popover, each once: a row's documents, a session of the past, and the form that starts an agent.
import { beforeEach, expect, it } from "vitest";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import type { BrowserPopover } from "./launchers/browser.ts";
import { shareStage } from "./launchers/popovers.ts";
import { expectSound } from "./looks/openedOnce.ts";
import { worktreeScene } from "./scenes/changesScene.ts";
import { featureScene } from "./scenes/featureScene.ts";

const stage = shareStage();
let shown: BrowserPopover;
beforeEach(async () => {
  shown = await stage.show({
    daemon: new AnsweringDaemon(worktreeScene(Date.now())),
    features: featureScene(),
  });
  await shown.page.locator("[data-card=true]").first().waitFor();
});

it("a row's documents are shown, and nothing is wrong with them", async () => {
  const { page, popover } = shown;
  await popover.row("Split the refund").click();
  const section = page.getByRole("region", { name: "Documents" });
  await section.getByText("plan.md has something new").waitFor();
  expect(await section.innerText()).toContain("<img src=x onerror=alert(1)> Which way?");
  await expectSound(shown);
});

it("a session of the past is opened, and nothing is wrong with it", async () => {
  const { page, popover } = shown;
  await popover.press("h");
  const rows = page.locator("button[data-session]");
  await rows.first().click();
  await page.getByRole("group", { name: "End of the session" }).getByText("The ledger rounds").waitFor();
  await expectSound(shown);
});

it("what an agent has changed is opened, and nothing is wrong with it", async () => {
  const { page, popover } = shown;
  await popover.row("Split the refund").focus();
  await popover.press("v");
  await page.getByText("since origin/main (3f2a1c0)").waitFor();
  await popover.press("j", "c");
  await page.getByLabel(/^Comment on src/).fill("Why?");
  await expectSound(shown);
});

it("the form that starts an agent is filled, and nothing is wrong with it", async () => {
  const { page, popover } = shown;
  await popover.press("+");
  const dialog = page.getByRole("dialog", { name: "Start an agent" });
  await expect.poll(() => dialog.getByLabel("Agent").inputValue()).toBe("claude");
  await dialog.getByLabel("Folder").fill("~/shop-api");
  await dialog.getByLabel(/^Task/).fill("split refunds by currency");
  await expectSound(shown);
});
