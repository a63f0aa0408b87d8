// A row's documents in the popover: real tmux, a real daemon, the real command that claims them, and Chromium through the bridge.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runDoc } from "../test/actions/documentCommand.ts";
import { START_LIMIT_MS, useStartPopover } from "./launchers/startPopover.ts";
import { recordLook } from "./looks/look.ts";

let folder: string;
const popover = useStartPopover(async (harness) => {
  folder = join(harness.root, "garden");
  mkdirSync(join(folder, ".agent-doc"), { recursive: true });
  writeFileSync(join(folder, "plan.md"), "# Plan\n\n<img src=x onerror=alert(1)> Which way?\n");
  const { pane_id: pane } = JSON.parse((await harness.cli(folder, "start", "claude", "--json")).stdout) as {
    pane_id: string;
  };
  await harness.daemon.untilState(pane, "idle", 20_000);
  expect((await runDoc(harness, folder, ["claim", "plan.md", "--pane", pane])).stderr).toBe("");
});

it(
  "a row's documents are named with what they end with, the agent is told to answer in one, and its path can be copied",
  async () => {
    const { page, context, errors } = await popover.open();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { harness } = popover;
    const before = harness.received(folder).length;
    await page.locator("[data-row=pane]").first().click();
    await page.getByRole("group", { name: "Detail" }).waitFor();
    const section = page.getByRole("region", { name: "Documents" });
    await section.getByText("plan.md").waitFor({ timeout: 20_000 });
    expect(await section.innerText()).toContain("has something new");
    expect(await section.innerText()).toContain("<img src=x onerror=alert(1)> Which way?");
    await recordLook(page, { name: "documents", isPictured: false });
    await section.getByRole("button", { name: "Copy path" }).click();
    await section.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(join(folder, "plan.md"));
    await section.getByRole("button", { name: "Answer in it" }).click();
    await expect.poll(() => harness.received(folder).length, { timeout: 20_000 }).toBe(before + 1);
    expect(harness.received(folder).at(-1)).toBe("/agent-doc plan.md");
    expect(errors).toEqual([]);
  },
  START_LIMIT_MS * 2,
);
