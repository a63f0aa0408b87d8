// The Chromium that the browser popover and the stand-in use: the system's where there is one, else Playwright's own.
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright";

/** The one without windows first: it needs a fifth less of the processor. */
const SYSTEM_BROWSERS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-sync",
  "--no-first-run",
  "--force-color-profile=srgb",
];

/** Path of a browser, or null when Playwright's own has to be used. */
export const findChromium = (): string | null => SYSTEM_BROWSERS.find((path) => existsSync(path)) ?? null;

export const launchChromium = (): Promise<Browser> => {
  const executablePath = findChromium();
  // Chromium refuses its own sandbox to root, which containers run as.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    args: isRoot ? [...FLAGS, "--no-sandbox"] : FLAGS,
  });
};
