// How settings and setup look, as the desktop app shows them: every page, light and dark, with the accessibility audit of
// each, and at twice the text size.
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchAppPage } from "./launchers/appPage.ts";
import type { BrowserPopover } from "./launchers/browser.ts";
import { launchChromium } from "./launchers/chromium.ts";
import { findFaults, recordLook, SCHEMES, shoot, type Scheme } from "./looks/look.ts";
import { SettingsPage } from "./pages/settings.ts";
import { mixedScene } from "./scenes/scenes.ts";
import { SettingsDaemon, settingsDesktop, settingsTargets } from "./scenes/settingsScene.ts";

type Shown = BrowserPopover & { settings: SettingsPage };

interface Look {
  name: string;
  /** Null: the setup is offered, as to somebody who sees the popover for the first time. */
  section: string | null;
  go: (shown: Shown) => Promise<unknown>;
}

const LOOKS: readonly Look[] = [
  { name: "setup-offer", section: null, go: ({ page }) => page.getByText("New here?").waitFor() },
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
      await page.getByText("The system took it.").waitFor();
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
    go: ({ page }) => page.getByText("If a new shell does not find it").waitFor(),
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
      const logs = page.getByRole("button", { name: "Open the logs" });
      await logs.waitFor();
      await logs.scrollIntoViewIfNeeded();
    },
  },
  {
    name: "setup",
    section: "Set up again",
    go: ({ page }) => page.getByRole("button", { name: "Install for 3 agents" }).waitFor(),
  },
  {
    name: "setup-changes",
    section: "Set up again",
    go: async ({ page }) => {
      await page.getByText("Show the changes").first().click();
      await page.getByRole("group", { name: /settings\.json/ }).waitFor();
    },
  },
  {
    name: "setup-done",
    section: "Set up again",
    go: async ({ page }) => {
      await page.getByRole("button", { name: "Install for 3 agents" }).click();
      await page.getByText("One step left").waitFor();
      await page.getByRole("button", { name: "Show a test notification" }).click();
      await page.getByText("The system took it.").waitFor();
    },
  },
];

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
  console.log(`launcher: browser as the app's page (${browser.version()})`);
});
afterAll(() => browser?.close());

/** One page for many views: each begins at the list. */
const createStage = (colorScheme: Scheme) => {
  let stage: BrowserPopover | null = null;
  const reach = async (): Promise<BrowserPopover> => {
    if (stage !== null) return stage;
    const daemon = new SettingsDaemon(mixedScene(Date.now()).filter(({ state }) => state !== "unknown"));
    daemon.setTargets(settingsTargets(Date.now()));
    stage = await launchAppPage({
      browser,
      daemon,
      desktop: settingsDesktop(),
      colorScheme,
      reducedMotion: "reduce",
      isFirstStart: true,
    });
    return stage;
  };
  return {
    show: async ({ section, go }: Look): Promise<Shown> => {
      const opened = await reach();
      const { page } = opened;
      const settings = new SettingsPage(page);
      await page.evaluate(
        (isSettled) => localStorage.setItem("agtmux.onboarding", JSON.stringify({ isSettled })),
        section !== null,
      );
      await page.reload();
      await page.locator("[data-connection=live]").waitFor();
      if (section !== null) await settings.enter();
      if (section !== null && section !== "") await settings.open(section);
      const shown = { ...opened, settings };
      await go(shown);
      await page.mouse.move(5, 590);
      return shown;
    },
    close: async () => stage?.close(),
  };
};

describe.each(SCHEMES)("settings (%s)", (scheme) => {
  const stage = createStage(scheme);
  afterAll(stage.close);
  it.each(LOOKS)("$name", async (look) => {
    const { page } = await stage.show(look);
    await recordLook(page, { name: look.name, scheme, isPictured: true });
    if (scheme === "dark") return;
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    await shoot(page, `${look.name}-large`);
    expect(await findFaults(page)).toEqual([]);
  });
});
