// How settings and setup look, as the desktop app shows them: every page, light and dark, with the accessibility audit of
// each, and at twice the text size.
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { findFaults, recordLook, shoot } from "./looks/look.ts";
import { openSettingsStage, SETTINGS_VIEWS, type SettingsStage } from "./looks/settingsViews.ts";

let browser: Browser;
let stage: SettingsStage;
takeChromium((given) => (browser = given));
beforeAll(async () => {
  stage = await openSettingsStage(browser);
});
afterAll(() => stage?.close());

describe("settings (light, dark)", () => {
  it.each(SETTINGS_VIEWS)("$name", async (view) => {
    const { page } = await stage.show(view);
    await recordLook(page, { name: view.name, isPictured: true });
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    await shoot(page, `${view.name}-large`);
    expect(await findFaults(page)).toEqual([]);
  });
});
