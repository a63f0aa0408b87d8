// The popover in Chromium over a daemon that starts agents on a real tmux, for the tests of one file.
import type { Browser } from "playwright";
import { afterAll, beforeAll } from "vitest";
import { openStartHarness, type StartHarness } from "../../test/workspaces/startHarness.ts";
import type { Scheme } from "../looks/look.ts";
import { launchBrowserPopover, type BrowserPopover } from "./browser.ts";
import { launchChromium } from "./chromium.ts";

export const START_LIMIT_MS = 60_000;

export interface StartPopover {
  /** Once the tests run. */
  readonly harness: StartHarness;
  /** A page of its own for what is tried on it. */
  open(colorScheme: Scheme, work: (launched: BrowserPopover) => Promise<void>): Promise<void>;
}

export const useStartPopover = (prepare: (harness: StartHarness) => Promise<void>): StartPopover => {
  let [browser, harness]: [Browser | null, StartHarness | null] = [null, null];
  const opened = (): { browser: Browser; harness: StartHarness } => {
    if (browser === null || harness === null) throw new Error("it is opened before the first test");
    return { browser, harness };
  };
  beforeAll(async () => {
    browser = await launchChromium();
    harness = await openStartHarness();
    await prepare(harness);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await harness?.close();
    await browser?.close();
  }, START_LIMIT_MS);
  return {
    get harness() {
      return opened().harness;
    },
    open: async (colorScheme, work) => {
      const own = opened();
      const daemon = { home: own.harness.daemon.paths.home };
      const launched = await launchBrowserPopover({ browser: own.browser, daemon, colorScheme });
      try {
        await work(launched);
      } finally {
        await launched.close();
      }
    },
  };
};
