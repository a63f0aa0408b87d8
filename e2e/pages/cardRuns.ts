// Generated runs of a person who answers cards while agents come, ask something else and go on, in windows of every height. After
// each step: an answer that reached the daemon was given to a card that could have been read, and the selected card is in view.
import * as fc from "fast-check";
import { expect, vi } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import type { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import type { BrowserPopover } from "../launchers/browser.ts";
import { editOf, makeRequest, YES_OR_NO } from "../scenes/workScene.ts";
import { watchCards, type SeenCards } from "./cardsSeen.ts";

export const HEIGHTS = [260, 340, 420, 500, 600, 820] as const;

/** How long is waited after a step: from a key in a burst to one that was thought about. */
const PAUSES = [0, 60, 250, 330, 560, 640] as const;

const KEYS = ["a", "a", "a", "d", "e", "ArrowDown", "ArrowUp", "n", "ArrowRight", "1"] as const;

export type Step =
  | { do: "press"; key: string; pause: number }
  | { do: "click"; pause: number }
  | { do: "point"; card: number; pause: number }
  | { do: "wheel"; by: number; pause: number }
  | { do: "arrive" | "change" | "goOn"; pane: number; kind: number; age: number; pause: number }
  | { do: "resize"; height: number; pause: number };

export interface Run {
  panes: readonly number[];
  height: number;
  steps: readonly Step[];
}

const pause = fc.constantFrom(...PAUSES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("press" as const), key: fc.constantFrom(...KEYS), pause }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("arrive" as const, "change" as const, "goOn" as const),
      pane: fc.nat(11),
      kind: fc.nat(6),
      age: fc.nat(40),
      pause,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("resize" as const), height: fc.constantFrom(...HEIGHTS), pause }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("click" as const), pause }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("point" as const), card: fc.nat(3), pause }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("wheel" as const),
      by: fc.integer({ min: -400, max: 400 }),
      pause,
    }),
  },
);

export const runs = (length: number): fc.Arbitrary<Run> =>
  fc.record({
    panes: fc.array(fc.nat(6), { minLength: 3, maxLength: 8 }),
    height: fc.constantFrom(...HEIGHTS),
    steps: fc.array(step, { minLength: length, maxLength: length }),
  });

const NOW = Date.now();
let asks = 0;

/** One that waits: a word, lines, an edit that is folded, a question with options, or an error. */
export const waitOf = (number: number, kind: number, ageMs: number): PaneView => {
  asks += 1;
  const place = { pane: number, session: "asks", window: number, windowName: `task-${number}` };
  const shared = { ...place, since: NOW - 60_000 - ageMs, fingerprint: `fp-${number}-${asks}` };
  if (kind === 6) return makePane({ ...place, since: shared.since, state: "error" });
  if (kind === 5)
    return makePane({
      ...shared,
      state: "waiting_input",
      request: makeRequest(
        "question",
        `Which one, ${asks}?`,
        Array.from({ length: 5 }, (_, index) => [`the way ${index}`, null]),
      ),
    });
  if (kind >= 3)
    return makePane({
      ...shared,
      state: "waiting_approval",
      request: makeRequest("edit", `src/file-${asks}.ts`, YES_OR_NO, {
        content: editOf(kind === 4 ? 30 : 7),
      }),
    });
  const body = Array.from({ length: 1 + kind * 3 }, (_, index) => `make task-${asks} step-${index}`).join(
    "\n",
  );
  return makePane({ ...shared, state: "waiting_approval", request: makeRequest("command", body, YES_OR_NO) });
};
export const atWork = (number: number): PaneView =>
  makePane({ pane: number, session: "asks", window: number, windowName: `task-${number}`, state: "running" });

/** Commands of one line or of four. */
export const tenWaits = (count: number): PaneView[] =>
  Array.from({ length: count }, (_, index) => waitOf(index, index % 2, (20 - index) * 1_000));

export const panesOf = ({ panes }: Run): PaneView[] => [
  ...panes.map((kind, index) => waitOf(index, kind, (20 - index) * 1_000)),
  ...Array.from({ length: 12 - panes.length }, (_, index) => atWork(panes.length + index)),
];

type Started = Pick<BrowserPopover, "page" | "popover"> & { daemon: FakeDaemon };

const drawn = ({ page }: Started): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

const doStep = async (started: Started, one: Step): Promise<void> => {
  const { page, daemon } = started;
  if (one.do === "press") await page.keyboard.press(one.key);
  else if (one.do === "resize") await page.setViewportSize({ width: 420, height: one.height });
  else if (one.do === "wheel") {
    await page.mouse.wheel(0, one.by);
    // It arrives later than keys do.
    await page.waitForTimeout(200);
  } else if (one.do === "click") {
    await page.mouse.down();
    await page.mouse.up();
  } else if (one.do === "point") {
    const buttons = page.locator("[data-card=true] [aria-label=Answers] button");
    const box = one.card < (await buttons.count()) ? await buttons.nth(one.card).boundingBox() : null;
    if (box !== null) await page.mouse.move(box.x + 12, box.y + 10);
  } else if (one.do === "goOn") daemon.put(atWork(one.pane));
  else daemon.put(waitOf(one.pane, one.kind, one.age * 1_000));
};

/** An answer needs a card that could have been read. */
const checkAnswers = async (started: Started, seen: SeenCards, answered: number): Promise<number> => {
  await drawn(started);
  // The call of an answer goes over HTTP.
  await started.page.waitForTimeout(30);
  const given = started.daemon.asked.slice(answered).filter(({ action }) => action !== "openAttach");
  const presses = await seen.presses();
  for (const { action, input } of given) {
    const press = presses.find(({ ref, wasRead }) => ref === input["ref"] && wasRead);
    expect(press, `${action} ${String(input["ref"])} after ${JSON.stringify(presses)}`).toBeDefined();
  }
  return started.daemon.asked.length;
};

/** Agents that were answered go on, or ask the next thing. */
const react = ({ daemon }: Started, answered: number): void => {
  for (const { input } of daemon.asked.slice(answered)) {
    const number = Number(/%(\d+)$/.exec(String(input["ref"]))?.[1]);
    daemon.put(number % 4 === 3 ? waitOf(number, number % 3, 0) : atWork(number));
  }
};

const checkStanding = async (seen: SeenCards, isPaging: boolean): Promise<void> => {
  const standing = await seen.standing();
  if (standing === null) return;
  const isRight = standing.isTaller ? isPaging || standing.isHeadInView : standing.isWhole;
  expect(isRight, `the selected card: ${standing.boxes}`).toBe(true);
};

/** Fails with the first step after which something unread was answered, or the selected card is out of view. */
export const playRun = async (started: Started, { panes, height, steps }: Run): Promise<number> => {
  const { page, daemon } = started;
  await page.setViewportSize({ width: 420, height });
  const seen = await watchCards(page);
  // What was in view before that counts for the popover.
  await page.waitForTimeout(600);
  let answered = 0;
  // Whoever points at the list keeps what is below the pointer; whoever pages in a high card keeps the page.
  let [isPointing, isPaging] = [false, false];
  for (const [index, one] of steps.entries()) {
    if (one.do === "point" || one.do === "wheel" || one.do === "click") isPointing = true;
    if (one.do === "wheel") isPaging = true;
    if (one.do === "press") [isPointing, isPaging] = [false, one.key === "ArrowRight" || isPaging];
    try {
      await doStep(started, one);
      const before = answered;
      answered = await checkAnswers(started, seen, before);
      if (answered > before) isPaging = false;
      react(started, before);
      await page.waitForTimeout(one.pause);
      await drawn(started);
      if (!isPointing) await checkStanding(seen, isPaging);
      if (one.do === "press" && one.key === "ArrowRight" && (await started.popover.detail.count()) > 0)
        await page.keyboard.press("ArrowRight");
    } catch (error) {
      throw new Error(
        `after the last of ${JSON.stringify(steps.slice(0, index + 1))}, begun ${height} high with ${JSON.stringify(panes)}`,
        { cause: error },
      );
    }
  }
  return daemon.asked.length;
};

/** After all that: a card that is read is answered by one key. */
export const answersOnceRead = async (started: Started): Promise<void> => {
  const { page, popover, daemon } = started;
  await page.mouse.move(2, 2);
  await popover.press("Escape", "Escape");
  daemon.put(waitOf(0, 0, 90_000));
  const selected = page.locator("[data-card=true][data-selected=true]:has([data-ref$='%0'])");
  await vi.waitFor(
    async () => {
      if ((await selected.count()) === 0) await popover.press("n");
      expect(await selected.count()).toBe(1);
    },
    { timeout: 10_000, interval: 100 },
  );
  const before = daemon.asked.length;
  await page.waitForTimeout(700);
  await popover.press("d");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(before + 1), { timeout: 10_000, interval: 25 });
};
