// The popover in a browser page, through the real browser bridge: on a daemon of this process, or over the socket of one
// that runs in a temporary home. A page of its own, or one page for many tests, one after the other.
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright";
import { createRouter } from "../../core/api/router.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import {
  startWebBridge,
  createRouterHandler,
  createSocketHandler,
  type RpcHandler,
} from "../../core/rpc/webBridge.ts";
import { PopoverPage } from "../pages/popover.ts";
import { FAKE_FEATURES } from "../../test/fakes/fakeFeatures.ts";

export const RENDERER_DIR = join(import.meta.dirname, "..", "..", "dist", "renderer");

export interface BrowserPopoverOptions {
  browser: Browser;
  /** A service of this process, or the home of a running daemon. */
  daemon: DaemonService | { home: string };
  /** Beside a service of this process. */
  features?: readonly FeatureAnswers[];
  colorScheme?: "light" | "dark";
  reducedMotion?: "reduce" | "no-preference";
  /** The setup is offered, as to a person who never saw it. */
  isFirstStart?: boolean;
  /** CSS pixels; the popover's own size when left out. */
  viewport?: { width: number; height: number };
}

export interface BrowserPopover {
  readonly launcher: "browser";
  readonly page: Page;
  readonly context: BrowserContext;
  readonly popover: PopoverPage;
  /** What the page wrote to its console as errors, and uncaught errors. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

type Shown = Omit<BrowserPopoverOptions, "browser">;

const handlerOf = ({ daemon, features = [] }: Shown): RpcHandler => {
  if ("home" in daemon) return createSocketHandler(runtimePaths(daemon.home).socket);
  const others = FAKE_FEATURES.filter(({ name }) => !features.some((feature) => feature.name === name));
  return createRouterHandler(createRouter(daemon, [...others, ...features]), SILENT_LOGGER);
};

const BLANK = "about:blank";
const viewportOf = ({ viewport }: Shown) => viewport ?? { width: 420, height: 600 };

/** From now on; who followed before hears no more. */
const followErrors = (page: Page): string[] => {
  const errors: string[] = [];
  page.removeAllListeners("pageerror");
  page.removeAllListeners("console");
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  return errors;
};

const openPage = async (options: BrowserPopoverOptions, rpc: RpcHandler): Promise<BrowserPopover> => {
  const bridge = await startWebBridge({ rpc, rendererDir: RENDERER_DIR, logger: SILENT_LOGGER });
  const context = await options.browser.newContext({
    viewport: viewportOf(options),
    colorScheme: options.colorScheme ?? "light",
    reducedMotion: options.reducedMotion ?? "no-preference",
    deviceScaleFactor: 2,
    locale: "en-GB",
  });
  if (options.isFirstStart !== true)
    await context.addInitScript(() => {
      if (location.protocol === "http:" && localStorage.getItem("agtmux.onboarding") === null)
        localStorage.setItem("agtmux.onboarding", JSON.stringify({ isSettled: true }));
    });
  const page = await context.newPage();
  const errors = followErrors(page);
  await page.goto(bridge.url);
  await page.waitForURL(new RegExp(`^http://127\\.0\\.0\\.1:${bridge.port}/[0-9a-f]{64}/$`));
  return {
    launcher: "browser",
    page,
    context,
    popover: new PopoverPage(page),
    errors,
    close: async () => {
      await context.close();
      await bridge.close();
    },
  };
};

export const launchBrowserPopover = (options: BrowserPopoverOptions): Promise<BrowserPopover> =>
  openPage(options, handlerOf(options));

export interface PopoverStage {
  /**
   * The popover as on a page of its own: what was shown before is gone, with its daemon, memory, permissions and routes. Not for
   * a first start, nor where a test adds scripts, which stay.
   */
  show(options: Shown): Promise<BrowserPopover>;
  /** The page shows nothing and asks nobody until it is needed again. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** One page for many tests, one after the other: a new page takes three times as long as a loaded one. */
export const openPopoverStage = (browser: Browser): PopoverStage => {
  let rpc: RpcHandler | null = null;
  let opened: BrowserPopover | null = null;
  let address = "";
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = null;
    await closing?.close();
  };
  /** Nothing that was remembered, and nobody who goes on asking. */
  const leave = async (page: Page): Promise<void> => {
    if (page.url() === BLANK) return;
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.evaluate(() => localStorage.clear());
    await page.goto(BLANK);
  };
  const prepare = async ({ page, context }: BrowserPopover, options: Shown): Promise<void> => {
    await context.clearPermissions();
    await page.setViewportSize(viewportOf(options));
    await page.emulateMedia({
      colorScheme: options.colorScheme ?? "light",
      reducedMotion: options.reducedMotion ?? "no-preference",
    });
    // Away from the rows, as on a page to which nobody has pointed.
    await page.mouse.move(2, 2);
  };
  return {
    show: async (options) => {
      if (opened === null) {
        rpc = handlerOf(options);
        opened = await openPage({ browser, ...options }, (request, response) => rpc?.(request, response));
        address = opened.page.url();
      } else {
        await leave(opened.page);
        await prepare(opened, options);
        rpc = handlerOf(options);
        opened = { ...opened, errors: followErrors(opened.page) };
        await opened.page.goto(address);
      }
      return { ...opened, close };
    },
    leave: async () => {
      if (opened !== null) await leave(opened.page);
    },
    close,
  };
};
