// The pages of the setup, each once.
import type { Browser } from "playwright";
import { afterAll, beforeAll, it } from "vitest";
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

it.each(SETTINGS_VIEWS.filter(({ name }) => name.startsWith("setup")))(
  "$name is opened, and nothing is wrong with it",
  async (view) => expectSound(await stage.show(view)),
);
