// What the popover does to panes, on a scripted daemon: every action with its guards, its result, and what is refused.
import { describe, expect, it, vi } from "vitest";
import type { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { WAIT } from "./launchers/popovers.ts";
import { asked, select, useActions } from "./pages/actions.ts";
import { askingScene, mixedScene, SCREEN } from "./scenes/scenes.ts";

const { startMixed, startAsking, startReply, popovers } = useActions();

/** Another prompt takes the place of the one about refunds. */
const putOther = (daemon: FakeDaemon): void => {
  const [refunds] = mixedScene(Date.now());
  if (refunds?.request === null || refunds === undefined) throw new Error("the scene has no request");
  const request = { ...refunds.request, body: "rm -rf build" };
  daemon.put({ ...refunds, prompt_fingerprint: "fp-other", request });
};

describe("answering", () => {
  it("approves a long request only after all of it was shown", async () => {
    const started = await startAsking();
    const { daemon, popover } = started;
    const card = popover.card("long");
    await select(started, "long");
    await card.getByText("Show all 43 lines").waitFor();
    expect(await popover.answer("long", "Approve").count()).toBe(0);
    // Its last line decides.
    const end = card.getByText("git push");
    expect(await end.count()).toBe(0);
    await popover.press("a");
    await popover.alert.getByText("Not shown in full; show all of it first.").waitFor();
    await popover.press("Escape");
    await popover.press("w");
    await end.waitFor();
    const isCut = () => end.evaluate((box) => box.scrollHeight > box.clientHeight + 1);
    expect(await isCut()).toBe(false);
    await popover.readToEnd();
    await popover.press("a");
    await asked(daemon, 1);
    expect(daemon.asked).toMatchObject([
      { action: "answer", input: { choice: { kind: "approve" }, guards: { ifPrompt: "fp-long" } } },
    ]);
  });

  it("denies, and chooses options by key and by button", async () => {
    const started = await startMixed();
    const { daemon, popover } = started;
    for (const key of ["d", "2", "3"]) {
      await select(started, "refunds");
      await popover.readAndPress(key);
      await popover.status.getByText("Delivered.").waitFor();
      await select(started, "refunds");
      await popover.press("Escape");
      await popover.status.getByText("Delivered.").waitFor({ state: "detached" });
    }
    await popover.read();
    await popover.option("Yes, and don't ask again").click();
    expect((await asked(daemon, 4)).map(({ input }) => input["choice"])).toEqual([
      { kind: "deny" },
      { kind: "option", number: 2 },
      { kind: "option", number: 3 },
      { kind: "option", number: 2 },
    ]);
    // What "Approve" and "Deny" say is not said twice.
    expect(await popover.option("No, and tell").count()).toBe(0);
  });

  it("answers a prompt of several lines, all of which the card shows", async () => {
    const started = await startAsking();
    const { daemon, popover } = started;
    await select(started, "diff");
    await popover.card("diff").getByText("account.isFrozen) return 0").waitFor();
    await popover.card("diff").getByText("+2 −1 in 1 place").waitFor();
    await popover.readAndPress("a");
    await asked(daemon, 1);
  });

  it("does not give an answer to a prompt that replaced the one that was read", async () => {
    const started = await startMixed();
    const { daemon, page, popover } = started;
    await select(started, "refunds");
    await popover.read();
    // The key is pressed in the very frame that shows the other prompt.
    await page.evaluate(() => {
      new MutationObserver((_records, observer) => {
        if (!document.body.textContent.includes("rm -rf")) return;
        observer.disconnect();
        window.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    putOther(daemon);
    await page.getByText("Scroll the whole request into view first").waitFor();
    expect(daemon.asked).toEqual([]);
  });

  it("does not give a click to a prompt that replaced the one below the pointer", async () => {
    const started = await startMixed();
    const { daemon, page, popover } = started;
    await popover.answer("refunds", "Approve").waitFor();
    await popover.read();
    await page.evaluate(() => {
      new MutationObserver((_records, observer) => {
        if (!document.body.textContent.includes("rm -rf")) return;
        observer.disconnect();
        const card = [...document.querySelectorAll("[data-card=true]")].find((one) =>
          one.textContent.includes("rm -rf"),
        );
        card?.querySelector<HTMLElement>("[aria-label=Answers] button")?.click();
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    putOther(daemon);
    await popover.alert.getByText("It appeared or moved just now").waitFor();
    expect(daemon.asked).toEqual([]);
  });

  it("offers no buttons that do nothing, and says why", async () => {
    const started = await startAsking();
    const { daemon, popover } = started;
    await select(started, "unread");
    const card = popover.card("unread");
    await card.getByText("Approve, Deny: can't tell which option does only that").waitFor();
    expect(await popover.answer("unread", "Approve").count()).toBe(0);
    expect(await card.getByRole("list", { name: "Options" }).getByRole("button").count()).toBe(0);
    await popover.press("a");
    await popover.alert.getByText("Can't tell which option does only that").waitFor();
    expect(daemon.asked).toEqual([]);
  });

  it("ticks several options and sends them together", async () => {
    const { daemon, popover } = await popovers.start([
      makePane({
        state: "waiting_input",
        windowName: "sizes",
        fingerprint: "fp-sizes",
        request: {
          kind: "question",
          title: "Which sizes?",
          body: "Which sizes?",
          is_whole: true,
          tool_name: null,
          options: [
            { label: "Small", keys: null, toggle: "1", ticked: false },
            { label: "Large", keys: null, toggle: "2", ticked: false },
            { label: "Type something.", keys: null },
          ],
          submit: ["Down", "Down", "Down", "Enter"],
          pages: { number: 2, names: ["Colour", "Sizes"] },
          expires_at: null,
        },
      }),
    ]);
    const card = popover.card("sizes");
    await card.getByText("Question 2 of 2 · Sizes").waitFor();
    await popover.row("sizes").focus();
    await popover.readAndPress("2");
    await card.getByRole("button", { name: "Large", pressed: true }).waitFor();
    await card.getByRole("button", { name: "Small", pressed: false }).click();
    await card.getByRole("button", { name: "Small", pressed: true }).waitFor();
    expect(daemon.asked).toEqual([]);
    await popover.row("sizes").focus();
    await popover.readAndPress("0");
    await asked(daemon, 1);
    expect(daemon.asked).toMatchObject([
      { input: { choice: { kind: "options", numbers: [1, 2] }, guards: { ifPrompt: "fp-sizes" } } },
    ]);
  });

  it("answers a question with a text, and counts down the agent's own time-out", async () => {
    const { daemon, popover, page } = await startAsking();
    await popover.row("question").focus();
    await popover
      .card("question")
      .getByText(/The agent continues without an answer in \d+m/)
      .waitFor();
    await popover.press("r");
    await popover.replyBox.waitFor();
    await page.keyboard.type("None of these");
    await popover.readAndPress("Enter");
    const [answer] = await asked(daemon, 1);
    expect(answer).toMatchObject({
      action: "answer",
      input: { choice: { kind: "text", text: "None of these" }, guards: { ifPrompt: "fp-question" } },
    });
  });
});

describe("the quick reply", () => {
  it("keeps the draft over Esc and over a new page, and marks its row", async () => {
    const { popover, page } = await startReply();
    await page.keyboard.type("not yet");
    await popover.press("Escape");
    await popover.replyBox.waitFor({ state: "detached" });
    await vi.waitFor(async () => expect(await popover.focusedName()).toContain("docs"), WAIT);
    await page.reload();
    await popover.row("docs").getByText("draft").waitFor();
    await popover.row("docs").focus();
    await popover.press("r");
    await vi.waitFor(async () => expect(await popover.replyBox.inputValue()).toBe("not yet"), WAIT);
  });

  it.each([
    ["not_delivered", "The text is still in the input box", "Not delivered."],
    ["unverified", "The text was not seen on the screen", "Not verified."],
  ] as const)("keeps a text that came to %s, under the same name", async (outcome, detail, words) => {
    const { daemon, popover, page } = await startReply();
    daemon.gate.settleWith(outcome, detail);
    await page.keyboard.type("hello");
    await popover.press("Enter");
    await popover.status.getByText(`${words} ${detail}.`).waitFor();
    expect(await popover.replyBox.inputValue()).toBe("hello");
    await popover.press("Enter");
    const [first, second] = await asked(daemon, 2);
    expect(first?.input["idempotencyKey"]).toBe(second?.input["idempotencyKey"]);
  });

  it("keeps a text that was refused, with the reason", async () => {
    const { daemon, popover, page } = await startReply();
    daemon.gate.refuse("E_PROMPT_OPEN", "nothing was sent to %14: its agent waits for an answer");
    await page.keyboard.type("hello");
    await popover.press("Enter");
    await popover.alert.getByText("Nothing was sent to %14: its agent waits for an answer.").waitFor();
    expect(await popover.replyBox.inputValue()).toBe("hello");
  });

  it("does not send a message into a dialog that opened while it was written", async () => {
    const { daemon, popover, page } = await startReply();
    await page.keyboard.type("hello");
    const docs = mixedScene(Date.now()).find((pane) => pane.window_name === "docs");
    const [diff] = askingScene(Date.now());
    if (docs === undefined || diff === undefined) throw new Error("the scenes have changed");
    const { state, reason_code, needs_action, request, prompt_fingerprint } = diff;
    daemon.put({ ...docs, state, reason_code, needs_action, request, prompt_fingerprint });
    await popover.alert.getByText("The agent is now asking something else.").waitFor();
    await popover.press("Enter");
    await popover.press("Escape");
    await popover.replyBox.waitFor({ state: "detached" });
    expect(daemon.asked).toEqual([]);
  });
});

describe("stopping", () => {
  it("says that there is nothing to interrupt", async () => {
    const started = await startMixed();
    await select(started, "docs");
    await started.popover.press("i");
    await started.popover.alert.getByText("No turn is running.").waitFor();
    expect(started.daemon.asked).toEqual([]);
  });
});

describe("the output", () => {
  it("is live while it is shown, follows its end, and is not read otherwise", async () => {
    const started = await startMixed();
    const { daemon, popover } = started;
    const [, , ledger] = mixedScene(Date.now());
    const ref = ledger?.identity.pane_ref ?? "";
    daemon.outputs.set(ref, { screen: SCREEN });
    await select(started, "ledger");
    await popover.press("o");
    await popover.screen.getByText("Moulding").waitFor();
    const isInView = () =>
      popover.screen.evaluate((box) => box.getBoundingClientRect().bottom <= window.innerHeight);
    await vi.waitFor(async () => expect(await isInView()).toBe(true), WAIT);
    const isAtEnd = () =>
      popover.screen.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2);
    expect(await isAtEnd()).toBe(true);
    daemon.outputs.set(ref, { screen: [...SCREEN, "\u001b[31mnewer <b>line</b>\u0007"] });
    const newer = popover.screen.getByText("newer <b>line</b>⟨U+0007⟩");
    await newer.waitFor();
    expect(await newer.getAttribute("data-ink")).toBe("red");
    // Long lines are wrapped.
    expect(await popover.screen.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(await isAtEnd()).toBe(true);
    await popover.detail.getByRole("button", { name: "Transcript" }).click();
    await popover.detail.getByText("> from the transcript").waitFor();
    await popover.press("o");
    await popover.detail.getByText("> from the transcript").waitFor({ state: "detached" });
    const reads = daemon.outputRequests.length;
    await started.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_800)));
    expect(daemon.outputRequests).toHaveLength(reads);
  });

  it("says when it cannot be read", async () => {
    const started = await startMixed();
    await select(started, "docs");
    await started.popover.press("o");
    await started.popover.detail.getByText("Can't be read. The screen of").waitFor();
  });
});

it("offers nothing on a target that is down, and nothing while the daemon is gone", async () => {
  const started = await startMixed();
  const { daemon, popover } = started;
  await popover.row("storefront").click();
  await popover.action("Interrupt").waitFor();
  daemon.setTargets([makeTarget({ health: "down", health_reason: "no answer" })]);
  await popover.missing.getByText("host is unreachable.").waitFor();
  expect(await popover.actions.getByRole("button").count()).toBe(0);
  daemon.setTargets([makeTarget()]);
  await popover.action("Interrupt").waitFor();
  daemon.goDown();
  await popover.missing.getByText("the daemon isn't connected.").waitFor();
});

it("forgets what was done to a pane that is gone", async () => {
  const started = await startMixed();
  const { daemon, popover } = started;
  const pane = makePane({ pane: 22, session: "web", window: 2, windowName: "e2e", state: "idle" });
  daemon.gate.settleWith("unverified", "nobody knows");
  await select(started, "e2e");
  await popover.press("x");
  await popover.dialog.getByRole("button", { name: "Send INT" }).click();
  await popover.status.getByText("Not verified.").waitFor();
  daemon.remove(pane.identity.pane_ref);
  await popover.row("e2e").waitFor({ state: "detached" });
  daemon.put(pane);
  await popover.scrollTo(1e6);
  await popover.row("e2e").waitFor();
  expect(await popover.status.getByText("Not verified.").count()).toBe(0);
});
