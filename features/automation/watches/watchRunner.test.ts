import { describe, expect, it } from "vitest";
import { makeWatchJob } from "../../../test/factories/job.ts";
import { makePane } from "../../../test/factories/view.ts";
import { DEFAULT_CONFIG } from "../../../core/model/config.ts";
import type { WatchJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { WatchRunner, type WatchMessage } from "./watchRunner.ts";

const MINUTE = 60_000;
const NOON = new Date(2026, 10, 22, 12, 0).getTime();

/** A runner over rows and jobs that the test sets; it looks when the test says so. */
const open = (rows: PaneView[], quiet: { from: string; to: string } | null = null) => {
  let now = NOON;
  const armed: WatchJob[] = [];
  const record = { isKept: false };
  const told: WatchMessage[] = [];
  const delays: number[] = [];
  let pausedAt: number | null = null;
  let see: (runtimeId: string, lines: readonly string[]) => void = () => {};
  const context = {
    rows: {
      all: () => rows,
      onScreens: (listener: typeof see) => {
        see = listener;
        return () => {};
      },
    },
    config: () => ({
      ...DEFAULT_CONFIG,
      notifications: { ...DEFAULT_CONFIG.notifications, quiet_hours: quiet },
    }),
    jobs: {
      listArmedJobs: () => armed,
      listTold: () => [],
      recordRun: () => record.isKept,
      endJob: () => true,
      pausedAt: () => pausedAt,
    },
    isReady: () => true,
    clock: {
      now: () => now,
      setTimer: (delayMs: number) => {
        delays.push(delayMs);
        return () => {};
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  const runner = new WatchRunner({
    context,
    tell: (message) => told.push(message),
    hears: () => true,
    rules: () => [],
  });
  return {
    armed,
    record,
    told,
    delays,
    runner,
    see: (runtimeId: string, lines: readonly string[]) => see(runtimeId, lines),
    pause: (isPaused: boolean) => (pausedAt = isPaused ? now : null),
    /** Time goes by, and the runner's own ticks come. */
    after: (ms: number) => {
      for (let left = ms; left > 15_000; left -= 15_000) {
        now += 15_000;
        runner.tick();
      }
      now += ms > 15_000 ? ms % 15_000 || 15_000 : ms;
      runner.tick();
    },
    /** The machine sleeps, or its clock is set. */
    jump: (ms: number) => {
      now += ms;
      runner.tick();
    },
  };
};

describe("the watch that is always there", () => {
  it("tells once of an agent that works and shows nothing new for a quarter of an hour", () => {
    const { after, told } = open([makePane({ state: "running" })]);
    after(0);
    after(14 * MINUTE);
    expect(told).toEqual([]);
    after(MINUTE);
    after(MINUTE);
    expect(told.map(({ title }) => title)).toEqual(["Claude Code has shown nothing new for 15m"]);
  });

  it("leaves background work, agents that rest, and the quiet hours alone", () => {
    const background = open([makePane({ state: "running", reason: "background_task" })]);
    const resting = open([makePane({ state: "idle" })]);
    const night = open([makePane({ state: "running" })], { from: "11:00", to: "13:00" });
    for (const one of [background, resting, night]) {
      one.after(0);
      one.after(20 * MINUTE);
    }
    expect([background.told, resting.told, night.told]).toEqual([[], [], []]);
    // They end, and it still holds.
    night.after(60 * MINUTE);
    expect(night.told).toHaveLength(1);
  });

  it("leaves an agent alone that is muted, of which a person's own watch tells all the same", () => {
    const muted = { ...makePane({ state: "running" }), muted: { until: null } };
    const { after, told, armed, record } = open([muted]);
    record.isKept = true;
    after(0);
    after(20 * MINUTE);
    expect(told).toEqual([]);
    armed.push(makeWatchJob({ kind: "state", state: "running" }));
    after(MINUTE);
    expect(told.map(({ jobId }) => jobId)).toEqual(["job1"]);
  });

  it("rests while everything is paused, and tells what still holds afterwards", () => {
    const { after, told, pause } = open([makePane({ state: "running" })]);
    after(0);
    pause(true);
    after(20 * MINUTE);
    expect(told).toEqual([]);
    pause(false);
    after(0);
    expect(told).toHaveLength(1);
  });

  it("takes neither a machine that slept nor a clock that was set for silence", () => {
    const { after, jump, told } = open([makePane({ state: "running" })]);
    after(MINUTE);
    jump(8 * 60 * MINUTE);
    after(14 * MINUTE);
    expect(told).toEqual([]);
    after(2 * MINUTE);
    expect(told).toHaveLength(1);
    const back = open([makePane({ state: "running" })]);
    back.after(MINUTE);
    back.jump(-60 * MINUTE);
    back.after(16 * MINUTE);
    expect(back.told).toHaveLength(1);
  });

  it("looks again when the time of one is over, and not up to a rest later", () => {
    const { after, delays } = open([makePane({ state: "running" })]);
    after(0);
    expect(delays.at(-1)).toBe(15_000);
    after(14 * MINUTE + 50_000);
    expect(delays.at(-1)).toBe(10_000);
    after(20_000);
    expect(delays.at(-1)).toBe(15_000);
  });

  it("looks seldom while nothing else is armed", () => {
    const { after, delays } = open([]);
    after(0);
    expect(delays.at(-1)).toBe(15_000);
  });
});

describe("what is armed", () => {
  it("is looked at seldom while nothing happens, and soon once something does", () => {
    const row = makePane({ state: "idle" });
    const { after, delays, armed, runner, see } = open([row]);
    armed.push(
      makeWatchJob({ kind: "state", state: "error" }),
      makeWatchJob({ kind: "match", pattern: "FAILED" }, { jobId: "job2" }),
    );
    after(0);
    expect(delays.at(-1)).toBe(15_000);
    see("rt1", ["a", "$"]);
    see("rt1", ["a", "b", "$"]);
    expect(delays.at(-1)).toBe(15_000);
    see("rt1", ["a", "b", "FAILED", "$"]);
    expect(delays.at(-1)).toBe(1_000);
    after(0);
    runner.handleChanges([{ kind: "pane", pane: row } as never]);
    expect(delays.at(-1)).toBe(1_000);
  });

  it("is looked at when a silence may be too long, when a job expires, and each second at a pane without an agent", () => {
    const { after, delays, armed } = open([makePane({ state: "running" })]);
    armed.push(makeWatchJob({ kind: "quiet", forMs: 8_000 }));
    after(0);
    expect(delays.at(-1)).toBe(8_000);
    armed.push(makeWatchJob({ kind: "gone" }, { jobId: "job2", expiresAt: NOON + 5_000 }));
    after(0);
    expect(delays.at(-1)).toBe(5_000);
    armed.push(
      makeWatchJob(
        { kind: "gone" },
        {
          jobId: "job3",
          subject: { ...makeWatchJob({ kind: "gone" }).subject, runtimeId: "pane:x" } as never,
        },
      ),
    );
    after(0);
    expect(delays.at(-1)).toBe(1_000);
  });
});

it("tells nothing that could not be put on record", () => {
  const { after, told, armed } = open([makePane({ state: "idle" })]);
  armed.push(makeWatchJob({ kind: "state", state: "idle" }));
  after(0);
  expect(told).toEqual([]);
});
