// The pages of the settings and of the setup, as the desktop app shows them: where each is, and the steps that lead there.
import type { Browser } from "playwright";
import { afterAll, beforeAll } from "vitest";
import { launchAppPage } from "../launchers/appPage.ts";
import type { BrowserPopover } from "../launchers/browser.ts";
import { takeChromium } from "../launchers/workerBrowser.ts";
import { SettingsPage } from "../pages/settings.ts";
import { mixedScene } from "../scenes/scenes.ts";
import { SettingsDaemon, settingsDesktop, settingsTargets } from "../scenes/settingsScene.ts";

export type ShownSettings = BrowserPopover & { settings: SettingsPage };

export interface SettingsView {
  name: string;
  /** Null: the setup is offered, as to somebody who sees the popover for the first time. */
  section: string | null;
  go: (shown: ShownSettings) => Promise<unknown>;
}

export const SETTINGS_VIEWS: readonly SettingsView[] = [
  {
    name: "setup-offer",
    section: null,
    go: ({ page }) => page.getByText("Install hooks for instant").waitFor(),
  },
  { name: "settings", section: "", go: async () => {} },
  { name: "settings-targets", section: "Machines", go: ({ page }) => page.getByText("gpu").waitFor() },
  {
    name: "settings-integrations",
    section: "Integrations",
    go: async ({ settings }) => {
      await settings.card("Integrations", "Codex").getByRole("button", { name: "Verify" }).click();
      await settings.card("Integrations", "Codex").getByText("test event arrived").waitFor();
    },
  },
  {
    name: "settings-diff",
    section: "Integrations",
    go: async ({ settings, page }) => {
      await settings.card("Integrations", "Claude Code").getByRole("button", { name: "Install…" }).click();
      await page.getByRole("group", { name: /settings\.json/ }).waitFor();
    },
  },
  {
    name: "settings-notifications",
    section: "Notifications",
    go: async ({ page }) => {
      await page.getByRole("button", { name: "Show a test notification" }).click();
      await page.getByText("Sent. If you saw nothing").waitFor();
    },
  },
  {
    name: "settings-appearance",
    section: "Appearance",
    go: ({ page }) => page.getByLabel("Theme").waitFor(),
  },
  {
    name: "settings-shortcuts",
    section: "Shortcuts",
    go: ({ page }) => page.getByLabel("Open from anywhere").waitFor(),
  },
  {
    name: "settings-terminal",
    section: "Terminal",
    go: ({ page }) => page.getByRole("textbox", { name: "Command" }).waitFor(),
  },
  { name: "settings-agents", section: "Agents", go: ({ page }) => page.getByText("House agent").waitFor() },
  { name: "settings-general", section: "General", go: ({ page }) => page.getByText("Kept in").waitFor() },
  {
    name: "settings-command",
    section: "Command line",
    go: ({ page }) => page.getByText("If a new shell doesn't find it").waitFor(),
  },
  {
    name: "settings-diagnostics",
    section: "Diagnostics",
    go: ({ page }) => page.getByText("Target lab is not watched.").first().waitFor(),
  },
  {
    name: "settings-report",
    section: "Diagnostics",
    go: async ({ page }) => {
      const logs = page.getByRole("button", { name: "Open logs" });
      await logs.waitFor();
      await logs.scrollIntoViewIfNeeded();
    },
  },
  {
    name: "setup",
    section: "Run setup again",
    go: ({ page }) => page.getByRole("button", { name: "Install for 3 agents" }).waitFor(),
  },
  {
    name: "setup-changes",
    section: "Run setup again",
    go: async ({ page }) => {
      await page.getByText("Show the changes").first().click();
      await page.getByRole("group", { name: /settings\.json/ }).waitFor();
    },
  },
  {
    name: "setup-done",
    section: "Run setup again",
    go: async ({ page }) => {
      await page.getByRole("button", { name: "Install for 3 agents" }).click();
      await page.getByText("One step left").waitFor();
      await page.getByRole("button", { name: "Show a test notification" }).click();
      await page.getByText("Sent. If you saw nothing").waitFor();
    },
  },
];

/** One page for many views: each begins at the list. */
export interface SettingsStage {
  /** As it was left: at first as a person finds it. */
  readonly shown: ShownSettings;
  show(view: SettingsView): Promise<ShownSettings>;
  close(): Promise<void>;
}

export const openSettingsStage = async (browser: Browser): Promise<SettingsStage> => {
  const daemon = new SettingsDaemon(mixedScene(Date.now()).filter(({ state }) => state !== "unknown"));
  daemon.setTargets(settingsTargets(Date.now()));
  const launched = await launchAppPage({
    browser,
    daemon,
    desktop: settingsDesktop(),
    reducedMotion: "reduce",
    isFirstStart: true,
  });
  const shown: ShownSettings = { ...launched, settings: new SettingsPage(launched.page) };
  const { page, settings } = shown;
  return {
    shown,
    show: async ({ section, go }) => {
      await page.evaluate(
        (isSettled) => localStorage.setItem("agtmux.onboarding", JSON.stringify({ isSettled })),
        section !== null,
      );
      await page.reload();
      await page.locator("[data-connection=live]").waitFor();
      if (section !== null) await settings.enter();
      if (section !== null && section !== "") await settings.open(section);
      await go(shown);
      await page.mouse.move(5, 590);
      return shown;
    },
    close: () => launched.close(),
  };
};

/** The stage of a file's tests, which is there while they run. */
export const takeSettingsStage = (): { stage: SettingsStage } => {
  const taken = {} as { stage: SettingsStage };
  let browser: Browser;
  takeChromium((given) => (browser = given));
  beforeAll(async () => {
    taken.stage = await openSettingsStage(browser);
  });
  afterAll(() => taken.stage?.close());
  return taken;
};
