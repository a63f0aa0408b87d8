import { beforeEach, describe, expect, it } from "vitest";
import { makeSendJob, makeWatchJob } from "../../test/factories/job.ts";
import { makePane } from "../../test/factories/view.ts";
import type { Config } from "../../core/model/config.ts";
import type { Job } from "../../core/model/job.ts";
import type { AwakeView, PaneView } from "../../core/model/view.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import type { BlockProblem } from "../../core/ports/sleepBlocker.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createAwake, reasonsOf } from "./awake.ts";

const START = Date.UTC(2026, 10, 29, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let now: number;
let setting: Config["keep_awake"];
let rows: PaneView[];
let jobs: Job[];
let isPaused: boolean;
let isOnPower: boolean | null;
/** Why the blocker fails; null: it holds. */
let failure: string | null;
let missing: BlockProblem | null;
let held: number;
let holds: number;
let powerLooks: number;
let end: (why: string) => void;
let told: (AwakeView | null)[];
let onConfig: () => void;
let timers: { at: number; callback: () => void }[];
let running: ReturnType<ReturnType<typeof createAwake>["start"]>;

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
const pass = async (ms: number): Promise<void> => {
  const until = now + ms;
  for (;;) {
    const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    now = Math.max(now, next.at);
    next.callback();
    await settle();
  }
  now = until;
};
const start = (): void => {
  const context = {
    rows: { all: () => rows },
    jobs: { listArmedJobs: () => jobs, pausedAt: () => (isPaused ? 1 : null) },
    config: () => ({ keep_awake: setting }),
    onConfigChange: (listener: () => void) => {
      onConfig = listener;
      return () => {};
    },
    setAwake: (view: AwakeView | null) => told.push(view),
    clock: {
      now: () => now,
      setTimer: (delayMs: number, callback: () => void) => {
        const timer = { at: now + delayMs, callback };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  running = createAwake(() => ({
    findProblem: async () => missing,
    hold: async (onEnd) => {
      holds += 1;
      if (failure !== null) throw new Error(failure);
      held += 1;
      let isHeld = true;
      const letGo = (): void => {
        if (isHeld) held -= 1;
        isHeld = false;
      };
      end = (why) => {
        letGo();
        onEnd(why);
      };
      return { release: letGo };
    },
    isOnPower: async () => {
      powerLooks += 1;
      return isOnPower;
    },
    close: async () => {},
  })).start(context);
};
const change = async (...next: PaneView[]): Promise<void> => {
  rows = next;
  running.onChanges([]);
  await pass(1_000);
};
const set = async (value: Config["keep_awake"]): Promise<void> => {
  setting = value;
  onConfig();
  await settle();
  await pass(1_000);
};
const doctor = async () => (await running.doctorChecks()[0]?.run()) ?? null;

const works = makePane({ state: "running" });
const rests = makePane({ state: "idle" });

beforeEach(() => {
  now = START;
  setting = "working";
  rows = [];
  jobs = [];
  isPaused = false;
  isOnPower = true;
  failure = null;
  missing = null;
  held = holds = powerLooks = 0;
  told = [];
  timers = [];
  start();
});

describe("what keeps this machine awake", () => {
  it("is an agent of it that works, and no other state and no other machine", () => {
    const states = ["waiting_approval", "waiting_input", "completed", "idle", "error", "unknown"] as const;
    const others = states.map((state, index) => makePane({ pane: index + 2, state }));
    const elsewhere = makePane({ pane: 9, target: "vm1", state: "running" });
    expect(reasonsOf([...others, elsewhere], [], false, now)).toBeNull();
    expect(reasonsOf([works, ...others, elsewhere], [], false, now)).toEqual({
      working: 1,
      text_due_at: null,
    });
  });

  it.each([
    ["in an hour", HOUR, true],
    ["later than that", HOUR + 1, false],
    ["a moment ago", -MINUTE, true],
    ["long ago, as its agent is not ready", -6 * MINUTE, false],
  ])("is a text that is due %s: %s ms", (_when, inMs, counts) => {
    const job = makeSendJob({ trigger: { kind: "at", at: now + inMs }, nextAt: now + inMs });
    expect(reasonsOf([], [job], false, now) !== null).toBe(counts);
    expect(reasonsOf([], [job], true, now)).toBeNull();
  });

  it("is no text without a time, and no watch", () => {
    expect(reasonsOf([], [makeSendJob(), makeWatchJob({ kind: "done" })], false, now)).toBeNull();
  });
});

describe("the machine", () => {
  it("is kept awake from the first that works to the last, by one hold", async () => {
    await change(works);
    await change(works, makePane({ pane: 2, state: "running" }));
    expect([held, holds, running.keepsAwake()]).toEqual([1, 1, true]);
    await change(works, rests);
    expect(held).toBe(1);
    await change(rests);
    expect([held, holds, running.keepsAwake()]).toEqual([0, 1, false]);
    expect(told.map((view) => view?.working ?? null)).toEqual([1, 2, 1, null]);
  });

  it("costs no timer, no look and no hold while the setting is never", async () => {
    setting = "never";
    timers = [];
    start();
    await change(works);
    await pass(10 * MINUTE);
    expect([timers.length, holds, powerLooks, told]).toEqual([0, 0, 0, []]);
    expect(await doctor()).toMatchObject({ status: "skipped" });
  });

  it("follows the setting at once, both ways", async () => {
    await set("never");
    await change(works);
    expect(held).toBe(0);
    await set("working");
    expect(held).toBe(1);
    await set("never");
    expect([held, told.at(-1)]).toEqual([0, null]);
  });

  it("wakes for a text that becomes due while nothing else happens, and no longer once it was sent", async () => {
    jobs = [makeSendJob({ trigger: { kind: "at", at: now + 90 * MINUTE }, nextAt: now + 90 * MINUTE })];
    await pass(29 * MINUTE);
    expect(held).toBe(0);
    await pass(2 * MINUTE);
    expect(held).toBe(1);
    expect(told.at(-1)).toMatchObject({ is_on: true, working: 0, text_due_at: "2026-11-29T13:30:00.000Z" });
    jobs = [];
    await pass(MINUTE);
    expect(held).toBe(0);
  });

  it("is kept awake on power alone where that is the setting, and unknown is not on power", async () => {
    setting = "working_on_power";
    isOnPower = false;
    await change(works);
    expect([held, told.at(-1)?.problem]).toEqual([0, "it isn't on power"]);
    isOnPower = true;
    await pass(2 * MINUTE);
    expect([held, told.at(-1)?.problem]).toEqual([1, null]);
    isOnPower = null;
    await pass(2 * MINUTE);
    expect([held, told.at(-1)?.problem]).toEqual([0, "can't tell whether it is on power"]);
    expect(await doctor()).toMatchObject({
      status: "warning",
      summary: "This machine may fall asleep although 1 agent works: can't tell whether it is on power.",
      remedy: expect.stringContaining("keep_awake working"),
    });
  });

  it("asks for the power once a minute, however much changes", async () => {
    setting = "working_on_power";
    for (let count = 0; count < 50; count += 1) await change(works);
    expect(powerLooks).toBe(1);
  });

  it("says why it is not kept awake, and tries once a minute, however much changes", async () => {
    failure = "there is no program 'x'";
    for (let count = 0; count < 30; count += 1) await change(works, makePane({ pane: count + 2 }));
    expect([held, holds, told.at(-1)]).toEqual([
      0,
      1,
      { is_on: false, working: 1, text_due_at: null, problem: "there is no program 'x'" },
    ]);
    failure = null;
    await pass(2 * MINUTE);
    expect([held, told.at(-1)?.is_on]).toEqual([1, true]);
    expect(await doctor()).toEqual({ status: "ok", summary: "This machine is kept awake: 1 agent works." });
  });

  it("says so when the program ends by itself, and holds again after a minute", async () => {
    await change(works);
    end("x was ended");
    expect([held, told.at(-1)]).toEqual([
      0,
      { is_on: false, working: 1, text_due_at: null, problem: "x was ended" },
    ]);
    await change(works, rests);
    expect(holds).toBe(1);
    await pass(2 * MINUTE);
    expect([held, holds, told.at(-1)?.is_on]).toEqual([1, 2, true]);
  });

  it("may sleep when the daemon ends", async () => {
    await change(works);
    await running.close();
    expect([held, timers]).toEqual([0, []]);
  });

  it("is kept awake by a clock that jumped eight hours only for what still works", async () => {
    await change(works);
    now += 8 * HOUR;
    // After sleep nothing is known of the agent until it was looked at.
    await change(makePane({ state: "unknown" }));
    expect([held, told.at(-1)]).toEqual([0, null]);
    await change(works);
    expect(held).toBe(1);
  });

  it("has a doctor that names the program that is missing", async () => {
    missing = { problem: "there is no program 'x'", remedy: "Install it." };
    expect(await doctor()).toEqual({
      status: "problem",
      summary: "This machine cannot be kept awake.",
      evidence: "there is no program 'x'",
      remedy: "Install it.",
    });
  });
});
