// The popover's actions on real panes: real tmux, a real daemon, programs that show recorded dialogs or record typed text, and
// Chromium through the browser bridge.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openAgent } from "../test/actions/agentPane.ts";
import { openDialogs, type DialogPane } from "../test/actions/dialogPane.ts";
import { CLAUDE, CLAUDE_OTHER, CODEX_QUESTION, YES } from "../test/actions/dialogs.ts";
import { openHarness, type Harness } from "../test/actions/actionHarness.ts";
import { shareStage } from "./launchers/popovers.ts";

const WAIT = { timeout: 20_000, interval: 50 };

const stage = shareStage();
let scene: Harness;
beforeEach(async () => {
  scene = await openHarness();
});
afterEach(() => scene.close());

/** The popover with the row of a pane, selected; the window is given a name to find it by. */
const look = async (paneId: string, name: string) => {
  await scene.tmux.run("rename-window", "-t", paneId, name);
  const launched = await stage.show({ daemon: scene.service });
  await launched.popover.row(name).waitFor();
  await launched.popover.row(name).focus();
  return launched;
};
const chosen = (pane: DialogPane, expected: readonly [string, string][]) =>
  vi.waitFor(() => expect(pane.chosen()).toEqual(expected), WAIT);

it.each([
  ["a", YES],
  ["d", "No"],
])("answers a permission dialog with the key %s, and the wait is over", async (key, label) => {
  const pane = await openDialogs(scene, "claude", [CLAUDE]);
  const { popover } = await look(pane.paneId, "asking");
  await popover.action("Approve").waitFor();
  await popover.readAndPress(key);
  await popover.status.getByText("Delivered.").waitFor();
  await chosen(pane, [["waiting_approval", label]]);
  await popover.action("Approve").waitFor({ state: "detached" });
});

it("refuses to answer a prompt that was replaced on its way, and presses nothing in the new one", async () => {
  const pane = await openDialogs(scene, "claude", [CLAUDE, CLAUDE_OTHER]);
  const { popover, page } = await look(pane.paneId, "asking");
  await page.route("**/trpc/answer", async (route) => {
    await pane.skip();
    await scene.daemon.until(pane.paneId, ({ request }) => JSON.stringify(request).includes("rm -rf build"));
    await route.continue();
  });
  await popover.action("Approve").waitFor();
  await popover.readAndPress("a");
  await popover.alert.waitFor();
  expect(await popover.alert.textContent()).toMatch(/^Refused\. .*Check the pane, then try again\.$/);
  await popover.card("asking").getByText("rm -rf build").first().waitFor();
  expect(pane.chosen()).toEqual([]);
});

it("chooses an option of a question", async () => {
  const pane = await openDialogs(scene, "codex", [CODEX_QUESTION]);
  const { popover } = await look(pane.paneId, "asking");
  await popover.read();
  await popover.option("Blue").click();
  await popover.status.getByText("Delivered.").waitFor();
  await chosen(pane, [["waiting_input_question", "Blue"]]);
});

it("sends a reply of several lines, shows the screen, and kills after asking", async () => {
  const agent = await openAgent(scene);
  const { popover, page } = await look(agent.paneId, "resting");
  await popover.press("r");
  await popover.replyBox.waitFor();
  await page.keyboard.type("first 'line'; $(x)");
  await popover.press("Shift+Enter");
  await page.keyboard.type("second");
  await popover.press("Enter");
  await popover.status.getByText("Delivered.").waitFor();
  expect(agent.received()).toEqual(["first 'line'; $(x)\nsecond"]);
  await popover.press("Escape");
  await popover.screen.waitFor();
  const pid = await scene.tmux.run("display-message", "-p", "-t", agent.paneId, "#{pane_pid}");
  await popover.press("x");
  await popover.dialog.getByText(`process ${pid} `).waitFor();
  await popover.dialog.getByRole("radio", { name: /^TERM/ }).check();
  await popover.dialog.getByRole("button", { name: "Send TERM" }).click();
  await scene.daemon.untilGone(agent.paneId);
  await popover.row("resting").waitFor({ state: "detached" });
});
