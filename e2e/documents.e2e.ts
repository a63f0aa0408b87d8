// A row's documents in the popover: real tmux, a real daemon, the real command that claims them, and Chromium through the bridge.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runDoc } from "../test/actions/documentCommand.ts";
import { openStartHarness, type StartHarness } from "../test/workspaces/startHarness.ts";
import { launchBrowserPopover } from "./launchers/browser.ts";
import { launchChromium } from "./launchers/chromium.ts";
import { recordLook, SCHEMES } from "./looks/look.ts";

const LIMIT_MS = 60_000;
let browser: Browser;
let harness: StartHarness;
let folder: string;

beforeAll(async () => {
  browser = await launchChromium();
  harness = await openStartHarness();
  folder = join(harness.root, "garden");
  mkdirSync(join(folder, ".agent-doc"), { recursive: true });
  writeFileSync(join(folder, "plan.md"), "# Plan\n\n<img src=x onerror=alert(1)> Which way?\n");
  const { pane_id: pane } = JSON.parse((await harness.cli(folder, "start", "claude", "--json")).stdout) as {
    pane_id: string;
  };
  await harness.daemon.untilState(pane, "idle", 20_000);
  expect((await runDoc(harness, folder, ["claim", "plan.md", "--pane", pane])).stderr).toBe("");
}, LIMIT_MS);
afterAll(async () => {
  await harness?.close();
  await browser?.close();
}, LIMIT_MS);

describe.each(SCHEMES)("a row's documents (%s)", (colorScheme) => {
  it(
    "are named with what they end with, and the agent is told to answer in one",
    async () => {
      const launched = await launchBrowserPopover({
        browser,
        daemon: { home: harness.daemon.paths.home },
        colorScheme,
      });
      const { page, errors } = launched;
      try {
        const before = harness.received(folder).length;
        await page.locator("[data-row=pane]").first().click();
        await page.getByRole("group", { name: "Detail" }).waitFor();
        const section = page.getByRole("region", { name: "Documents" });
        await section.getByText("plan.md").waitFor({ timeout: 20_000 });
        expect(await section.innerText()).toContain("has something new");
        expect(await section.innerText()).toContain("<img src=x onerror=alert(1)> Which way?");
        await recordLook(page, { name: "documents", scheme: colorScheme, isPictured: false });
        await section.getByRole("button", { name: "Answer in it" }).click();
        await expect.poll(() => harness.received(folder).length, { timeout: 20_000 }).toBe(before + 1);
        expect(harness.received(folder).at(-1)).toBe("/agent-doc plan.md");
        expect(errors).toEqual([]);
      } finally {
        await launched.close();
      }
    },
    LIMIT_MS * 2,
  );
});
