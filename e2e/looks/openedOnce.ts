// Views that are opened once, without pictures and without the accessibility audit, which the slow files do: what `npm test` has time
// for.
import type { Page } from "playwright";
import { expect, it } from "vitest";
import { shareStage } from "../launchers/popovers.ts";
import { findFaults } from "./look.ts";
import { createViewStage, POPOVER_VIEWS } from "./popoverViews.ts";

/** Nothing is cut off or in the way, and the page wrote no error but those that Chromium writes for calls that were refused. */
export const expectSound = async (shown: { page: Page; errors: readonly string[] }): Promise<void> => {
  // A list puts its rows in their places a frame after their heights have changed.
  await expect.poll(() => findFaults(shown.page), { timeout: 10_000 }).toEqual([]);
  expect(shown.errors.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
};

/** A test for each of these views, on one page. */
export const openOnce = (names: readonly string[]): void => {
  const stage = createViewStage(shareStage());
  const views = POPOVER_VIEWS.filter(({ name }) => names.includes(name));
  if (views.length !== names.length) throw new Error("there is no view of such a name");
  it.each(views)("$name is opened, and nothing is wrong with it", async (view) =>
    expectSound(await stage.show(view)),
  );
};
