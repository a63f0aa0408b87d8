// The popover of the desktop app with a person's hands, on the stand-in: real daemon, real tmux, and a program that shows an
// agent's recorded dialogs and takes its keys.
import { expect, it } from "vitest";
import { dialogOf } from "../../test/actions/dialogPane.ts";
import { PopoverPage } from "../pages/popover.ts";
import { DONE, permission, takeDesktop } from "./desktopHarness.ts";

const FIRST = permission();
const SECOND = permission("rm -rf build", "second");
const THIRD = permission("make deploy", "third");
const QUESTION = dialogOf("recordings/claude/waiting_input_question", {
  options: ["Red", "Blue", "Type something.", "Chat about this"],
  digits: "too",
});
const LIMIT_MS = 30_000;
/** Longer than it takes to draw the next prompt. */
const HELD_MS = 3_000;

const desk = takeDesktop();

/** The popover, open. */
const open = async () => {
  const app = await desk.scene.launch();
  app.page.setDefaultTimeout(LIMIT_MS);
  app.tray.click();
  await app.until(() => app.isVisible(), "the popover opens");
  return { app, popover: new PopoverPage(app.page) };
};

it("is glanced at, filtered, answered by keys and attached from", async () => {
  const agent = await desk.scene.playDialogs("base:", [FIRST, SECOND, THIRD], DONE);
  await desk.scene.tmux.run("rename-window", "-t", agent.paneId, "asking");
  const { app, popover } = await open();
  const chosen = (expected: readonly [string, string][]) =>
    expect.poll(() => agent.chosen(), { timeout: LIMIT_MS }).toEqual(expected);

  await popover.card("asking").getByText("touch approved.txt").waitFor();
  await popover.press("/");
  await app.page.keyboard.type("nothing like it");
  await app.page.getByText("Nothing matches").waitFor();
  await popover.press("Escape");
  await popover.row("asking").focus();
  await popover.press("Space");
  await popover.action("Approve").waitFor();
  await popover.readAndPress("a");
  await chosen([["waiting_approval", "Yes"]]);

  await popover.card("asking").getByText("rm -rf build").first().waitFor();
  // The person must have had time to read the prompt: a key at the moment in which it changes is refused.
  // One action of a pane runs at a time: the first answer is first seen to have arrived.
  await popover.status.getByText("Answering…").waitFor({ state: "detached" });
  await popover.readAndPress("d");
  await chosen([
    ["waiting_approval", "Yes"],
    ["second", "No"],
  ]);

  await popover.card("asking").getByText("make deploy").first().waitFor();
  await popover.row("asking").focus();
  await popover.press("Enter");
  await expect.poll(() => desk.scene.terminal()?.join(" "), { timeout: LIMIT_MS }).toContain(agent.paneId);
  expect(desk.scene.terminal()).toContain("attach-session");
});

it("answers a question with an option, refuses what was replaced, and sends a reply", async () => {
  const asking = await desk.scene.playDialogs("base:", [QUESTION, FIRST, SECOND], DONE);
  const resting = await desk.scene.playBox("base:");
  await desk.scene.tmux.run("rename-window", "-t", asking.paneId, "asking");
  await desk.scene.tmux.run("rename-window", "-t", resting.paneId, "resting");
  const { app, popover } = await open();
  const blue: [string, string] = ["waiting_input_question", "Blue"];

  await popover.card("asking").getByText("Which colour").first().waitFor();
  await popover.row("asking").focus();
  await popover.press("Space");
  await popover.read();
  await popover.option("Blue").click();
  await expect.poll(() => asking.chosen(), { timeout: LIMIT_MS }).toEqual([blue]);

  await popover.card("asking").getByText("touch approved.txt").first().waitFor();
  await popover.read();
  // The page hears nothing until it is clicked, and the prompt is replaced meanwhile.
  await popover.action("Approve").evaluate((button, heldMs) => {
    setTimeout(() => {
      const end = performance.now() + heldMs;
      while (performance.now() < end);
      button.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    });
  }, HELD_MS);
  await asking.skip();
  await popover.alert.getByText(/Check the (?:pane|prompt)/).waitFor();
  await popover.card("asking").getByText("rm -rf build").first().waitFor();
  expect(asking.chosen()).toEqual([blue]);

  // After a refusal keys work again once the person has moved.
  await popover.row("resting").click();
  await popover.press("r");
  await popover.replyBox.waitFor();
  await app.page.keyboard.type("first 'line'; $(x)");
  await popover.press("Shift+Enter");
  await app.page.keyboard.type("second");
  await popover.press("Enter");
  await popover.status.getByText("Delivered.").waitFor();
  expect(resting.received()).toEqual(["first 'line'; $(x)\nsecond"]);
});
