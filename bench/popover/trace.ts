// Reads the work of the page's main thread from Chromium's own trace. A batch is everything between two frames that the popover
// asked for; its work is given in wall-clock and in processor time.
import type { Browser, Page } from "playwright";

export interface MainThreadWork {
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
export const traceWork = async (
  browser: Browser,
  page: Page,
  run: () => Promise<void>,
): Promise<MainThreadWork> => {
  await browser.startTracing(page, { categories: CATEGORIES });
  await run();
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString("utf8"));
  return readWork(trace.traceEvents);
};
