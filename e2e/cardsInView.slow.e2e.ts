// As in cardsInView.e2e.ts, at length: generated runs in windows of six heights, ten waits in a row, and what is dismissed.
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import {
  answersOnceRead,
  atWork,
  HEIGHTS,
  panesOf,
  playRun,
  runs,
  tenWaits,
  waitOf,
} from "./pages/cardRuns.ts";
import { watchCards } from "./pages/cardsSeen.ts";

const popovers = usePopovers();
/** Half a second, and what the page and this test differ by in when it is over. */
const STILL_MS = 600;
const RUNS = Number(process.env["AGTMUX_CARD_RUNS"] ?? 12);
const SEED = Number(process.env["AGTMUX_CARD_SEED"] ?? 1);

const start = async (panes: ReturnType<typeof panesOf>, height: number) => {
  const started = await popovers.start(panes, { viewport: { width: 420, height } });
  await started.popover.items.first().waitFor();
  return started;
};

it("what is answered was in view for half a second, and the selected card stays in view", async () => {
  for (const run of fc.sample(runs(25), { numRuns: RUNS, seed: SEED })) {
    const started = await start(panesOf(run), run.height);
    await playRun(started, run);
    await answersOnceRead(started);
  }
}, 600_000);

describe.each(HEIGHTS)("in a window %i high", (height) => {
  it("ten waits take ten keys, each half a second after the last", async () => {
    const { daemon, page } = await start(tenWaits(10), height);
    const seen = await watchCards(page);
    await page.waitForTimeout(700);
    for (let turn = 0; turn < 10; turn += 1) {
      await page.keyboard.press("a");
      await vi.waitFor(() => expect(daemon.asked).toHaveLength(turn + 1), WAIT);
      const answered = String(daemon.asked.at(-1)?.input["ref"]);
      daemon.put(atWork(Number(/%(\d+)$/.exec(answered)?.[1])));
      if (turn === 9) break;
      // Its half second begins when the page draws it there, which a busy machine does later.
      await vi.waitFor(async () => {
        const standing = await seen.standing();
        expect(standing).toMatchObject({ isHeadInView: true, isRead: true });
        expect(standing?.ref).not.toBe(answered);
        expect(standing?.stillMs).toBeGreaterThan(STILL_MS);
      }, WAIT);
    }
    expect((await seen.presses()).every(({ wasRead }) => wasRead)).toBe(true);
  });

  it("a key again and again answers nothing unread, and what is dismissed gives way to the next card", async () => {
    const panes = [6, 2, 6, 3, 6, 5].map((kind, index) => waitOf(index, kind, (20 - index) * 1_000));
    const { daemon, page } = await start(
      [...panes, ...Array.from({ length: 14 }, (_, index) => atWork(index + 10))],
      height,
    );
    const seen = await watchCards(page);
    await page.waitForTimeout(600);
    for (let press = 0; press < 30; press += 1) {
      const before = daemon.asked.length;
      await page.keyboard.press(press % 2 === 0 ? "e" : "d");
      await page.waitForTimeout(220);
      for (const { input } of daemon.asked.slice(before))
        daemon.put(atWork(Number(/%(\d+)$/.exec(String(input["ref"]))?.[1])));
    }
    const presses = await seen.presses();
    for (const { input } of daemon.asked)
      expect(presses.find(({ ref, wasRead }) => ref === input["ref"] && wasRead)).toBeDefined();
  });
});
