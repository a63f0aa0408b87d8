// Nothing runs while nobody looks: neither a timer nor a frame nor a subscription. On the stand-in the app's own message says
// that the page is hidden, in the browser the document does.
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makePane } from "../test/factories/view.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { launchBrowserPopover } from "./launchers/browser.ts";
import { takeChromium } from "./launchers/workerBrowser.ts";
import { launchStandIn, type StandIn } from "./launchers/standIn.ts";
import { countActivity, readActivity } from "./pages/activity.ts";
import { PopoverPage } from "./pages/popover.ts";
import { mixedScene, SCREEN } from "./scenes/scenes.ts";
import { openFakeHome } from "./standIn/fakeHome.ts";

const WAIT = { timeout: 15_000, interval: 25 };
/** Longer than every interval in the popover: ages tick every second, the output is read every one and a half. */
const QUIET_MS = 2_000;

let browser: Browser;
const closers: (() => Promise<void>)[] = [];
let daemon: FakeDaemon;

takeChromium((given) => (browser = given));
beforeEach(() => {
  const panes = mixedScene(Date.now());
  daemon = new FakeDaemon(panes);
  for (const pane of panes) daemon.outputs.set(pane.identity.pane_ref, { screen: SCREEN });
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const untilFollowed = (count: number) => vi.waitFor(() => expect(daemon.feedClients).toBe(count), WAIT);

/** Everything periodic is on the screen: ages, the output of a pane, a connection that is being retried. */
const makeBusy = async (popover: PopoverPage): Promise<void> => {
  await popover.row("refunds").focus();
  await popover.press("o");
  await popover.screen.waitFor();
  daemon.goDown();
  await popover.page.getByText("Disconnected.").waitFor();
  daemon.resume();
  await popover.page.getByText("Disconnected.").waitFor({ state: "detached" });
};

/**
 * Real time passes: that something does not happen can only be seen by waiting. Work that was running when the page was hidden
 * ends first, however long a busy machine takes for it; what a timer or a change wakes never ends: each wait has a change.
 */
const expectQuiet = async (page: Page): Promise<void> => {
  let changes = 0;
  await vi.waitFor(async () => {
    const before = await readActivity(page);
    const reads = daemon.outputRequests.length;
    const windowName = `unseen${(changes += 1)}`;
    daemon.put(makePane({ pane: 77, session: "web", windowName, state: "error" }));
    await delay(QUIET_MS);
    expect(await readActivity(page)).toEqual({ ...before, pending: {}, animations: 0 });
    expect(daemon.outputRequests).toHaveLength(reads);
  }, WAIT);
};

const launchApp = async (): Promise<{ app: StandIn; popover: PopoverPage }> => {
  const fake = await openFakeHome(daemon);
  closers.push(() => fake.close());
  const app = await launchStandIn({ home: fake.home, env: { HOME: fake.folder }, browser });
  closers.push(() => app.close());
  await countActivity(app.page);
  await app.page.reload();
  return { app, popover: new PopoverPage(app.page) };
};
const toggle = async (app: StandIn, isOpen: boolean): Promise<void> => {
  app.tray.click();
  await app.until(() => app.isVisible() === isOpen, isOpen ? "the popover opens" : "the popover closes");
};

it("the app's page rests until its popover opens, rests again when it closes, and goes on where it was", async () => {
  const { app, popover } = await launchApp();
  // The loaded page takes one snapshot; then only the app itself follows the feed, for its tray.
  await popover.row("refunds").waitFor();
  await untilFollowed(1);
  await expectQuiet(app.page);

  await toggle(app, true);
  await popover.row("unseen").waitFor();
  await untilFollowed(2);
  await makeBusy(popover);
  await vi.waitFor(
    async () => expect(Object.keys((await readActivity(app.page)).pending)).not.toEqual([]),
    WAIT,
  );

  await toggle(app, false);
  await untilFollowed(1);
  await expectQuiet(app.page);
  daemon.put(makePane({ pane: 78, session: "web", windowName: "meanwhile", state: "error" }));

  await toggle(app, true);
  await popover.row("meanwhile").waitFor();
  await untilFollowed(2);
  expect(daemon.feedRequests.at(-1)).toMatchObject({ since: expect.any(Number) as number, latest: true });
});

it("the browser's page rests while its document is hidden, and goes on where it was", async () => {
  const launched = await launchBrowserPopover({ browser, daemon });
  const { page, popover, errors } = launched;
  closers.push(() => launched.close());
  await countActivity(page);
  await page.reload();
  await popover.row("refunds").waitFor();
  const show = (visibility: "visible" | "hidden") =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, visibility);
  await makeBusy(popover);
  await show("hidden");
  await untilFollowed(0);
  await expectQuiet(page);
  await show("visible");
  await popover.row("unseen").waitFor();
  expect(daemon.feedRequests.at(-1)).toMatchObject({ since: expect.any(Number) as number, latest: true });
  expect(errors.filter((text) => !text.includes("503"))).toEqual([]);
});

it("a menu's wish that comes before the page has read its scripts is followed once it has", async () => {
  const { app } = await launchApp();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await app.page.route("**/assets/*.js", async (route) => {
    asked.resolve();
    await held;
    await route.fallback();
  });
  const loaded = app.page.reload();
  await asked.promise;
  app.menu.click("settings");
  await app.until(() => app.isVisible(), "the popover opens");
  release();
  await loaded;
  await app.page.getByRole("heading", { name: "Settings" }).waitFor();
});
