// The browser that the test files of a worker share.
import type { Browser } from "playwright";
import { test } from "vitest";
import { launchChromium } from "./chromium.ts";

/** With the browser of this worker: the first file that needs it starts it, and it ends with the worker. */
// oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern what the fixture needs
export const inWorker = test.extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
  const browser = await launchChromium();
  onCleanup(() => browser.close());
  return browser;
});

/** Gives it to the tests of a file before the first of them. What a test opens in it, the test closes. */
export const takeChromium = (take: (browser: Browser) => void): void => {
  inWorker.beforeAll(({ browser }) => take(browser));
};
