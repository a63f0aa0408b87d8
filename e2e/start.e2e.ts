// Starting an agent from the popover: real tmux, a real daemon, real git, and Chromium through the browser bridge.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git } from "../test/workspaces/hostileRepository.ts";
import { openStartHarness, type StartHarness } from "../test/workspaces/startHarness.ts";
import { launchBrowserPopover } from "./launchers/browser.ts";
import { launchChromium } from "./launchers/chromium.ts";
import { recordLook, SCHEMES } from "./looks/look.ts";

const LIMIT_MS = 60_000;
let browser: Browser;
let harness: StartHarness;
let repository: string;

beforeAll(async () => {
  browser = await launchChromium();
  harness = await openStartHarness();
  repository = join(harness.root, "shop-api");
  mkdirSync(repository);
  git(repository, "init", "-q", "-b", "main");
  writeFileSync(join(repository, ".gitignore"), ".received\n");
  git(repository, "add", ".");
  git(repository, "commit", "-q", "-m", "one");
}, LIMIT_MS);
afterAll(async () => {
  await harness?.close();
  await browser?.close();
}, LIMIT_MS);

describe.each(SCHEMES)("starting an agent (%s)", (colorScheme) => {
  it(
    "asks which, where and what for, says what is wrong, and hands over the task",
    async () => {
      const branch = `feat/${colorScheme}`;
      const launched = await launchBrowserPopover({
        browser,
        daemon: { home: harness.daemon.paths.home },
        colorScheme,
      });
      const { page, errors } = launched;
      try {
        await page.getByRole("button", { name: "Start an agent" }).waitFor();
        await page.locator("body").press("+");
        const dialog = page.getByRole("dialog", { name: "Start an agent" });
        await dialog.waitFor();
        const startButton = dialog.getByRole("button", { name: "Start", exact: true });
        await dialog.getByLabel("Folder").fill("/no/such/folder");
        await dialog.getByLabel("Agent").selectOption("claude");
        await dialog.getByLabel(/^Branch/).fill(branch);
        await dialog.getByLabel(/^Task/).fill("split <b>refunds</b>");
        await startButton.click();
        await dialog
          .getByRole("alert")
          .getByText("there is no folder /no/such/folder", { exact: false })
          .waitFor();
        expect(await dialog.getByLabel(/^Task/).inputValue()).toBe("split <b>refunds</b>");
        await dialog.getByLabel("Folder").fill(repository);
        await recordLook(page, { name: "startFilled", scheme: colorScheme, isPictured: false });
        await startButton.click();
        const done = page.getByRole("dialog", { name: "Started" });
        await done.getByText("The task went in.").waitFor({ timeout: 30_000 });
        await recordLook(page, { name: "started", scheme: colorScheme, isPictured: false });
        await done.getByRole("button", { name: "Close" }).click();
        expect(harness.received(`${repository}-feat-${colorScheme}`)).toEqual(["split <b>refunds</b>"]);
        await page.getByText(branch).first().waitFor({ timeout: 30_000 });
        // The refusal is the one that was asked for.
        expect(errors.filter((one) => !one.includes("status of 412"))).toEqual([]);
      } finally {
        await launched.close();
      }
    },
    LIMIT_MS * 2,
  );
});
