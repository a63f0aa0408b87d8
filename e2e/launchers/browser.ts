// The popover in a browser page, through the real browser bridge: on a daemon of this process, or over the socket of one
// that runs in a temporary home.
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright";
import { createRouter } from "../../core/api/router.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { startWebBridge } from "../../core/rpc/webBridge.ts";
import { createRouterHandler, createSocketHandler } from "../../core/rpc/webRpc.ts";
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

export const launchBrowserPopover = async (options: BrowserPopoverOptions): Promise<BrowserPopover> => {
  const { daemon } = options;
  const bridge = await startWebBridge({
    rpc:
      "home" in daemon
        ? createSocketHandler(runtimePaths(daemon.home).socket)
        : createRouterHandler(
            createRouter(daemon, [...FAKE_FEATURES, ...(options.features ?? [])]),
            SILENT_LOGGER,
          ),
    rendererDir: RENDERER_DIR,
    logger: SILENT_LOGGER,
  });
  const context = await options.browser.newContext({
    viewport: options.viewport ?? { width: 420, height: 600 },
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
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
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
