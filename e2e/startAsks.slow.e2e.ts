// An agent that asks something as it starts: its card in the dialog of the start. It is that agent's own card, it is answered only
// when it was read as it is, and leaving the dialog answers nothing.
import { expect, it } from "vitest";
import type { PaneView } from "../core/model/view.ts";
import { makePane } from "../test/factories/view.ts";
import { fakeHandOver } from "../test/fakes/fakeHandOver.ts";
import { usePopovers } from "./launchers/popovers.ts";
import { expectSound } from "./looks/openedOnce.ts";
import { recordLook } from "./looks/look.ts";
import { makeRequest, YES_OR_NO } from "./scenes/workScene.ts";

const { start } = usePopovers();
/** Longer than anybody needs to read a card. */
const READ_MS = 800;
/** An answer that went through has reached the daemon by then. */
const SENT_MS = 250;

const asking = (pane: number, body: string, fingerprint: string): PaneView =>
  makePane({
    pane,
    session: "shop",
    windowName: `window-${pane}`,
    state: "waiting_approval",
    since: Date.now(),
    fingerprint,
    request: makeRequest("trust", body, YES_OR_NO),
  });

const open = async (mine: PaneView, others: readonly PaneView[] = []) => {
  const { features } = fakeHandOver("", {
    pane_ref: mine.identity.pane_ref,
    runtime_id: mine.identity.runtime_id,
    asks: "Do you trust this folder?",
    prompt: "waiting",
  });
  const started = await start([mine, ...others], { features });
  const { page } = started;
  await page.getByRole("button", { name: "Start an agent" }).waitFor();
  await page.locator("body").press("+");
  const form = page.getByRole("dialog", { name: "Start an agent" });
  await form.getByLabel("Folder").fill("/home/ann/src/shop");
  await form.getByLabel(/^Task/).press("Control+Enter");
  const dialog = page.locator("dialog[open]");
  return { ...started, dialog };
};

it("shows its card, which keys and buttons answer once it was read, and then how it goes on", async () => {
  const mine = asking(1, "/home/ann/src/shop", "fp-1");
  const { daemon, page, dialog, ...started } = await open(mine, [asking(2, "/home/ann/other", "fp-2")]);
  await dialog.getByText("asks first").waitFor();
  await dialog.getByText("The task is sent once the agent is ready.").waitFor();
  expect(await dialog.locator("[data-asked]").allTextContents()).toEqual([
    expect.stringContaining("/home/ann/src/shop"),
  ]);
  await expectSound({ page, ...started });
  await recordLook(page, { name: "startAsks", isPictured: false });
  // Nobody can have read it yet.
  daemon.put({ ...mine, prompt_fingerprint: "fp-3", request: makeRequest("trust", "/etc", YES_OR_NO) });
  await dialog.getByText("/etc").waitFor();
  await page.keyboard.press("a");
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toEqual([]);
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("a");
  await expect
    .poll(() => daemon.asked)
    .toMatchObject([
      { action: "answer", input: { ref: mine.identity.pane_ref, guards: { ifPrompt: "fp-3" } } },
    ]);
  daemon.put({ ...mine, state: "running", needs_action: false, request: null, prompt_fingerprint: null });
  await page.getByRole("dialog", { name: "Started" }).waitFor();
});

it("answers nothing when it is left, nor with what is typed at once", async () => {
  const { daemon, page, dialog } = await open(asking(1, "/home/ann/src/shop", "fp-1"));
  await dialog.getByText("asks first").waitFor();
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("a");
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toEqual([]);
});

it("never shows the card of another agent, also in the same pane", async () => {
  const mine = asking(1, "/home/ann/src/shop", "fp-1");
  const { daemon, page, dialog } = await open(mine, [asking(2, "/home/ann/other", "fp-2")]);
  await dialog.getByText("asks first").waitFor();
  daemon.put({ ...mine, identity: { ...mine.identity, runtime_id: "another" } });
  await page.getByRole("dialog", { name: "Started" }).waitFor();
  expect(await dialog.locator("[data-card]").count()).toBe(0);
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("a");
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toEqual([]);
});
