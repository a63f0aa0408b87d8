// Popovers on fake daemons, for the tests of one file: on one page, or on pages of their own, which end with their test.
import type { Browser } from "playwright";
import { afterAll, afterEach, expect, vi } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { FakeDaemon, type FakeDaemonOptions } from "../../test/fakes/fakeDaemon.ts";
import type { PopoverPage } from "../pages/popover.ts";
import { mixedScene, mixedTargets, refundsExplanation } from "../scenes/scenes.ts";
import {
  launchBrowserPopover,
  openPopoverStage,
  type BrowserPopover,
  type BrowserPopoverOptions,
  type PopoverStage,
} from "./browser.ts";
import { inWorker } from "./workerBrowser.ts";

export const WAIT = { timeout: 15_000, interval: 25 };

type Setup = {
  daemonOptions?: FakeDaemonOptions;
  /** Its page is changed in a way that stays. */
  hasOwnPage?: boolean;
} & Omit<BrowserPopoverOptions, "browser" | "daemon">;

const onStage = inWorker.extend("stage", { scope: "worker" }, ({ browser }, { onCleanup }) => {
  const stage = openPopoverStage(browser);
  onCleanup(() => stage.close());
  return stage;
});

export type SharedStage = Pick<PopoverStage, "show"> & { readonly browser: Browser };

/** The page of this worker, for the tests of a file; to be called once, at its top. */
export const shareStage = (): SharedStage => {
  let opened: { browser: Browser; stage: PopoverStage } | null = null;
  const get = () => {
    if (opened === null) throw new Error("it is opened before the first test");
    return opened;
  };
  onStage.beforeAll(({ browser, stage }) => (opened = { browser, stage }));
  // What the tests have behind it ends with them, and nobody should go on asking it.
  afterAll(() => opened?.stage.leave());
  afterEach(async ({ task }) => {
    // Whatever the failure left there.
    if (task.result?.state === "fail") await opened?.stage.close();
  });
  return {
    get browser() {
      return get().browser;
    },
    show: (options) => get().stage.show(options),
  };
};

/** The same on fake daemons. */
export const usePopovers = () => {
  const stage = shareStage();
  const open: BrowserPopover[] = [];
  afterEach(async () => {
    for (const launched of open.splice(0)) await launched.close();
  });

  const start = async (panes: readonly PaneView[], setup: Setup = {}) => {
    const { daemonOptions, hasOwnPage = false, ...options } = setup;
    const daemon = new FakeDaemon(panes, daemonOptions ?? {});
    if (!hasOwnPage) return { daemon, ...(await stage.show({ daemon, ...options })) };
    const launched = await launchBrowserPopover({ browser: stage.browser, daemon, ...options });
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
