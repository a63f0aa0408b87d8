// What is armed, its rules, the rule that is made of a card, and a reply that waits, each once.
import { beforeEach, it } from "vitest";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import type { BrowserPopover } from "./launchers/browser.ts";
import { shareStage } from "./launchers/popovers.ts";
import { expectSound } from "./looks/openedOnce.ts";
import { armedScene } from "./scenes/armedScene.ts";
import { tenScene } from "./scenes/workScene.ts";

const stage = shareStage();
let shown: BrowserPopover;
beforeEach(async () => {
  const panes = tenScene(Date.now());
  shown = await stage.show({ daemon: new AnsweringDaemon(panes), features: [armedScene(panes)] });
  await shown.page.locator("[data-card=true]").first().waitFor();
});

it("what is armed and its rules are opened, and nothing is wrong with them", async () => {
  const { page, popover } = shown;
  await popover.press("l");
  const jobs = page.locator("button[data-job]");
  await jobs.first().focus();
  await popover.press("ArrowDown", "Enter");
  await page.getByText("told: Codex has shown nothing new").waitFor();
  await expectSound(shown);
  await page.locator("button[data-rule=look]").click();
  await page.getByText("Answered 12 times").waitFor();
  await expectSound(shown);
});

it("a rule is made of a card, and nothing is wrong with its dialog", async () => {
  const { page, popover } = shown;
  await popover.card("refunds").getByRole("button", { name: "Make a rule…" }).click();
  await page.getByLabel("In words").waitFor();
  await expectSound(shown);
});

it("a reply that waits for its agent is written, and nothing is wrong with its box", async () => {
  const { page, popover } = shown;
  await popover.row("Split the refund").focus();
  await popover.press("r");
  await page.getByText("When ready: Sends when the agent is idle").waitFor();
  await page.keyboard.type("then measure it again");
  await expectSound(shown);
});
