// How long an event file takes from its rename into the spool until it is handed over, one at a time and as a backlog.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSpoolDrain } from "../core/collect/spoolDrain.ts";
import { createSystemClock } from "../core/daemon/systemClock.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";

/** `medianMs`: rename to hand-over of a single event while nothing else happens. */
export interface SpoolBench {
  name: string;
  medianMs: number;
  p95Ms: number;
  backlogFiles: number;
  backlogFilesPerSecond: number;
}

const SINGLE_EVENTS = 200;
const BACKLOG_FILES = 5_000;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const benchSpool = async (): Promise<SpoolBench> => {
  const spoolDir = mkdtempSync(join(tmpdir(), "agtmux-bench-spool-"));
  for (const folder of ["new", "tmp"]) mkdirSync(join(spoolDir, folder));
  const drop = (name: string): void => {
    const temp = join(spoolDir, "tmp", name);
    const payload = JSON.stringify({ hook_event_name: "PreToolUse", tool_input: "x".repeat(1_000) });
    writeFileSync(temp, `agtmux-event 1\nagent=claude\nevent=PreToolUse\npane=%1\n\n${payload}`);
    renameSync(temp, join(spoolDir, "new", name));
  };
  let handedOver = 0;
  let onHandedOver: (() => void) | null = null;
  const drain = createSpoolDrain({
    spoolDir,
    sweepMs: 60_000,
    redact: (text) => text,
    clock: createSystemClock(),
    logger: SILENT_LOGGER,
    onBatch: (envelopes) => {
      handedOver += envelopes.length;
      onHandedOver?.();
    },
  });
  try {
    for (let index = 0; index < BACKLOG_FILES; index++) drop(`backlog${index}`);
    const backlogFrom = performance.now();
    await drain.start();
    const backlogMs = performance.now() - backlogFrom;
    if (handedOver !== BACKLOG_FILES) throw new Error(`bench spool: ${handedOver} of ${BACKLOG_FILES} came`);
    const latencies: number[] = [];
    for (let index = 0; index < SINGLE_EVENTS; index++) {
      const from = performance.now();
      const came = new Promise<void>((done) => (onHandedOver = done));
      drop(`single${index}`);
      await came;
      latencies.push(performance.now() - from);
      await drain.drain();
    }
    const sorted = latencies.toSorted((a, b) => a - b);
    return {
      name: "spool: rename to hand-over",
      medianMs: at(sorted, 0.5),
      p95Ms: at(sorted, 0.95),
      backlogFiles: BACKLOG_FILES,
      backlogFilesPerSecond: Math.round((BACKLOG_FILES * 1_000) / backlogMs),
    };
  } finally {
    await drain.close();
    rmSync(spoolDir, { recursive: true, force: true });
  }
};
