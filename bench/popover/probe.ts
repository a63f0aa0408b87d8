// What is measured inside of the page: when a text is on the screen, when the app's visibility message came, and long tasks.
// Times are epoch milliseconds with fractions, so that they compare with those of this process on the same machine.
import type { BrowserContext, Page } from "playwright";

const NAME = "__probe";

interface ProbeApi {
  /** Resolves with the end of the first frame in which the text is in the document. */
  shown(text: string): Promise<number>;
  /** When the last message came that says that the popover is seen. */
  visibleAt(): number;
  /** Milliseconds of the long tasks since the last time. */
  takeLongTasks(): number[];
}

/** The present time of the page's clock, in epoch ms. */
export const epochNow = (): number => performance.timeOrigin + performance.now();

/** Runs in the page before everything else, and so holds nothing of this module. */
const install = (name: string): void => {
  const now = (): number => performance.timeOrigin + performance.now();
  const { port1, port2 } = new MessageChannel();
  let waiting: (() => void)[] = [];
  port1.addEventListener("message", () => {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  });
  port1.start();
  // A frame is one task of the main thread: callbacks, style, layout, paint. What is posted in it runs after it.
  const soon = (callback: () => void): void => {
    waiting.push(callback);
    port2.postMessage(null);
  };
  let isInFrame = false;
  const original = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    original((at) => {
      isInFrame = true;
      soon(() => (isInFrame = false));
      callback(at);
    });
  const afterFrame = (callback: () => void): void => {
    if (isInFrame) soon(callback);
    else original(() => soon(callback));
  };

  const shown = (text: string): Promise<number> =>
    new Promise((resolve) => {
      const isThere = (): boolean => document.body.textContent.includes(text);
      const end = (): void => afterFrame(() => resolve(now()));
      if (isThere()) return end();
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        observer.disconnect();
        end();
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      return undefined;
    });

  let visibleAt = 0;
  let longTasks: number[] = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(entry.duration);
  }).observe({ type: "longtask" });
  // The stand-in hands its messages to the page through this function.
  const deliver = "__standInDeliver";
  const handed: unknown = Reflect.get(window, deliver);
  if (typeof handed === "function")
    Reflect.set(
      window,
      deliver,
      (channel: string, args: { data?: { kind?: string; isVisible?: boolean } }[]) => {
        if (args[0]?.data?.kind === "visibility" && args[0].data.isVisible === true) visibleAt = now();
        Reflect.apply(handed, undefined, [channel, args]);
      },
    );
  Reflect.set(window, name, {
    shown,
    visibleAt: () => visibleAt,
    takeLongTasks: () => longTasks.splice(0),
  });
};

/** Takes effect with the next load of the page. */
export const installProbe = (where: BrowserContext | Page): Promise<unknown> =>
  where.addInitScript(install, NAME);

/** Begins to wait at once; the result is when it was on the screen. */
export const whenShown = (page: Page, text: string): Promise<number> =>
  page.evaluate(
    ([name, text]) => {
      const probe: ProbeApi = Reflect.get(window, name);
      return probe.shown(text);
    },
    [NAME, text] as const,
  );

export const visibleAt = (page: Page): Promise<number> =>
  page.evaluate((name) => {
    const probe: ProbeApi = Reflect.get(window, name);
    return probe.visibleAt();
  }, NAME);

export const takeLongTasks = (page: Page): Promise<number[]> =>
  page.evaluate((name) => {
    const probe: ProbeApi = Reflect.get(window, name);
    return probe.takeLongTasks();
  }, NAME);
