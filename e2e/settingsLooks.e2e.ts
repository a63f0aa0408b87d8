// The pages of the settings, each once; as a person goes: from the sections to each, and back.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { expectSound } from "./looks/openedOnce.ts";
import { openSettingsStage, SETTINGS_VIEWS, type SettingsStage } from "./looks/settingsViews.ts";

let browser: Browser;
let stage: SettingsStage;
takeChromium((given) => (browser = given));
beforeAll(async () => {
  stage = await openSettingsStage(browser);
});
afterAll(() => stage?.close());

const sections = SETTINGS_VIEWS.filter(({ name }) => name.startsWith("settings-"));

it("the sections are listed, and nothing is wrong with them", async () => {
  const { settings } = stage.shown;
  await settings.enter();
  expect(await settings.sections.count()).toBeGreaterThan(10);
  await expectSound(stage.shown);
});

it.each(sections)("$name is opened, and nothing is wrong with it", async ({ section, go }) => {
  const { settings } = stage.shown;
  await settings.open(section ?? "");
  await go(stage.shown);
  await expectSound(stage.shown);
  await settings.back();
  await settings.isAt("Settings");
});
