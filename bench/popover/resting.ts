// What the page does after the app said that it is hidden, while agents go on working: nothing. On the real main process
// with the stand-in's windows.
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright";
import { launchStandIn } from "../../e2e/launchers/standIn.ts";
import { countActivity, readActivity } from "../../e2e/pages/activity.ts";
import { PopoverPage } from "../../e2e/pages/popover.ts";
import { openFakeHome } from "../../e2e/standIn/fakeHome.ts";
import { until } from "../../test/setup/realClock.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { changeRow, makeRows } from "./rows.ts";

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

export const measureResting = async (browser: Browser, options: { rows: number; seconds: number }) => {
  const panes = makeRows(options.rows, Date.now());
  const daemon = new FakeDaemon(panes);
  const fake = await openFakeHome(daemon);
  const app = await launchStandIn({ home: fake.home, env: { HOME: fake.folder }, browser });
  const work = async (): Promise<number> => {
    const before = sum((await readActivity(app.page)).fired);
    for (let turn = 0; turn < options.seconds * 10; turn += 1) {
      const pane = panes[turn % panes.length];
      if (pane !== undefined) daemon.put(changeRow(pane, turn));
      await delay(100);
    }
    return sum((await readActivity(app.page)).fired) - before;
  };
  try {
    await countActivity(app.page);
    await app.page.reload();
    app.tray.click();
    await new PopoverPage(app.page).items.first().waitFor();
    const firedWhileOpen = await work();
    app.tray.click();
    await app.until(() => !app.isVisible(), "the popover closes");
    await until(() => daemon.feedClients === 1, "the page leaves the feed");
    const fired = await work();
    const { pending } = await readActivity(app.page);
    return {
      seconds: options.seconds,
      /** Callbacks of timers, frames, observers and tasks that ran while it was hidden. */
      fired,
      /** Timers and frames that would still have come. */
      pending: sum(pending),
      /** How many followed the feed beside the app itself. */
      subscriptions: daemon.feedClients - 1,
      /** The same while it was open, for comparison. */
      firedWhileOpen,
    };
  } finally {
    await app.close();
    await fake.close();
  }
};

export type RestingFigures = Awaited<ReturnType<typeof measureResting>>;
