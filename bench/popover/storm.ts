// The popover with a thousand rows while agents work: from an entry of the feed to the frame that shows it, and what a storm
// of entries costs the page's main thread. In a browser page over the real browser bridge.
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright";
import { launchBrowserPopover } from "../../e2e/launchers/browser.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { epochNow, installProbe, takeLongTasks, whenShown } from "./probe.ts";
import { changeRow, makeRows, markerRow } from "./rows.ts";
import { traceWork, type MainThreadWork } from "./trace.ts";

export interface StormFigures {
  rows: number;
  /** The time from the daemon's change to the end of the frame, while nothing else happens. Milliseconds. */
  entryMs: number[];
  /** The same during the storm. */
  entryInStormMs: number[];
  updatesPerSecond: number;
  work: MainThreadWork;
  longTasksMs: number[];
}

const UPDATE_EVERY_MS = 20;

/** Changes rows all over the list, evenly, until told to stop; resolves with how many it changed. */
const storm = async (
  daemon: FakeDaemon,
  panes: ReturnType<typeof makeRows>,
  signal: AbortSignal,
): Promise<number> => {
  const startedAt = performance.now();
  let turn = 0;
  while (!signal.aborted) {
    const pane = panes[(turn * 37) % panes.length];
    if (pane !== undefined) daemon.put(changeRow(pane, turn));
    turn += 1;
    await delay(Math.max(startedAt + turn * UPDATE_EVERY_MS - performance.now(), 0));
  }
  return turn;
};

export const measureStorm = async (
  browser: Browser,
  options: { rows: number; entries: number; seconds: number },
): Promise<StormFigures> => {
  const panes = makeRows(options.rows, Date.now());
  const daemon = new FakeDaemon(panes);
  const launched = await launchBrowserPopover({ browser, daemon });
  const { page, popover, context } = launched;
  let mark = 0;
  const measureEntry = async (): Promise<number> => {
    mark += 1;
    const text = `entry-${mark}.`;
    const shown = whenShown(page, text);
    // An odd interval, so that the changes are not in step with the frames.
    await delay(20 + ((mark * 7) % 50));
    const toldAt = epochNow();
    daemon.put(markerRow(text));
    return (await shown) - toldAt;
  };
  const measureEntries = async (): Promise<number[]> => {
    const all: number[] = [];
    for (let index = 0; index < options.entries; index += 1) all.push(await measureEntry());
    return all;
  };
  try {
    await installProbe(context);
    await page.reload();
    await popover.items.first().waitFor();
    const entryMs = await measureEntries();

    const startStorm = () => {
      const aborter = new AbortController();
      const done = storm(daemon, panes, aborter.signal);
      return async () => {
        aborter.abort();
        return await done;
      };
    };
    // The warm-up lets V8 compile the code: compiling is not a cost of an open popover.
    const stopWarmUp = startStorm();
    await delay(2_000);
    await stopWarmUp();
    await takeLongTasks(page);
    let updates = 0;
    const work = await traceWork(browser, page, async () => {
      const stop = startStorm();
      await delay(options.seconds * 1_000);
      updates = await stop();
    });
    const longTasksMs = await takeLongTasks(page);
    const stop = startStorm();
    const entryInStormMs = await measureEntries();
    await stop();
    return {
      rows: options.rows,
      entryMs,
      entryInStormMs,
      updatesPerSecond: updates / options.seconds,
      work,
      longTasksMs,
    };
  } finally {
    await launched.close();
  }
};
