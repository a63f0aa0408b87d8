// How long the daemon's first answer waits for the events that came while none ran.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../test/setup/realClock.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { startSpool } from "./createDaemon.ts";

let spoolDir: string;
let owned: AsyncDisposableStack;
/** What was called, in order. */
let calls: string[];
/** Timers that are set, by their delay: they fire by hand. */
let timers: Map<number, () => void>;

beforeEach(() => {
  spoolDir = join(mkdtempSync(join(tmpdir(), "agtmux-first-")), "spool");
  for (const folder of ["tmp", "new", "bad"]) mkdirSync(join(spoolDir, folder), { recursive: true });
  writeFileSync(join(spoolDir, "new", "one"), "agtmux-event 1\nagent=pi\nevent=one\n\n{}");
  owned = new AsyncDisposableStack();
  calls = [];
  timers = new Map();
});
afterEach(async () => {
  await owned.disposeAsync();
});

const start = (deliver: () => Promise<void>): Promise<void> =>
  startSpool({
    spoolDir,
    deliver: async () => {
      calls.push("deliver");
      await deliver();
    },
    ingest: {
      markStale: () => calls.push("hide"),
      resynced: () => calls.push("claim"),
    } as unknown as Ingest,
    clock: {
      now: () => Date.now(),
      setTimer: (delayMs, callback) => {
        timers.set(delayMs, callback);
        return () => timers.delete(delayMs);
      },
    },
    logger: SILENT_LOGGER,
    owned,
  }).then(() => {
    calls.push("answer");
  });

it("answers with all of them applied, and hides nothing", async () => {
  await start(() => Promise.resolve());
  expect(calls).toEqual(["deliver", "answer"]);
  expect([...timers.keys()], "only the next sweep is left").toEqual([2_000]);
});

it("answers after five seconds without a claim, and claims states once all are applied", async () => {
  const { promise: applied, resolve: finish } = Promise.withResolvers<void>();
  const started = start(() => applied);
  await until(() => calls.includes("deliver"), "the batch is handed over");
  timers.get(5_000)?.();
  await started;
  expect(calls).toEqual(["deliver", "hide", "answer"]);
  finish();
  await until(() => calls.length === 4, "states are claimed");
  expect(calls).toEqual(["deliver", "hide", "answer", "claim"]);
});
