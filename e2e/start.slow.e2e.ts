// Starting an agent from the popover: real tmux, a real daemon, real git, and Chromium through the browser bridge.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../test/workspaces/hostileRepository.ts";
import { START_LIMIT_MS, useStartPopover } from "./launchers/startPopover.ts";
import { recordLook } from "./looks/look.ts";

let repository: string;
const popover = useStartPopover(async (harness) => {
  repository = join(harness.root, "shop-api");
  mkdirSync(repository);
  git(repository, "init", "-q", "-b", "main");
  writeFileSync(join(repository, ".gitignore"), ".received\n");
  git(repository, "add", ".");
  git(repository, "commit", "-q", "-m", "one");
});

it(
  "asks which, where and what for, says what is wrong, and hands over the task",
  async () => {
    const { page, errors } = await popover.open();
    const branch = "feat/refunds";
    await page.getByRole("button", { name: "Start an agent" }).waitFor();
    await page.locator("body").press("+");
    const dialog = page.getByRole("dialog", { name: "Start an agent" });
    await dialog.waitFor();
    const startButton = dialog.getByRole("button", { name: "Start", exact: true });
    await dialog.getByLabel("Folder").fill("/no/such/folder");
    // The one that is installed here.
    await expect.poll(() => dialog.getByLabel("Agent").inputValue()).toBe("claude");
    await dialog.getByLabel(/^New worktree/).fill(branch);
    await dialog.getByLabel(/^Task/).fill("split <b>refunds</b>");
    await startButton.click();
    await dialog
      .getByRole("alert")
      .getByText("there is no folder /no/such/folder", { exact: false })
      .waitFor();
    expect(await dialog.getByLabel(/^Task/).inputValue()).toBe("split <b>refunds</b>");
    await dialog.getByLabel("Folder").fill(repository);
    await dialog.getByRole("alert").waitFor({ state: "detached" });
    await recordLook(page, { name: "startFilled", isPictured: false });
    await dialog.getByLabel(/^Task/).press("Control+Enter");
    const done = page.getByRole("dialog", { name: "Started" });
    await done.getByText("The task was sent.").waitFor({ timeout: 30_000 });
    await recordLook(page, { name: "started", isPictured: false });
    await done.getByRole("button", { name: "Close" }).click();
    expect(popover.harness.received(`${repository}-feat-refunds`)).toEqual(["split <b>refunds</b>"]);
    await page.getByText(branch).first().waitFor({ timeout: 30_000 });
    // The refusal is the one that was asked for.
    expect(errors.filter((one) => !one.includes("status of 412"))).toEqual([]);
  },
  START_LIMIT_MS * 2,
);
