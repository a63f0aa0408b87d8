// One window of the stand-in as a Chromium page: addresses of the app's own scheme are answered by the app, everything
// else is refused, and messages go both ways in order.
import { readFileSync } from "node:fs";
import type { BrowserContext, Page, Route } from "playwright";
import type { PageAnswer, ToApp } from "./messages.ts";
import { CLOSE_BINDING, DELIVER, preloadScript, SEND_BINDING } from "./pagePreload.ts";

/** Chromium knows no scheme of ours: `agtmux://popover/x` is shown as `https://popover.agtmux.test/x`. */
const SUFFIX = ".test";
export const toBrowserUrl = (url: string): string => {
  const { protocol, host, pathname, search } = new URL(url);
  return `https://${host}.${protocol.slice(0, -1)}${SUFFIX}${pathname}${search}`;
};
/** Null for an address that is none of the app's. */
export const toAppUrl = (url: string): string | null => {
  const [, host, scheme, rest] = /^https:\/\/([^./]+)\.([a-z]+)\.test(\/.*)$/.exec(url) ?? [];
  return scheme === undefined ? null : `${scheme}://${host}${rest}`;
};

export interface WindowPageDeps {
  readonly windowId: number;
  readonly context: BrowserContext;
  /** Path of the built preload. */
  readonly preload: string;
  readonly size: { width: number; height: number };
  readonly tell: (message: ToApp) => void;
  readonly ask: (request: {
    windowId: number;
    url: string;
    isPageNavigation: boolean;
  }) => Promise<PageAnswer | null>;
}

export interface WindowPage {
  readonly page: Page;
  load(url: string): Promise<string | null>;
  deliver(channel: string, args: unknown[]): void;
}

export const openWindowPage = async (deps: WindowPageDeps): Promise<WindowPage> => {
  const { windowId, tell } = deps;
  const page = await deps.context.newPage();
  await page.setViewportSize(deps.size);
  /** The address to which the app sends the page; any other navigation was begun by the page. */
  let wanted: string | null = null;

  const handle = async (route: Route): Promise<void> => {
    const request = route.request();
    const url = toAppUrl(request.url());
    const isNavigation = request.isNavigationRequest() && request.frame() === page.mainFrame();
    const isPageNavigation = isNavigation && request.url() !== wanted && request.url() !== page.url();
    const answer = await deps.ask({ windowId, url: url ?? request.url(), isPageNavigation });
    if (answer === null || url === null) {
      // An aborted navigation stays where it was; any other failure would show an error page.
      await route.abort(isNavigation ? "aborted" : "blockedbyclient");
      return;
    }
    if (isNavigation) tell({ kind: "navigation", windowId, url });
    await route.fulfill({ ...answer, body: Buffer.from(answer.body) });
  };
  await page.exposeBinding(CLOSE_BINDING, () => tell({ kind: "window_close", windowId }));
  await page.exposeBinding(SEND_BINDING, ({ frame }, message: { channel: string; args: unknown[] }) => {
    const url = toAppUrl(frame.url()) ?? frame.url();
    tell({ kind: "ipc", windowId, url, isMainFrame: frame === page.mainFrame(), ...message });
  });
  await page.addInitScript(preloadScript(readFileSync(deps.preload, "utf8")));
  await page.route("**/*", handle);

  return {
    page,
    load: async (url) => {
      wanted = toBrowserUrl(url);
      try {
        await page.goto(wanted);
        return null;
      } catch (error) {
        return String(error);
      }
    },
    deliver: (channel, args) => {
      page
        .evaluate(
          ([name, ...rest]) => {
            const deliver: unknown = Reflect.get(window, name);
            if (typeof deliver === "function") deliver(...rest);
          },
          [DELIVER, channel, args] as const,
        )
        // The page was reloaded or closed meanwhile; the app hears of that by itself.
        .catch(() => {});
    },
  };
};
