// Deals batches of cases out to worker threads, watches that each case comes back, and adds up what they report. The same
// seed gives the same cases, however many threads there are.
import { Worker } from "node:worker_threads";
import type { FuzzTarget } from "./fuzzTarget.ts";
import type { Batch, Finding } from "./runBatch.ts";
import { BEAT_CELLS, type WorkerOrder, type WorkerReport } from "./workerMessages.ts";

export interface FuzzOptions {
  readonly targets: readonly FuzzTarget[];
  /** Of all targets together, dealt out by weight; each gets a few. */
  readonly cases: number;
  readonly seed: number;
  readonly threads: number;
  /** A case that is under way for so long, in milliseconds, never comes back. */
  readonly hangMs: number;
  readonly onProgress?: (done: number, all: number) => void;
}

export interface TargetReport {
  readonly name: string;
  readonly cases: number;
  readonly slowestMs: number;
  readonly tookMs: number;
  readonly findings: readonly Finding[];
}

interface Task {
  readonly target: FuzzTarget;
  readonly batch: Batch;
}

const BATCH_CASES = 500;
/** Of each target, however small its weight. */
const MIN_CASES = 3;
const LOOK_MS = 250;
/** Findings of one target that are kept; more say nothing new. */
const MAX_FINDINGS = 5;
/** Threads read sources without a build; a socket target opens a server. */
const WORKER = new URL("fuzzWorker.ts", import.meta.url);

/** FNV-1a: a seed of its own for every batch of every target. */
const seedOf = (seed: number, name: string, index: number): number => {
  let hash = 0x811c9dc5 ^ seed;
  for (const char of `${name}/${index}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  return hash | 0;
};

/** Batches of all targets, those of one target spread over the whole run. */
const planTasks = ({ targets, cases, seed }: FuzzOptions): Task[] => {
  const weights = targets.reduce((sum, { weight }) => sum + weight, 0);
  return targets
    .flatMap((target) => {
      const share = Math.max(MIN_CASES, Math.round((cases * target.weight) / weights));
      const count = Math.ceil(share / BATCH_CASES);
      return Array.from({ length: count }, (_, index) => ({
        order: index / count,
        target,
        batch: {
          seed: seedOf(seed, target.name, index),
          cases: index === count - 1 ? share - index * BATCH_CASES : BATCH_CASES,
        },
      }));
    })
    .toSorted((a, b) => a.order - b.order);
};

/** Messages that differ in their figures and texts only are one finding. */
const kindOf = (message: string): string => message.replaceAll(/\d+|'[^']*'|"[^"]*"/g, "#");

class Thread {
  private readonly cells = new Int32Array(new SharedArrayBuffer(BEAT_CELLS * Int32Array.BYTES_PER_ELEMENT));
  private readonly worker: Worker;
  private readonly onStray: (finding: Finding) => void;
  private settle: ((report: WorkerReport) => void) | null = null;

  constructor(onStray: (finding: Finding) => void) {
    this.onStray = onStray;
    this.cells[0] = -1;
    this.worker = new Worker(WORKER, {
      workerData: { beat: this.cells.buffer },
      execArgv: ["--disable-warning=ExperimentalWarning"],
      // As the daemon's own thread has: the default of a worker is four times as deep.
      resourceLimits: { stackSizeMb: 1 },
    });
    this.worker.on("message", (report: WorkerReport) => {
      if (report.kind === "stray") this.onStray(report.finding);
      else this.settle?.(report);
    });
    this.worker.on("error", (error) =>
      this.settle?.({ kind: "failed", target: "thread", message: error.stack ?? error.message }),
    );
  }

  /** Null: the case under way did not come back within `hangMs`; the thread is of no use any more. */
  async ask(order: WorkerOrder, hangMs: number): Promise<WorkerReport | null> {
    const answer = Promise.withResolvers<WorkerReport | null>();
    let last = { case: -1, count: -1, at: performance.now() };
    const timer = setInterval(() => {
      const now = { case: Atomics.load(this.cells, 0), count: Atomics.load(this.cells, 1) };
      if (now.case === -1 || now.case !== last.case || now.count !== last.count)
        last = { ...now, at: performance.now() };
      else if (performance.now() - last.at > hangMs) answer.resolve(null);
    }, LOOK_MS);
    this.settle = answer.resolve;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    this.worker.postMessage(order);
    try {
      return await answer.promise;
    } finally {
      clearInterval(timer);
      this.settle = null;
    }
  }

  get caseUnderWay(): number {
    return Atomics.load(this.cells, 0);
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

/** Runs all; findings are in the reports, and nothing is thrown for them. */
export const runFuzz = async (options: FuzzOptions): Promise<TargetReport[]> => {
  const tasks = planTasks(options);
  const all = tasks.reduce((sum, { batch }) => sum + batch.cases, 0);
  const reports = new Map(
    options.targets.map(({ name }) => [
      name,
      { name, cases: 0, slowestMs: 0, tookMs: 0, findings: [] as Finding[] },
    ]),
  );
  let done = 0;
  const addFinding = (finding: Finding): void => {
    const findings = reports.get(finding.target)?.findings ?? [];
    const isNew = findings.every(({ message }) => kindOf(message) !== kindOf(finding.message));
    if (isNew && findings.length < MAX_FINDINGS) findings.push(finding);
  };
  const describeHang = async ({ target, batch }: Task, caseNumber: number): Promise<void> => {
    const thread = new Thread(() => {});
    const report = await thread.ask(
      { kind: "describe", target: target.name, batch, caseNumber },
      options.hangMs,
    );
    await thread.end();
    addFinding({
      target: target.name,
      seed: batch.seed,
      path: String(caseNumber),
      message: `hang: the case did not come back within ${options.hangMs} ms`,
      value: report?.kind === "described" ? report.value : "it cannot be shown",
    });
  };

  const runThread = async (): Promise<void> => {
    let thread = new Thread(addFinding);
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const { target, batch } = task;
      const began = performance.now();
      const report = await thread.ask({ kind: "run", target: target.name, batch }, options.hangMs);
      const row = reports.get(target.name);
      if (row === undefined) continue;
      row.tookMs += performance.now() - began;
      done += batch.cases;
      if (report === null) {
        const caseNumber = thread.caseUnderWay;
        await thread.end();
        await describeHang(task, caseNumber);
        // One such case is enough: each costs as long as it is waited for.
        for (let index = tasks.length - 1; index >= 0; index -= 1)
          if (tasks[index]?.target === target) tasks.splice(index, 1);
        thread = new Thread(addFinding);
      } else if (report.kind === "done") {
        row.cases += report.result.cases;
        row.slowestMs = Math.max(row.slowestMs, report.result.slowestMs);
        if (report.result.finding !== null) addFinding(report.result.finding);
      } else if (report.kind === "failed") {
        addFinding({ target: target.name, seed: batch.seed, path: null, message: report.message, value: "" });
        if (report.target === "thread") thread = new Thread(addFinding);
      }
      options.onProgress?.(done, all);
    }
    await thread.ask({ kind: "close" }, options.hangMs);
    await thread.end();
  };
  await Promise.all(Array.from({ length: options.threads }, runThread));
  return [...reports.values()];
};
