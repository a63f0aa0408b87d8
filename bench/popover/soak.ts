// Whether the page's memory grows in long use: agents work, come and go, the popover is opened and closed, scrolled and
// filtered, rows are expanded. Heap, elements and listeners are read after a forced collection.
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, CDPSession } from "playwright";
import { launchBrowserPopover, type BrowserPopover } from "../../e2e/launchers/browser.ts";
import type { PopoverPage } from "../../e2e/pages/popover.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { makePane } from "../../test/factories/view.ts";
import { fitSlope } from "../statistics.ts";
import { changeRow, makeRows } from "./rows.ts";

export interface SoakFigures {
  rows: number;
  seconds: number;
  samples: Sample[];
  /** The growth along a straight line through the samples after the warm-up, over their whole length. */
  growth: { heapMb: number; nodes: number; listeners: number };
  /** What `heapMb` may be at most. */
  heapLimitMb: number;
}

const UPDATE_EVERY_MS = 20;
/** In this first part of the run V8 compiles, and caches fill up to their bounds. */
const WARM_UP_SHARE = 1 / 3;
/**
 * An app that is open all day may not need a restart because of its heap: 2 MB an hour are 20 MB in a day of ten hours. Half a
 * megabyte is added, because the heap of two samples differs by this much even without a leak.
 */
const HEAP_MB_PER_HOUR = 2;
const HEAP_NOISE_MB = 0.5;
/** In its first two minutes the page still fills V8's own caches: a short soak cannot leave them out. */
const SETTLED_SECONDS = 300;
const SETTLING_MB = 0.5;

const heapLimitOf = (seconds: number): number =>
  HEAP_NOISE_MB + (HEAP_MB_PER_HOUR * seconds) / 3_600 + (seconds < SETTLED_SECONDS ? SETTLING_MB : 0);

/** Always at the same place in the list, or the samples would differ by the drawn rows. */
const readSample = async (popover: PopoverPage, session: CDPSession, at: number) => {
  await popover.scrollTo(0);
  await delay(200);
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const valueOf = (wanted: string): number =>
    metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return {
    /** Seconds since the beginning. */
    at,
    heapMb: valueOf("JSHeapUsedSize") / 2 ** 20,
    nodes: valueOf("Nodes"),
    listeners: valueOf("JSEventListeners"),
  };
};

type Sample = Awaited<ReturnType<typeof readSample>>;

/** Changes rows; every fifth time a new row appears and another one disappears. */
const work = async (daemon: FakeDaemon, rows: number, signal: AbortSignal): Promise<void> => {
  const panes = makeRows(rows, Date.now());
  const startedAt = performance.now();
  for (let turn = 0; !signal.aborted; turn += 1) {
    const pane = panes[(turn * 37) % panes.length];
    if (pane !== undefined) daemon.put(changeRow(pane, turn));
    if (turn % 5 === 0) {
      const guest = (number: number) =>
        makePane({ pane: 10_000 + number, session: `guest-${number % 7}`, state: "running" });
      daemon.put(guest(turn));
      if (turn >= 50) daemon.remove(guest(turn - 50).identity.pane_ref);
    }
    await delay(Math.max(startedAt + turn * UPDATE_EVERY_MS - performance.now(), 0));
  }
};

/** One round of what a person does with it. */
const use = async ({ page, popover }: BrowserPopover, turn: number): Promise<void> => {
  const show = (visibility: "visible" | "hidden") =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, visibility);
  await popover.scrollTo((turn * 977) % 20_000);
  await popover.press("j", "Space");
  await delay(200);
  await popover.press("Escape", "/");
  // Chromium itself keeps typed text for undoing, so every round would show as nodes that the page does not hold.
  if (turn % 10 === 0) await page.keyboard.type(`task-${turn % 90}`);
  await delay(200);
  await popover.press("Escape", "Escape", "s");
  await delay(100);
  await popover.press("g");
  await show("hidden");
  await delay(200);
  await show("visible");
  await delay(300);
};

const growthOf = (samples: readonly Sample[], pick: (sample: Sample) => number): number => {
  const last = samples.at(-1)?.at ?? 0;
  const settled = samples.filter(({ at }) => at >= last * WARM_UP_SHARE);
  return fitSlope(settled.map((sample) => ({ x: sample.at, y: pick(sample) }))) * last * (1 - WARM_UP_SHARE);
};

export const measureSoak = async (
  browser: Browser,
  options: { rows: number; seconds: number },
): Promise<SoakFigures> => {
  const daemon = new FakeDaemon(makeRows(options.rows, Date.now()));
  const launched = await launchBrowserPopover({ browser, daemon });
  const aborter = new AbortController();
  try {
    await launched.popover.items.first().waitFor();
    const session = await launched.context.newCDPSession(launched.page);
    await session.send("Performance.enable");
    const working = work(daemon, options.rows, aborter.signal);
    const samples: Sample[] = [];
    const startedAt = performance.now();
    const seconds = (): number => (performance.now() - startedAt) / 1_000;
    const every = Math.max(options.seconds / 60, 2);
    for (let turn = 0; seconds() < options.seconds; turn += 1) {
      await use(launched, turn);
      if (seconds() < samples.length * every) continue;
      samples.push(await readSample(launched.popover, session, seconds()));
    }
    aborter.abort();
    await working;
    return {
      ...options,
      samples,
      growth: {
        heapMb: growthOf(samples, ({ heapMb }) => heapMb),
        nodes: growthOf(samples, ({ nodes }) => nodes),
        listeners: growthOf(samples, ({ listeners }) => listeners),
      },
      heapLimitMb: heapLimitOf(options.seconds),
    };
  } finally {
    aborter.abort();
    await launched.close();
  }
};
