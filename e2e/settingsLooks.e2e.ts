// The pages of the settings, each once; as a person goes: from the sections to each, and back.
import { expect, it } from "vitest";
import { expectSound } from "./looks/openedOnce.ts";
import { SETTINGS_VIEWS, takeSettingsStage } from "./looks/settingsViews.ts";

const taken = takeSettingsStage();

const sections = SETTINGS_VIEWS.filter(({ name }) => name.startsWith("settings-"));

it("the sections are listed, and nothing is wrong with them", async () => {
  const { settings } = taken.stage.shown;
  await settings.enter();
  expect(await settings.sections.count()).toBeGreaterThan(10);
  await expectSound(taken.stage.shown);
});

it.each(sections)("$name is opened, and nothing is wrong with it", async ({ section, go }) => {
  const { settings } = taken.stage.shown;
  await settings.open(section ?? "");
  await go(taken.stage.shown);
  await expectSound(taken.stage.shown);
  await settings.back();
  await settings.isAt("Settings");
});
