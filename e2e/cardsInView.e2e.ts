// The selected card is in view after whatever happened, and no key answers one that nobody could have read (a
// click: cardUnderPointer.e2e.ts). At length, with generated runs: cardsInView.slow.e2e.ts.
import { expect, it, vi } from "vitest";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { atWork, tenWaits } from "./pages/cardRuns.ts";
import { watchCards } from "./pages/cardsSeen.ts";

const popovers = usePopovers();

it("a key answers the next card once it was in view for half a second, and not before", async () => {
  const { daemon, page, popover } = await popovers.start(tenWaits(4), {
    viewport: { width: 420, height: 420 },
  });
  await popover.items.first().waitFor();
  const seen = await watchCards(page);
  await page.waitForTimeout(700);
  await page.keyboard.press("a");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
  daemon.put(atWork(0));
  await page.waitForTimeout(250);
  await page.keyboard.press("a");
  await page.waitForTimeout(700);
  expect(daemon.asked).toHaveLength(1);
  expect(await seen.standing()).toMatchObject({ isWhole: true });
  await page.keyboard.press("a");
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(2), WAIT);
  const answered = (await seen.presses()).filter((_press, index) => index !== 1);
  expect(answered.map(({ wasRead }) => wasRead)).toEqual([true, true]);
});
