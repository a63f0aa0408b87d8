// How many events per second become durable: redaction, evidence, cursor, state and transition in one transaction per
// batch, as ingest does it, on a real file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../core/store/openStore.ts";
import {
  sampleEvidence,
  sampleRuntime,
  sampleState,
  sampleTransition,
} from "../core/store/testkit/samples.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import type { Store } from "../core/ports/store.ts";

/** Time for one batch of `batchSize` events to be committed; `eventsPerSecond` follows from the median. */
export interface BatchFigure {
  batchSize: number;
  batches: number;
  medianMs: number;
  p95Ms: number;
  eventsPerSecond: number;
}

/** `medianMs`: one event committed alone. */
export interface StoreBench {
  name: string;
  medianMs: number;
  batches: BatchFigure[];
}

/** Size and shape of an ordinary tool event. */
const PAYLOAD = {
  session_id: "3f0c0e36-5b0e-4a38-9a5e-6f1d1c2b3a49",
  transcript_path: "/home/someone/.agent/projects/x/3f0c0e36.jsonl",
  cwd: "/home/someone/project",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "npm run build && npm test -- --run", description: "Builds and tests ".repeat(20) },
};

const storeEvent = (store: Store, id: string, at: number): void => {
  store.savepoint(() => {
    const row = store.insertEvent(
      sampleEvidence({ eventId: id, dedupeKey: id, eventTime: at, ingestedAt: at }),
      PAYLOAD,
    );
    store.rememberSpoolName("t1", id, at);
    store.putCursor({
      runtimeId: "r1",
      source: "hook",
      lastSourceSeq: null,
      lastOrderEventTime: at,
      lastOrderIngestedAt: at,
      lastOrderEventId: id,
    });
    const version = store.appendTransition(sampleTransition({ at, evaluatedAt: at, eventHorizon: row ?? 0 }));
    store.putState(sampleState({ stateVersion: version, lastSeenAt: at, updatedAt: at }));
  });
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const measureBatches = (store: Store, batchSize: number, batches: number): BatchFigure => {
  const durations: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const startedAt = performance.now();
    store.transaction(() => {
      for (let n = 0; n < batchSize; n += 1)
        storeEvent(store, `${batchSize}-${batch}-${n}`, batch * batchSize + n);
    });
    durations.push(performance.now() - startedAt);
  }
  durations.sort((a, b) => a - b);
  const medianMs = percentile(durations, 0.5);
  return {
    batchSize,
    batches,
    medianMs,
    p95Ms: percentile(durations, 0.95),
    eventsPerSecond: Math.round((batchSize * 1_000) / medianMs),
  };
};

/** Takes a few seconds and leaves nothing behind. */
export const benchStore = async (): Promise<StoreBench> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-bench-store-"));
  const store = openStore({ path: join(folder, "state.db"), logger: SILENT_LOGGER });
  try {
    store.insertRuntime(sampleRuntime());
    measureBatches(store, 10, 20); // Warms up the statements and the compiler.
    const batches = [
      measureBatches(store, 1, 2_000),
      measureBatches(store, 100, 40),
      measureBatches(store, 1_000, 8),
    ];
    return { name: "events made durable", medianMs: batches[0]?.medianMs ?? Number.NaN, batches };
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
