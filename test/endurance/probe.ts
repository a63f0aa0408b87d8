// Loaded before the daemon into its process (`node --expose-gc --import`), so that the program under test is the product
// itself. It answers one question over the channel to its parent: what do you hold right now. `leak` makes it hold more
// with each call, to show that the measuring finds it.
import { EventEmitter } from "node:events";
import { openSync, readdirSync } from "node:fs";
import { queryObjects } from "node:v8";

export type ProbeQuestion = { ask: "light" } | { ask: "heap" } | { ask: "leak"; bytes: number };
export type ProbeAnswer =
  | { ask: "light"; sample: LightSample }
  | { ask: "heap"; sample: HeapSample }
  | { ask: "leak" }
  | { ask: "failed"; problem: string };
export type Numbered<T> = T & { id: number };

const held: unknown[] = [];

const countOf = (kind: typeof EventEmitter | typeof AbortSignal | typeof Object): number =>
  Number(queryObjects(kind));

const collect = async (): Promise<void> => {
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.();
    // What a collection frees tells its finalisers in the next turn.
    await new Promise((next) => setImmediate(next));
  }
};

const lightSample = () => {
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((kind) => kind === "Timeout" || kind === "Immediate").length;
  return {
    /** Those that keep the process alive; the others are objects. */
    timers,
    /** Handles and requests of the event loop that are no timers. */
    handles: resources.length - timers,
    descriptors: readdirSync("/proc/self/fd").length,
    processListeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
};

/** What can be counted at any moment. */
export type LightSample = ReturnType<typeof lightSample>;

const heapSample = async () => {
  await collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed + external,
    residentBytes: rss,
    /** Everything that is an object: unlike bytes, it does not move with what the compiler and the collector do. */
    objects: countOf(Object),
    emitters: countOf(EventEmitter),
    abortSignals: countOf(AbortSignal),
  };
};

/** What takes a second to find: bytes are of the heap after collections. */
export type HeapSample = Awaited<ReturnType<typeof heapSample>>;

const leak = (bytes: number): void => {
  held.push(
    Array.from({ length: 5_000 }, (_none, at) => ({ at })),
    Buffer.alloc(bytes, 1),
    // More than what is in flight at any moment.
    Array.from({ length: 8 }, () => [setTimeout(() => {}, 86_400_000), new EventEmitter()]),
    openSync("/dev/null", "r"),
  );
  process.on("SIGWINCH", () => held.length);
};

const answer = async (question: ProbeQuestion): Promise<ProbeAnswer> => {
  switch (question.ask) {
    case "light":
      return { ask: "light", sample: lightSample() };
    case "heap":
      return { ask: "heap", sample: await heapSample() };
    case "leak":
      leak(question.bytes);
      return { ask: "leak" };
  }
};

process.on("message", ({ id, ...question }: Numbered<ProbeQuestion>) => {
  void answer(question)
    .catch((error: unknown): ProbeAnswer => ({ ask: "failed", problem: String(error) }))
    .then((given) => process.send?.({ id, ...given } satisfies Numbered<ProbeAnswer>));
});
process.channel?.unref();
