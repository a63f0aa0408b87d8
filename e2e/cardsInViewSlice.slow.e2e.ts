// The selected card is in view after whatever happened, and no key answers one that nobody could have read: short generated runs,
// and what a person does most.
import * as fc from "fast-check";
import { expect, it, vi } from "vitest";
import { usePopovers, WAIT } from "./launchers/popovers.ts";
import { panesOf, playRun, runs, tenWaits } from "./pages/cardRuns.ts";

const popovers = usePopovers();

it("answers only what was in view for half a second, and keeps the selected card in view", async () => {
  const [run] = fc.sample(runs(5), { numRuns: 1, seed: 32 });
  if (run === undefined) throw new Error("there is no run");
  const started = await popovers.start(panesOf(run), { viewport: { width: 420, height: run.height } });
  await started.popover.items.first().waitFor();
  await playRun(started, run);
});

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
  await popover.alert.getByText("It came or moved at this very moment").waitFor();
  expect(daemon.asked).toEqual([]);
  await button.hover({ position: { x: 3, y: 3 } });
  await page.waitForTimeout(600);
  await page.mouse.down();
  await page.mouse.up();
  await vi.waitFor(() => expect(daemon.asked).toHaveLength(1), WAIT);
});
