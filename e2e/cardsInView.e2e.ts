// The selected card is in view after whatever happened, and no key answers one that nobody could have read (a
// click: cardUnderPointer.e2e.ts). At length, with generated runs: cardsInView.slow.e2e.ts.
import { expect, it, vi } from "vitest";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { atWork, tenWaits } from "./pages/cardRuns.ts";
import { type Press, watchCards } from "./pages/cardsSeen.ts";

const CARDS = 8;
/** An answer that went through has reached the daemon by then. */
const SENT_MS = 250;
/** Half a second, and what the page and this test differ by in when it is over. */
const STILL_MS = 600;

const popovers = usePopovers();

it("a key answers the next card once it was in view for half a second, and not before", async () => {
  const { daemon, page, popover } = await popovers.start(tenWaits(CARDS), {
    viewport: { width: 420, height: 420 },
  });
  await popover.items.first().waitFor();
  const seen = await watchCards(page);
  await page.waitForTimeout(700);
  await page.keyboard.press("a");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
  const presses: Press[] = [];
  const countRead = async (): Promise<number> => {
    presses.push(...(await seen.presses()));
    return presses.filter(({ wasRead }) => wasRead).length;
  };
  await countRead();
  // A page that stands still for half a second takes even that key too late: then the next card has to show it.
  let wasEarly = false;
  for (let card = 0; !wasEarly && card < CARDS - 2; card += 1) {
    await seen.pressWhenMoved("a");
    daemon.put(atWork(Number(/%(\d+)$/.exec(String(daemon.asked.at(-1)?.input["ref"]))?.[1])));
    const before = presses.length;
    await vi.waitFor(async () => {
      await countRead();
      expect(presses.length).toBe(before + 1);
    }, WAIT);
    await page.waitForTimeout(SENT_MS);
    wasEarly = presses.at(-1)?.wasRead === false;
    expect(daemon.asked.length).toBeLessThanOrEqual(presses.filter(({ wasRead }) => wasRead).length);
  }
  expect(wasEarly).toBe(true);
  await vi.waitFor(async () => expect(await seen.standing()).toMatchObject({ isRead: true }), WAIT);
  await vi.waitFor(async () => expect((await seen.standing())?.stillMs).toBeGreaterThan(STILL_MS), WAIT);
  const before = daemon.asked.length;
  await page.keyboard.press("a");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(before + 1), WAIT);
  await countRead();
  expect(presses.at(-1)).toMatchObject({ wasRead: true });
});
