// The pages of the setup, each once.
import { it } from "vitest";
import { expectSound } from "./looks/openedOnce.ts";
import { SETTINGS_VIEWS, takeSettingsStage } from "./looks/settingsViews.ts";

const taken = takeSettingsStage();

it.each(SETTINGS_VIEWS.filter(({ name }) => name.startsWith("setup")))(
  "$name is opened, and nothing is wrong with it",
  async (view) => expectSound(await taken.stage.show(view)),
);
