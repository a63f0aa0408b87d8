// What a red team tried on cards: to have one answered that nobody could have read, and to lock one that was read.
import type { Page } from "playwright";
import { expect, it, vi } from "vitest";
import type { PaneView } from "../core/model/view.ts";
import { makePane } from "../test/factories/view.ts";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { atWork, tenWaits, waitOf } from "./pages/cardRuns.ts";
import { mixedTargets } from "./scenes/scenes.ts";
import { makeRequest, YES_OR_NO } from "./scenes/workScene.ts";

const popovers = usePopovers();
/** Longer than anybody needs to read a card. */
const READ_MS = 800;
/** An answer that went through has reached the daemon by then. */
const SENT_MS = 250;

const start = async (panes: PaneView[], height: number, more: { hasOwnPage?: boolean } = {}) => {
  const started = await popovers.start(panes, { viewport: { width: 420, height }, ...more });
  await started.popover.items.first().waitFor();
  await started.page.waitForTimeout(READ_MS);
  return started;
};

let asks = 0;
const askOf = (number: number, lines: number): PaneView => {
  asks += 1;
  const body = Array.from({ length: lines }, (_, line) => `make ${asks}-${line}`).join("\n");
  return makePane({
    pane: number,
    session: "asks",
    window: number,
    windowName: `task-${number}`,
    since: Date.now() - 60_000 + number,
    fingerprint: `fp-attack-${asks}`,
    state: "waiting_approval",
    request: makeRequest("command", body, YES_OR_NO),
  });
};

/** Where the selected card stands, in CSS pixels of the window. */
const placeOf = (page: Page): Promise<{ head: number; end: number; top: number; bottom: number }> =>
  page.evaluate(() => {
    const boxOf = (selector: string): DOMRect => {
      const found = document.querySelector(selector);
      if (found === null) throw new Error(`there is no ${selector}`);
      return found.getBoundingClientRect();
    };
    const list = boxOf("[data-list]");
    return {
      head: boxOf("[data-card=true][data-selected=true] [data-ref]").top,
      end: boxOf("[data-card=true][data-selected=true] [data-asked]").bottom,
      top: list.top,
      bottom: Math.min(list.bottom, innerHeight),
    };
  });

it("a card that lay below a dialog was not read", async () => {
  const { daemon, page } = await start(tenWaits(3), 420);
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  daemon.put(waitOf(0, 2, 90_000));
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toEqual([]);
});

it("a click counts by when it was made, however late a busy page takes it", async () => {
  const { daemon, popover, page } = await start(tenWaits(1), 420);
  const button = popover.answer("task-0", "Approve");
  await page.evaluate(() =>
    window.addEventListener(
      "pointerdown",
      ({ timeStamp }) => Object.assign(window, { clickedAt: timeStamp }),
      true,
    ),
  );
  // A click that is made later than half a second after the change may count: then another change has to show it.
  let shownMs = Infinity;
  for (let change = 0; shownMs > 400 && change < 10; change += 1) {
    await button.hover();
    const before = await page.evaluate(() => performance.now());
    for (const pane of tenWaits(1)) daemon.put({ ...pane, prompt_fingerprint: `fp-changed-${change}` });
    await page.locator(`[data-asked=fp-changed-${change}]`).waitFor();
    const asked = daemon.asked.length;
    await button.hover({ position: { x: 3, y: 3 } });
    await page.evaluate(() => {
      setTimeout(() => {
        const end = performance.now() + 900;
        while (performance.now() < end);
      }, 20);
    });
    await page.waitForTimeout(60);
    await Promise.all([page.mouse.down(), page.mouse.up()]);
    await page.waitForTimeout(SENT_MS);
    shownMs = Number(await page.evaluate(() => Reflect.get(window, "clickedAt"))) - before;
    if (shownMs <= 400) expect(daemon.asked.length).toBe(asked);
  }
  expect(shownMs).toBeLessThanOrEqual(400);
});

it("what lay in a hidden window was not read, however long", async () => {
  const { daemon, page } = await start([askOf(0, 11)], 260, { hasOwnPage: true });
  await page.evaluate(() => {
    let state = "visible";
    Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
    window.addEventListener("attack", () => {
      state = state === "visible" ? "hidden" : "visible";
      document.dispatchEvent(new Event("visibilitychange"));
    });
  });
  const turn = () => page.evaluate(() => void window.dispatchEvent(new Event("attack")));
  daemon.put(askOf(0, 11));
  await page.waitForTimeout(150);
  await turn();
  await page.waitForTimeout(READ_MS);
  await page.evaluate(() => document.querySelector("[data-list]")?.scrollBy({ top: 4_000 }));
  await turn();
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("a");
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toEqual([]);
});

it("what two fingers enlarged out of the window was not read", async () => {
  const { daemon, page } = await start(tenWaits(3), 420, { hasOwnPage: true });
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setPageScaleFactor", { pageScaleFactor: 3 });
  daemon.put(waitOf(0, 2, 90_000));
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("a");
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toEqual([]);
});

it("a pointer that rests answers nothing that a key brought below it", async () => {
  const { daemon, popover, page } = await start(
    [0, 1, 2].map((number) => waitOf(number, 0, (20 - number) * 1_000)),
    600,
  );
  await popover.answer("task-0", "Approve").hover();
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("a");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
  daemon.put(atWork(0));
  await page.waitForTimeout(READ_MS);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForTimeout(SENT_MS);
  expect(daemon.asked).toHaveLength(1);
});

it("a held Enter on a button answers one request", async () => {
  const { daemon, popover, page } = await start([waitOf(0, 0, 90_000)], 420);
  await popover.answer("task-0", "Approve").focus();
  await page.waitForTimeout(READ_MS);
  await page.keyboard.down("Enter");
  daemon.put(waitOf(0, 0, 90_000));
  for (let repeat = 0; repeat < 30; repeat += 1) {
    await page.keyboard.down("Enter");
    await page.waitForTimeout(33);
  }
  await page.keyboard.up("Enter");
  expect(daemon.asked.length).toBeLessThan(2);
});

it.each([
  [260, 6],
  [280, 7],
  [300, 7],
  [320, 8],
])("a notice above the list keeps the selected card in view, %i high", async (height, lines) => {
  const { daemon, page } = await start([askOf(0, lines), askOf(1, lines)], height);
  const expectInView = async (): Promise<void> => {
    const { head, end, top, bottom } = await placeOf(page);
    expect(head).toBeGreaterThanOrEqual(top - 1);
    expect(end).toBeLessThanOrEqual(bottom + 1);
  };
  await expectInView();
  daemon.setTargets(mixedTargets());
  await page.waitForTimeout(READ_MS);
  daemon.put(askOf(5, lines));
  await page.waitForTimeout(SENT_MS);
  await expectInView();
});

it("an early Enter on a button locks nothing", async () => {
  const { daemon, popover, page } = await start(tenWaits(2), 420);
  await popover.answer("task-0", "Approve").focus();
  daemon.put(waitOf(0, 2, 90_000));
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(READ_MS);
  expect(daemon.asked).toEqual([]);
  await page.keyboard.press("a");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
});

it.each([260, 340, 420, 600])("a text answer that failed can be sent again, %i high", async (height) => {
  const question = makePane({
    pane: 0,
    session: "asks",
    windowName: "task-0",
    since: Date.now() - 60_000,
    fingerprint: "fp-question",
    state: "waiting_input",
    request: makeRequest(
      "question",
      "Which rounding?",
      [
        ["a", null],
        ["b", null],
        ["c", null],
      ],
      { text_entry: ["4"] },
    ),
  });
  const { daemon, page, popover } = await start([question], height);
  await page.keyboard.press("r");
  await popover.replyBox.waitFor();
  await page.keyboard.type("half to even, please");
  await page.waitForTimeout(READ_MS);
  daemon.gate.refuse("E_TARGET_UNREACHABLE", "no");
  await page.keyboard.press("Enter");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
  await page.waitForTimeout(READ_MS);
  await page.keyboard.press("Enter");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(2), WAIT);
});
