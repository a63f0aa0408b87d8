// The popover as the desktop app's page, on a scripted daemon and a scripted app: the page's port is served here instead of by
// Electron. Used to test how things look; the stand-in tests what the app really does.
import type { Page } from "playwright";
import { createDesktopRouter, type DesktopService, createRouter } from "../../core/api/router.ts";
import type { DaemonService } from "../../core/api/calls.ts";
import { createRouterCaller, serveMessages, type MessageBridge } from "../../core/rpc/messageBridge.ts";
import { createPageCaller } from "../../main/pageAnswer.ts";
import { launchBrowserPopover, type BrowserPopover, type BrowserPopoverOptions } from "./browser.ts";
import { FAKE_FEATURES } from "../../test/fakes/fakeFeatures.ts";

const SEND = "agtmuxTestSend";
const DELIVER = "agtmuxTestDeliver";

/** What the preload gives a page. */
const putPort = ([send, deliver]: readonly [string, string]): void => {
  const listeners = new Set<(message: unknown) => void>();
  const call = (name: string, message: unknown): void => {
    const found: unknown = Reflect.get(window, name);
    if (typeof found === "function") found(message);
  };
  Object.defineProperty(window, deliver, {
    value: (message: unknown) => {
      for (const listener of listeners) listener(message);
    },
  });
  Object.defineProperty(window, "agtmux", {
    value: {
      send: (message: unknown) => call(send, message),
      onMessage: (listener: (message: unknown) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
};

/** Every navigation of the page starts with a port of its own. */
const servePage = async (
  page: Page,
  { daemon, desktop, features = [] }: AppPageOptions,
): Promise<() => void> => {
  const caller = createPageCaller({
    desktop: createRouterCaller(createDesktopRouter(desktop)),
    daemon: createRouterCaller(createRouter(daemon, [...FAKE_FEATURES, ...features])),
  });
  let listener: ((message: unknown) => void) | null = null;
  let bridge: MessageBridge | null = null;
  const start = (): void => {
    bridge?.close();
    bridge = serveMessages({
      caller,
      port: {
        send: (message) => {
          page
            .evaluate(
              ([name, value]) => {
                const deliver: unknown = Reflect.get(window, name);
                if (typeof deliver === "function") deliver(value);
              },
              [DELIVER, message] as const,
            )
            // The page was closed or loaded again.
            .catch(() => {});
        },
        onMessage: (handle) => {
          listener = handle;
          return () => (listener = null);
        },
      },
    });
  };
  await page.exposeFunction(SEND, (message: unknown) => listener?.(message));
  await page.addInitScript(putPort, [SEND, DELIVER] as const);
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) start();
  });
  start();
  return () => bridge?.close();
};

export interface AppPageOptions extends BrowserPopoverOptions {
  daemon: DaemonService;
  desktop: DesktopService;
}

export const launchAppPage = async (options: AppPageOptions): Promise<BrowserPopover> => {
  const launched = await launchBrowserPopover(options);
  const stop = await servePage(launched.page, options);
  await launched.page.reload();
  return {
    ...launched,
    close: async () => {
      stop();
      await launched.close();
    },
  };
};
