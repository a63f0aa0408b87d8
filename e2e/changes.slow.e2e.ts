// What an agent has changed, by keyboard: the lines, a comment on one, and the message that is sent.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { FakeAutomation } from "../test/fakes/fakeAutomation.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import type { BrowserPopover } from "./launchers/browser.ts";
import { shareStage, WAIT } from "./launchers/popovers.ts";
import { recordLook } from "./looks/look.ts";
import { expectSound } from "./looks/openedOnce.ts";
import { featureScene } from "./scenes/featureScene.ts";
import { worktreeScene } from "./scenes/changesScene.ts";

const stage = shareStage();
let shown: BrowserPopover;
let automation: FakeAutomation;
const show = async (viewport?: { width: number; height: number }): Promise<void> => {
  automation = new FakeAutomation();
  shown = await stage.show({
    daemon: new AnsweringDaemon(worktreeScene(Date.now())),
    features: [...featureScene(), automation],
    ...(viewport === undefined ? {} : { viewport }),
  });
  await shown.popover.row("Split the refund").focus();
};
const open = async (): Promise<void> => {
  await shown.popover.press("v");
  await shown.page.getByRole("dialog", { name: "Changes: Split the refund service" }).waitFor();
  await shown.page.getByText("since origin/main (3f2a1c0)").waitFor();
};
const focused = (): Promise<string | null> =>
  shown.page.evaluate(
    () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? null,
  );
const until = (wanted: string): Promise<void> =>
  vi.waitFor(async () => expect(await focused()).toContain(wanted), WAIT);

/** Texts that need more room than their rows have. */
const cutRows = (): Promise<string[]> =>
  shown.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("[data-diff-row]")].flatMap((row) =>
      row.scrollHeight > row.clientHeight + 1 || row.scrollWidth > row.clientWidth + 1
        ? [row.textContent]
        : [],
    ),
  );

describe("what an agent has changed", () => {
  beforeEach(() => show());

  it("is read line by line, folded and opened, and left again", async () => {
    await open();
    const { page, popover } = shown;
    await until("src/refunds/splitRefund.ts");
    await expectSound(shown);
    // What would be more than text is shown as text.
    await page.getByText('const NAMES = ["<b>not markup</b>"];').waitFor();
    await page.getByText("⟨U+001B⟩[31mred⟨U+001B⟩[0m ⟨U+202E⟩evil").waitFor();
    await popover.press("j");
    await until("Line 41: export const splitRefund");
    await popover.press("ArrowDown", "j");
    await until("Line 43 removed:   return parts(total, refund.currency);");
    // The words that differ are marked.
    expect(await page.locator("mark").allTextContents()).toContain("round(");
    await popover.press("n", "n");
    await until("docs/refunds.md");
    await popover.press("n");
    await until("ledger.csv");
    // Of 5,000 lines only those in view are drawn.
    await popover.press(" ", "j");
    await until("Line 41 added: 0,EUR,0");
    await popover.press("PageDown");
    await until("Line 61 added: 20,EUR,60");
    expect(await page.locator("[data-diff-row]").count()).toBeLessThan(120);
    await popover.press("f");
    await until("ledger.csv");
    expect(await page.locator("[data-diff-row]").count()).toBe(6);
    await popover.press("Escape");
    await vi.waitFor(async () => expect(await page.getByRole("dialog").count()).toBe(0), WAIT);
    await until("Split the refund");
  });

  it("is commented, and the comments are sent as the message that is shown", async () => {
    await open();
    const { page, popover } = shown;
    await popover.press("j", "j", "j", "j", "c");
    await page.getByLabel("Comment on src/refunds/splitRefund.ts, line 42").waitFor();
    await page.keyboard.type("Is this rounded twice now?");
    // What is typed on after Enter sends nothing.
    await popover.press("Enter", "s");
    const message = page.getByLabel("Message", { exact: true });
    await message.waitFor();
    expect(automation.items).toEqual([]);
    // Esc in the box closes the box alone, and keeps the words.
    await popover.press("j", "c");
    await page.keyboard.type("Shorter.");
    await popover.press("Escape", "c");
    expect(await page.getByLabel(/^Comment on/).inputValue()).toBe("Shorter.");
    await popover.press("Escape");
    // Comments are there again, in another page too.
    await popover.press("Escape");
    await vi.waitFor(async () => expect(await page.getByRole("dialog").count()).toBe(0), WAIT);
    await page.reload();
    await popover.row("Split the refund").focus();
    await open();
    const text = await message.textContent();
    expect(text).toBe(
      "About your changes:\n\nIn src/refunds/splitRefund.ts, line 42:\n>   const total = round(refund.amount, refund.currency);\nIs this rounded twice now?",
    );
    automation.failures.set("send", new AgtmuxError("E_USAGE", "the text holds a secret"));
    await popover.press("s");
    await page.getByText("Refused. The text holds a secret.").first().waitFor();
    expect(await message.textContent()).toBe(text);
    await popover.press("s");
    await page.getByText("Scheduled.").first().waitFor();
    await vi.waitFor(async () => expect(await message.count()).toBe(0), WAIT);
    expect(automation.items).toMatchObject([{ text, runtime_id: expect.any(String) }]);
  });
});

describe.each([
  [420, 600, "changes"],
  [420, 900, "changes-tall"],
  [1280, 800, "changes-wide"],
])("at %i × %i", (width, height, name) => {
  it("nothing is wrong with it", async () => {
    await show({ width, height });
    await open();
    const { page, popover } = shown;
    await popover.press("j", "j", "j", "j", "c");
    await page.keyboard.type("Is this rounded twice now?");
    await popover.press("Enter");
    await page.getByLabel("Message", { exact: true }).waitFor();
    await expectSound(shown);
    expect(await cutRows()).toEqual([]);
    await recordLook(page, { name, isPictured: name === "changes" });
    // Its comments are remembered by this window.
    await page.evaluate(() => localStorage.removeItem("agtmux.comments"));
  });
});
