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
    // The next card is not in view as a whole.
    viewport: { width: 420, height: 360 },
  });
  await popover.items.first().waitFor();
  const seen = await watchCards(page);
  const presses: Press[] = [];
  const answerRead = async (): Promise<void> => {
    const before = daemon.asked.length;
    // A page that a busy machine holds up may find the card read later than this test does: then it refuses, and is asked again.
    await vi.waitFor(async () => {
      const standing = await seen.standing();
      expect(standing).toMatchObject({ isRead: true });
      expect(standing?.stillMs).toBeGreaterThan(STILL_MS);
      await page.keyboard.press("a");
      await vi.waitFor(() => expect(daemon.asked.length).toBeGreaterThan(before), { timeout: 2_000 });
    }, WAIT);
  };
  // A page that stands still for half a second takes even the early key too late: then the next card has to show it.
  let wasEarly = false;
  for (let card = 0; !wasEarly && card < CARDS - 2; card += 1) {
    await seen.pressAtNext("a");
    await answerRead();
    const answered = String(daemon.asked.at(-1)?.input["ref"]);
    const before = presses.length;
    await vi.waitFor(async () => {
      presses.push(...(await seen.presses()));
      expect(presses.length).toBeGreaterThanOrEqual(before + 2);
    }, WAIT);
    wasEarly = presses.at(-1)?.wasRead === false;
    await page.waitForTimeout(SENT_MS);
    expect(daemon.asked.length).toBeLessThanOrEqual(presses.filter(({ wasRead }) => wasRead).length);
    daemon.put(atWork(Number(/%(\d+)$/.exec(answered)?.[1])));
  }
  expect(wasEarly).toBe(true);
  await answerRead();
  expect((await seen.presses()).at(-1)).toMatchObject({ wasRead: true });
});
