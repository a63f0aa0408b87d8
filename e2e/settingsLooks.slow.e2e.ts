// How settings and setup look, as the desktop app shows them: every page, light and dark, with the accessibility audit of
// each, and at twice the text size.
import { describe, expect, it } from "vitest";
import { findFaults, recordLook, shoot } from "./looks/look.ts";
import { SETTINGS_VIEWS, takeSettingsStage } from "./looks/settingsViews.ts";

const taken = takeSettingsStage();

describe("settings (light, dark)", () => {
  it.each(SETTINGS_VIEWS)("$name", async (view) => {
    const { page } = await taken.stage.show(view);
    await recordLook(page, { name: view.name, isPictured: true });
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    await shoot(page, `${view.name}-large`);
    expect(await findFaults(page)).toEqual([]);
  });
});
