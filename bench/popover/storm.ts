// The popover with a thousand rows while agents work: from an entry of the feed to the frame that shows it, and what a storm
// of entries costs the page's main thread. In a browser page over the real browser bridge.
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright";
import { launchBrowserPopover } from "../../e2e/launchers/browser.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { epochNow, installProbe, takeLongTasks, whenShown } from "./probe.ts";
import { changeRow, makeRows, markerRow } from "./rows.ts";

// Reads the work of the page's main thread from Chromium's own trace. A batch is everything between two frames that the popover
// asked for; its work is given in wall-clock and in processor time.

interface MainThreadWork {
  /** Milliseconds of tasks per batch, by the clock. */
  batchWallMs: number[];
  /** The same in processor time, without other load of the machine. */
  batchCpuMs: number[];
  /** The longest task by the clock, in milliseconds. */
  longestTaskMs: number;
  /** The longest in processor time. */
  longestTaskCpuMs: number;
  /** Where the tasks' time went, by name of the trace event, in milliseconds in all. */
  byEventMs: Record<string, number>;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** No more than needed: tracing itself is work of the main thread. */
const CATEGORIES = ["toplevel", "devtools.timeline"];
const TASK = "ThreadControllerImpl::RunTask";
const PARTS = new Set([
  "FireAnimationFrame",
  "FunctionCall",
  "EvaluateScript",
  "RunMicrotasks",
  "TimerFire",
  "UpdateLayoutTree",
  "Layout",
  "PrePaint",
  "Paint",
  "Layerize",
  "Commit",
  "MinorGC",
  "MajorGC",
  "V8.GCScavenger",
]);

const toMs = (micros: number | undefined): number => (micros ?? 0) / 1_000;

/** The main thread of the renderer that animates: an open browser has several. */
const findMainThread = (events: readonly TraceEvent[]): ((event: TraceEvent) => boolean) => {
  const frames = events.filter(({ name }) => name === "FireAnimationFrame");
  const [first] = frames;
  if (first === undefined) throw new Error("the trace has no frame that the page asked for");
  return ({ pid, tid }) => pid === first.pid && tid === first.tid;
};

const readWork = (all: readonly TraceEvent[]): MainThreadWork => {
  const events = all.filter(findMainThread(all));
  const complete = events.filter(({ ph }) => ph === "X");
  const tasks = complete.filter(({ name }) => name === TASK).toSorted((left, right) => left.ts - right.ts);
  const frameTimes = complete
    .filter(({ name }) => name === "FireAnimationFrame")
    .map(({ ts }) => ts)
    .toSorted((left, right) => left - right);
  const work: MainThreadWork = {
    batchWallMs: [],
    batchCpuMs: [],
    longestTaskMs: 0,
    longestTaskCpuMs: 0,
    byEventMs: {},
  };
  let [wall, cpu, frame] = [0, 0, 0];
  for (const task of tasks) {
    wall += toMs(task.dur);
    cpu += toMs(task.tdur);
    work.longestTaskMs = Math.max(work.longestTaskMs, toMs(task.dur));
    work.longestTaskCpuMs = Math.max(work.longestTaskCpuMs, toMs(task.tdur));
    const end = task.ts + (task.dur ?? 0);
    const before = frame;
    while ((frameTimes[frame] ?? Infinity) <= end) frame += 1;
    if (frame === before) continue;
    work.batchWallMs.push(wall);
    work.batchCpuMs.push(cpu);
    [wall, cpu] = [0, 0];
  }
  for (const { name, dur } of complete)
    if (PARTS.has(name)) work.byEventMs[name] = (work.byEventMs[name] ?? 0) + toMs(dur);
  return work;
};

/** Traces the page while the given work is done. */
const traceWork = async (browser: Browser, page: Page, run: () => Promise<void>): Promise<MainThreadWork> => {
  await browser.startTracing(page, { categories: CATEGORIES });
  await run();
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString("utf8"));
  return readWork(trace.traceEvents);
};

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
) => {
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
      /** The time from the daemon's change to the end of the frame, while nothing else happens. Milliseconds. */
      entryMs,
      /** The same during the storm. */
      entryInStormMs,
      updatesPerSecond: updates / options.seconds,
      work,
      longTasksMs,
    };
  } finally {
    await launched.close();
  }
};

export type StormFigures = Awaited<ReturnType<typeof measureStorm>>;
