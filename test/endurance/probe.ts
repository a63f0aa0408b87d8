// Loaded before the daemon into its process (`node --expose-gc --import`), so that the program under test is the product
// itself. It answers one question over the channel to its parent: what do you hold right now. `leak` makes it hold more
// with each call, to show that the measuring finds it.
import { EventEmitter } from "node:events";
import { openSync, readdirSync } from "node:fs";
import { queryObjects } from "node:v8";

/** Bytes are of the heap after collections; the rest are numbers of things. */
export interface ProbeSample {
  heapBytes: number;
  residentBytes: number;
  timers: number;
  /** Handles and requests of the event loop that are no timers. */
  handles: number;
  descriptors: number;
  emitters: number;
  abortSignals: number;
  processListeners: number;
}

export type ProbeQuestion = { id: number; ask: "sample" } | { id: number; ask: "leak"; bytes: number };
export interface ProbeAnswer {
  id: number;
  sample: ProbeSample | null;
}

const held: unknown[] = [];

const countOf = (kind: typeof EventEmitter | typeof AbortSignal): number => Number(queryObjects(kind));

const collect = async (): Promise<void> => {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    // What a collection frees tells its finalisers in the next turn.
    await new Promise((next) => setImmediate(next));
  }
};

const takeSample = async (): Promise<ProbeSample> => {
  await collect();
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((kind) => kind === "Timeout" || kind === "Immediate").length;
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed + external,
    residentBytes: rss,
    timers,
    handles: resources.length - timers,
    descriptors: readdirSync("/proc/self/fd").length,
    emitters: countOf(EventEmitter),
    abortSignals: countOf(AbortSignal),
    processListeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
};

const leak = (bytes: number): void => {
  held.push(
    "x".repeat(bytes).split(""),
    setTimeout(() => {}, 86_400_000).unref(),
    openSync("/dev/null", "r"),
    new AbortController().signal,
    new EventEmitter(),
  );
  process.on("SIGWINCH", () => held.length);
};

process.on("message", (question: ProbeQuestion) => {
  const { id } = question;
  const answer = (sample: ProbeSample | null): void =>
    void process.send?.({ id, sample } satisfies ProbeAnswer);
  if (question.ask === "leak") {
    leak(question.bytes);
    answer(null);
  } else
    takeSample().then(answer, (error: unknown) => {
      process.stderr.write(`probe: ${String(error)}\n`);
      answer(null);
    });
});
process.channel?.unref();
