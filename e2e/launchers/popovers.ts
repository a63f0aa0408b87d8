// Popovers on fake daemons in one Chromium per test file. What was started ends with its test.
import type { Browser } from "playwright";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { FakeDaemon, type FakeDaemonOptions } from "../../test/fakes/fakeDaemon.ts";
import type { PopoverPage } from "../pages/popover.ts";
import { mixedScene, mixedTargets, refundsExplanation } from "../scenes/scenes.ts";
import { launchBrowserPopover, type BrowserPopover, type BrowserPopoverOptions } from "./browser.ts";
import { launchChromium } from "./chromium.ts";

export const WAIT = { timeout: 15_000, interval: 25 };

type Setup = { daemonOptions?: FakeDaemonOptions } & Omit<BrowserPopoverOptions, "browser" | "daemon">;

/** To be called once, at the top of a test file. */
export const usePopovers = () => {
  let browser: Browser;
  const open: BrowserPopover[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    console.log(`launcher: browser (${browser.version()})`);
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const launched of open.splice(0)) await launched.close();
  });

  const start = async (panes: readonly PaneView[], setup: Setup = {}) => {
    const { daemonOptions, ...options } = setup;
    const daemon = new FakeDaemon(panes, daemonOptions ?? {});
    const launched = await launchBrowserPopover({ browser, daemon, ...options });
    open.push(launched);
    return { daemon, ...launched };
  };

  /** Agents in every state on two machines; that of `refunds` waits and can be explained. */
  const startMixed = async (setup: Setup = {}) => {
    const now = Date.now();
    const panes = mixedScene(now);
    const started = await start(panes, setup);
    started.daemon.setTargets(mixedTargets());
    const [refunds] = panes;
    if (refunds === undefined) throw new Error("the scene is empty");
    started.daemon.explanations.set(refunds.identity.pane_ref, refundsExplanation(now, refunds));
    await started.popover.row("refunds").waitFor();
    return { ...started, refunds };
  };

  return { start, startMixed };
};

export const isFocused = (started: { popover: PopoverPage }, name: string) =>
  vi.waitFor(async () => expect(await started.popover.focusedName()).toContain(name), WAIT);
