// From the app's message that the popover is visible to the first frame that shows the present version, on the real main
// process with the stand-in's windows.
import type { Browser } from "playwright";
import { launchStandIn } from "../../e2e/launchers/standIn.ts";
import { PopoverPage } from "../../e2e/pages/popover.ts";
import { openFakeHome } from "../../e2e/standIn/fakeHome.ts";
import { until } from "../../test/setup/realClock.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { epochNow, installProbe, visibleAt, whenShown } from "./probe.ts";
import { changeRow, makeRows, markerRow } from "./rows.ts";

export interface OpeningFigures {
  rows: number;
  /** The first time since the page was loaded. Milliseconds. */
  firstMs: number[];
  /** Every other time: ten rows changed meanwhile. */
  againMs: number[];
  /** The same, but from the click on the tray, with the way through three processes. */
  fromClickMs: number[];
}

const CHANGED = 10;

export const measureOpening = async (
  browser: Browser,
  rows: number,
  times: { first: number; again: number },
): Promise<OpeningFigures> => {
  const panes = makeRows(rows, Date.now());
  const daemon = new FakeDaemon(panes);
  const fake = await openFakeHome(daemon);
  const app = await launchStandIn({ home: fake.home, env: { HOME: fake.folder }, browser });
  const figures: OpeningFigures = { rows, firstMs: [], againMs: [], fromClickMs: [] };
  const popover = new PopoverPage(app.page);
  let turn = 0;
  const open = async (): Promise<{ messageMs: number; clickMs: number }> => {
    turn += 1;
    const text = `mark-${rows}-${turn}.`;
    for (const pane of panes.slice(-CHANGED)) daemon.put(changeRow(pane, turn));
    daemon.put(markerRow(text));
    const shown = whenShown(app.page, text);
    const clickedAt = epochNow();
    app.tray.click();
    const shownAt = await shown;
    const measured = { messageMs: shownAt - (await visibleAt(app.page)), clickMs: shownAt - clickedAt };
    app.tray.click();
    await app.until(() => !app.isVisible(), "the popover closes");
    // Then only the app itself follows the feed.
    await until(() => daemon.feedClients === 1, "the page leaves the feed");
    return measured;
  };
  try {
    await installProbe(app.page);
    for (let index = 0; index < times.first; index += 1) {
      await app.page.reload();
      // Loaded, it takes one look at everything and rests.
      await popover.items.first().waitFor({ state: "attached" });
      await until(() => daemon.feedClients === 1, "the page rests");
      figures.firstMs.push((await open()).messageMs);
    }
    for (let index = 0; index < times.again; index += 1) {
      const { messageMs, clickMs } = await open();
      figures.againMs.push(messageMs);
      figures.fromClickMs.push(clickMs);
    }
    return figures;
  } finally {
    await app.close();
    await fake.close();
  }
};
