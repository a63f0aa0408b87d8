import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import type { SendJob, WatchJob } from "../model/job.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { openDurableStore, type DurableStore } from "./durableStore.ts";
import { useStore } from "./testkit/useStore.ts";

let store: DurableStore;
const { reopen } = useStore(
  (path) => openDurableStore({ path, logger: SILENT_LOGGER, now: () => 5_000 }),
  (opened) => (store = opened),
);

const job = (jobId: string, more: Partial<WatchJob> = {}): WatchJob => ({
  jobId,
  kind: "watch",
  createdAt: 1_000,
  surface: "cli",
  subject: { filters: { session: ["work"] } },
  condition: { kind: "match", pattern: "FAILED" },
  channel: "phone",
  state: "armed",
  expiresAt: 9_000,
  runs: 0,
  maxRuns: 2,
  ...more,
});
const subject = { runtimeId: "rt1", identity: makePane().identity, agentName: "Claude Code" };
const run = (jobId: string, runtimeId: string | null = "rt1") => ({
  jobId,
  at: 2_000,
  runtimeId,
  outcome: "told",
});

describe("jobs", () => {
  it("survive a restart as they were armed", () => {
    const bound = job("job2", { subject, channel: null });
    store.insertJob(job("job1"));
    store.insertJob(bound);
    store.recordRun(run("job1"));
    reopen();
    expect(store.listArmedJobs()).toEqual([job("job1", { runs: 1 }), bound]);
    expect(store.listTold()).toEqual([{ jobId: "job1", runtimeId: "rt1" }]);
    expect(store.listRuns("job1", 10)).toEqual([run("job1")]);
  });

  it("tell no more than their number, and nothing once they ended", () => {
    store.insertJob(job("job1"));
    expect([1, 2, 3].map(() => store.recordRun(run("job1")))).toEqual([true, true, false]);
    expect(store.getJob("job1")).toMatchObject({ state: "done", runs: 2 });
    store.insertJob(job("job2"));
    expect(store.endJob("job2", "cancelled", { at: 1, outcome: "why" })).toBe(true);
    expect([store.endJob("job2", "expired"), store.recordRun(run("job2"))]).toEqual([false, false]);
    expect(store.listArmedJobs()).toEqual([]);
    expect(store.listRuns("job2", 10)).toMatchObject([{ outcome: "why" }]);
  });

  it("rest over a restart while they are paused", () => {
    expect(store.pausedAt()).toBeNull();
    store.setPausedAt(1_000);
    store.setPausedAt(2_000);
    reopen();
    expect(store.pausedAt()).toBe(2_000);
    store.setPausedAt(null);
    expect(store.pausedAt()).toBeNull();
  });

  it("that ended leave nothing of their text in the file", () => {
    const text = "a text that only this job has ".repeat(40);
    const { channel: _channel, subject: _subject, condition: _condition, ...shared } = job("job1");
    const send: SendJob = {
      ...shared,
      kind: "send",
      agent: subject,
      sessionId: null,
      trigger: { kind: "ready" },
      text,
      isVolatile: false,
      isFirst: false,
      nextAt: null,
    };
    const isInFile = (): boolean => {
      let isFound = false;
      reopen((path) => (isFound = readFileSync(path).includes(text.slice(0, 200))));
      return isFound;
    };
    store.insertJob(send);
    expect(isInFile()).toBe(true);
    store.endJob("job1", "cancelled");
    expect(isInFile()).toBe(false);
  });

  it("that are put off say why, where there is a why", () => {
    store.insertJob(job("job1"));
    store.setNextAt("job1", 3_000, null);
    expect(store.listRuns("job1", 10)).toEqual([]);
    store.setNextAt("job1", 4_000, { at: 2_000, outcome: "skipped: busy" });
    expect(store.listRuns("job1", 10)).toEqual([{ ...run("job1", null), outcome: "skipped: busy" }]);
  });

  it("are none after the file was damaged", () => {
    store.insertJob(job("job1"));
    reopen((path) => {
      writeFileSync(path, "no database");
      rmSync(`${path}-wal`, { force: true });
    });
    expect([store.listArmedJobs(), store.listJobs(10)]).toEqual([[], []]);
  });

  it("that ended are forgotten with the rest of the history, those that are armed are not", () => {
    store.insertJob(job("old", { expiresAt: 10, state: "done" }));
    store.insertJob(job("armed", { expiresAt: 10 }));
    store.prune({ olderThan: 1_000, maxEvents: 10, keepEventIds: new Set() });
    expect(store.listJobs(10).map(({ jobId }) => jobId)).toEqual(["armed"]);
  });
});
