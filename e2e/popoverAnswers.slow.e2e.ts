// Answering cards by the keyboard: how few keys it takes, and that no key answers a card that nobody read.
import { describe, expect, it, vi } from "vitest";
import type { PaneView } from "../core/model/view.ts";
import { makePane } from "../test/factories/view.ts";
import type { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import type { PopoverPage } from "./pages/popover.ts";
import { editScene, makeRequest, YES_OR_NO } from "./scenes/workScene.ts";

const popovers = usePopovers();
const NOW = Date.now();

const waitOf = (number: number, ageMs = number * 1_000, command = `make task-${number}`): PaneView =>
  makePane({
    pane: number,
    session: "asks",
    window: number,
    windowName: `task-${number}`,
    state: "waiting_approval",
    since: NOW - 60_000 + ageMs,
    fingerprint: `fp-${number}-${command}`,
    request: makeRequest("command", command, YES_OR_NO),
  });
const atWork = ({ identity, window_index, window_name }: PaneView): PaneView => ({
  ...makePane({ session: "asks", window: window_index, windowName: window_name, state: "running" }),
  identity,
});

const start = async (panes: readonly PaneView[], size = { width: 440, height: 640 }) => {
  const started = await popovers.start(panes, { viewport: size });
  await started.popover.items.first().waitFor();
  return started;
};
const answered = (daemon: FakeDaemon): unknown[] => daemon.asked.map(({ input }) => input["ref"]);
const arrived = (daemon: FakeDaemon, count: number) =>
  vi.waitFor(() => expect(daemon.asked).toHaveLength(count), WAIT);
/** An agent goes on once it was answered. */
const goOn = (daemon: FakeDaemon, panes: readonly PaneView[]) => {
  const [last] = answered(daemon).slice(-1);
  const pane = panes.find(({ identity }) => identity.pane_ref === last);
  if (pane !== undefined) daemon.put(atWork(pane));
};
const footer = (popover: PopoverPage) => popover.page.getByText("Scroll the whole request into view first");

describe("from a new wait to its answer", () => {
  it("takes one key where nothing was selected", async () => {
    const { daemon, popover } = await start([atWork(waitOf(1))]);
    daemon.put(waitOf(1));
    await popover.card("task-1").waitFor();
    await popover.readAndPress("a");
    await arrived(daemon, 1);
  });

  it("takes two keys from wherever the person is", async () => {
    const { daemon, popover } = await start([atWork(waitOf(1)), atWork(waitOf(2)), atWork(waitOf(3))]);
    await popover.row("task-3").focus();
    daemon.put(waitOf(1));
    await popover.card("task-1").waitFor();
    await popover.press("n");
    await popover.readAndPress("a");
    await arrived(daemon, 1);
    expect(answered(daemon)).toEqual([waitOf(1).identity.pane_ref]);
  });

  it("takes three for an edit that has to be unfolded", async () => {
    const { daemon, popover } = await start(editScene(NOW, 14));
    await popover.card("post").getByText("Show all 14 lines").waitFor();
    const shown = await popover.card("post").getByLabel("Start of what it writes").textContent();
    expect(shown?.trimEnd().split("\n")).toHaveLength(6);
    await popover.readAndPress("a");
    await popover.page.getByRole("alert").waitFor();
    expect(daemon.asked).toEqual([]);
    await popover.press("ArrowRight");
    await popover.readAndPress("a");
    await arrived(daemon, 1);
  });

  it("takes one more for an edit that is higher than the window", async () => {
    const { daemon, popover } = await start(editScene(NOW, 40));
    await popover.card("post").getByText("Show all 40 lines").waitFor();
    await popover.press("ArrowRight");
    await popover.readAndPress("ArrowRight");
    await popover.readAndPress("a");
    await arrived(daemon, 1);
  });
});

it("ten waits take ten answers and no other key", async () => {
  const panes = Array.from({ length: 10 }, (_, index) => waitOf(index + 1));
  const { daemon, popover } = await start(panes);
  await popover.card("task-1").first().waitFor();
  for (let turn = 1; turn <= 10; turn += 1) {
    await popover.readAndPress("a");
    await arrived(daemon, turn);
    goOn(daemon, panes);
    await vi.waitFor(
      async () => expect(await popover.total("needs you").count()).toBe(turn === 9 ? 1 : 0),
      WAIT,
    );
    await vi.waitFor(
      async () =>
        expect(await popover.totals.first().textContent()).toContain(
          turn === 10 ? "10 working" : `${10 - turn} need`,
        ),
      WAIT,
    );
  }
  expect(new Set(answered(daemon)).size).toBe(10);
});

describe("a key that nobody meant for the card", () => {
  it("twenty presses in 200 ms answer one wait", async () => {
    const panes = [1, 2, 3, 4].map((number) => waitOf(number));
    const { daemon, popover, page } = await start(panes);
    await popover.read();
    // From within the page, which alone presses so fast for sure; the agent goes on at once.
    const pressed = page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          let presses = 0;
          const timer = setInterval(() => {
            window.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
            presses += 1;
            if (presses < 20) return;
            clearInterval(timer);
            resolve();
          }, 10);
        }),
    );
    await arrived(daemon, 1);
    goOn(daemon, panes);
    await pressed;
    await popover.read();
    expect(daemon.asked).toHaveLength(1);
    await popover.press("a");
    await arrived(daemon, 2);
  });

  it("a key that is held down answers one wait", async () => {
    const panes = [1, 2, 3].map((number) => waitOf(number));
    const { daemon, popover, page } = await start(panes);
    await popover.read();
    for (let press = 0; press < 60; press += 1) await page.keyboard.down("a");
    await popover.read();
    await page.keyboard.down("a");
    await page.keyboard.up("a");
    expect(daemon.asked).toHaveLength(1);
  });

  it("in the frame in which a card comes answers nothing, nor 200 ms later", async () => {
    const { daemon, popover, page } = await start([atWork(waitOf(1))]);
    await page.evaluate(() => {
      const press = () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
      new MutationObserver((_records, observer) => {
        if (document.querySelector("[data-card=true]") === null) return;
        observer.disconnect();
        press();
        requestAnimationFrame(press);
        setTimeout(press, 200);
      }).observe(document.body, { subtree: true, childList: true });
    });
    daemon.put(waitOf(1));
    await popover.card("task-1").waitFor();
    await footer(popover).waitFor();
    await popover.read();
    expect(daemon.asked).toEqual([]);
  });

  it("pressed before the card was drawn counts for nothing, however late it arrives", async () => {
    const { daemon, popover, page } = await start([atWork(waitOf(1))]);
    daemon.put(waitOf(1));
    await popover.card("task-1").waitFor();
    await page.evaluate(() => {
      const event = new KeyboardEvent("keydown", { key: "a", bubbles: true });
      // The key waits in the queue of a busy page.
      return new Promise<void>((resolve) => {
        setTimeout(() => {
          window.dispatchEvent(event);
          resolve();
        }, 900);
      });
    });
    expect(daemon.asked).toEqual([]);
    await popover.readAndPress("a");
    await arrived(daemon, 1);
  });

  it("is never given to a card that took the place of the one that was read", async () => {
    const { daemon, popover, page } = await start([waitOf(1), waitOf(2)]);
    await popover.read();
    // The agent goes on by itself, and the next card moves up under the key.
    await page.evaluate(() => {
      const second = document.querySelectorAll("[data-card=true]")[1];
      new MutationObserver((_records, observer) => {
        if (document.querySelector("[data-card=true]") !== second) return;
        observer.disconnect();
        window.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    daemon.put(atWork(waitOf(1)));
    // The agent that went on is still the selected one.
    await popover.alert.getByText("It isn't asking anything.").waitFor();
    expect(daemon.asked).toEqual([]);
  });

  it("is not given to another command of the same agent", async () => {
    const { daemon, popover } = await start([waitOf(1)]);
    await popover.read();
    daemon.put(waitOf(1, 1_000, "rm -rf build"));
    await popover.card("task-1").getByText("rm -rf build").waitFor();
    await popover.press("a");
    await footer(popover).waitFor();
    expect(daemon.asked).toEqual([]);
    await popover.readAndPress("a");
    await arrived(daemon, 1);
    expect(daemon.asked).toMatchObject([{ input: { guards: { ifPrompt: "fp-1-rm -rf build" } } }]);
  });

  it("is not given to a text whose end was never in view, nor to one that was passed over", async () => {
    const { daemon, popover, page } = await start(editScene(NOW, 60));
    await popover.press("ArrowRight");
    await popover.readAndPress("a");
    await footer(popover).waitFor();
    expect(daemon.asked).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).scrollIntoViewIfNeeded();
    await popover.readAndPress("a");
    await footer(popover).waitFor();
    expect(daemon.asked).toEqual([]);
    await popover.scrollTo(0);
    await popover.readToEnd();
    await popover.press("a");
    await arrived(daemon, 1);
  });

  it("is not given to a card when the window has just got the keyboard", async () => {
    const { daemon, popover, page } = await start([waitOf(1)]);
    await popover.read();
    await page.evaluate(() => {
      window.dispatchEvent(new Event("focus"));
      window.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
    });
    await footer(popover).waitFor();
    expect(daemon.asked).toEqual([]);
  });
});

describe("the selection", () => {
  it("goes to the next card with an answer, and n goes through those that wait", async () => {
    const { daemon, popover } = await start([1, 2, 3].map((number) => waitOf(number)));
    const selected = () =>
      popover.page.locator("[data-card=true][data-selected=true]").getAttribute("aria-label");
    await popover.readAndPress("d");
    await arrived(daemon, 1);
    await vi.waitFor(async () => expect(await selected()).toContain("task-2"), WAIT);
    await popover.press("n");
    await vi.waitFor(async () => expect(await selected()).toContain("task-3"), WAIT);
    await popover.press("n");
    await vi.waitFor(async () => expect(await selected()).toContain("task-1"), WAIT);
  });

  it("follows an answer by the mouse without moving anything below the pointer", async () => {
    const { daemon, popover } = await start([1, 2, 3].map((number) => waitOf(number)));
    await popover.read();
    const button = popover.answer("task-1", "Approve");
    const before = await button.boundingBox();
    await button.click();
    await arrived(daemon, 1);
    await popover.read();
    expect(await button.boundingBox()).toEqual(before);
    expect(
      await popover.page.locator("[data-card=true][data-selected=true]").getAttribute("aria-label"),
    ).toContain("task-2");
  });
});
