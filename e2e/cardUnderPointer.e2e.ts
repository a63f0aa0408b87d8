// A card that changed below the pointer takes no click that was meant for what it asked before.
import { expect, it, vi } from "vitest";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { tenWaits } from "./pages/cardRuns.ts";

const popovers = usePopovers();

it("a click answers a request that changed below the pointer only once the pointer has moved", async () => {
  const { daemon, popover, page } = await popovers.start(tenWaits(1));
  const button = popover.answer("task-0", "Approve");
  await button.hover();
  await page.waitForTimeout(600);
  for (const pane of tenWaits(1)) daemon.put({ ...pane, prompt_fingerprint: "fp-changed" });
  await page.locator("[data-asked=fp-changed]").waitFor();
  await page.waitForTimeout(700);
  await page.mouse.down();
  await page.mouse.up();
  await popover.alert.getByText("It appeared or moved just now").waitFor();
  expect(daemon.asked).toEqual([]);
  await button.hover({ position: { x: 3, y: 3 } });
  await page.waitForTimeout(600);
  await page.mouse.down();
  await page.mouse.up();
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
});
