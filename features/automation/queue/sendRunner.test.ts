// The queue over a real store and a played agent: what it sends, and what is left of it when the daemon is killed at any moment.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeSendJob } from "../../../test/factories/job.ts";
import { useStore } from "../../../test/factories/store.ts";
import { makePane } from "../../../test/factories/view.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { SendJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import type { DurableStore } from "../../../core/store/durableStore.ts";
import { NO_TURN_MS } from "./decideSends.ts";
import { SendRunner } from "./sendRunner.ts";

type SendInput = Parameters<FeatureContext["sends"]["send"]>[0];

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 23, 12, 0, 30);
let root: string;
let store: DurableStore;
let now = START;
let row: PaneView;
/** Texts whose keys reached the agent. */
let typed: string[];
let told: string[];
let obstacle: string | null;
/** How often the pane was looked at before a send, and what that look waits for. */
let looks: number;
let beforeLook: () => Promise<void>;
/** What its agent told is taken in then. */
let takeEvents: () => Promise<void>;
/** Where the daemon is killed in the next send. */
let killAt: "claimed" | "typed" | "settled" | null;
let outcome: "delivered" | "not_delivered" | "unverified";
let runner: SendRunner;
/** Nothing ends within its limit. */
let isSlow: boolean;
const EVENTS_LIMIT_MS = 2_000;

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
/** A killed daemon runs no further line. */
const killed = (): Promise<never> => new Promise(() => {});

/** As the daemon sends under a key: claimed on record before the first key, settled after the last. */
const sendOnce = async ({
  runtimeId,
  idempotencyKey: key,
  text,
  stateVersion,
}: SendInput): Promise<never> => {
  if (stateVersion !== row.state_version) throw new AgtmuxError("E_STALE_SNAPSHOT", "the state has changed");
  const used = store.claimKey({ scope: runtimeId, key, actionId: "act", at: now });
  if (used !== null) throw new Error("a key was used twice");
  if (killAt === "claimed") return killed();
  typed.push(text);
  row = { ...row, state_version: row.state_version + 2 };
  if (killAt === "typed") return killed();
  const result = {
    schema_version: "1.0",
    action_id: "act",
    action: "send",
    pane_ref: "",
    runtime_id: runtimeId,
    snapshot_id: "snap",
    outcome,
    detail: "as it went",
    notes: [],
    is_repeat: false,
  };
  store.settleKey(runtimeId, key, JSON.stringify(result));
  if (killAt === "settled") return killed();
  return result as never;
};

const start = (): void => {
  const context = {
    rows: { all: () => (row.agent === null ? [] : [row]) },
    jobs: store,
    sends: {
      findObstacle: async () => {
        looks += 1;
        await beforeLook();
        return obstacle;
      },
      send: sendOnce,
      takeEvents: () => takeEvents(),
    },
    isReady: () => true,
    clock: {
      now: () => now,
      setTimer: (delayMs: number, callback: () => void) => {
        if (delayMs === EVENTS_LIMIT_MS && isSlow) callback();
        return () => {};
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  runner = new SendRunner({
    context,
    onLook: () => {},
    tell: ({ jobId }, _row, why) => told.push(`${jobId}: ${why}`),
  });
};

/** Looks now, and again until what it does has ended. */
const look = async (ms = 0): Promise<void> => {
  now += ms;
  runner.tick();
  for (let turns = 0; turns < 6; turns += 1) await settle();
};

const arm = (jobId: string, more: Partial<SendJob> = {}): void =>
  store.insertJob(
    makeSendJob({ jobId, createdAt: now, text: `text of ${jobId}`, expiresAt: now + 60 * MINUTE, ...more }),
  );
const stateOf = (jobId: string): string | undefined => store.getJob(jobId)?.state;
const lastOf = (jobId: string): string | undefined => store.listRuns(jobId, 1)[0]?.outcome;

const reopen = useStore(
  () => now,
  (opened, folder) => ([store, root] = [opened, folder]),
);
beforeEach(() => {
  now = START;
  row = { ...makePane({ state: "completed", version: 4 }), confidence: "high" };
  typed = [];
  told = [];
  obstacle = null;
  looks = 0;
  beforeLook = () => Promise.resolve();
  takeEvents = () => Promise.resolve();
  isSlow = false;
  killAt = null;
  outcome = "delivered";
  start();
});

describe("the queue", () => {
  it("sends one text per turn, in order, and leaves none of them behind", async () => {
    arm("a");
    arm("b", { createdAt: now + 1 });
    await look();
    expect([typed, runner.reasonOf("a")]).toEqual([[], "its agent has only just become idle"]);
    await look(1_000);
    expect([typed, stateOf("a"), lastOf("a")]).toEqual([["text of a"], "done", "sent"]);
    await look(500);
    expect(typed).toHaveLength(1);
    await look(1_000);
    expect([typed, stateOf("b")]).toEqual([["text of a", "text of b"], "done"]);
    expect(store.getJob("a")).toMatchObject({ text: null, runs: 1 });
  });

  it("waits for a while where no turn comes of a text", async () => {
    arm("a");
    arm("b", { createdAt: now + 1 });
    await look();
    await look(1_000);
    row = { ...row, state_version: 4 };
    await look(2_000);
    expect([typed.length, runner.reasonOf("b")]).toEqual([1, "the text before it goes first"]);
    await look(NO_TURN_MS);
    await look(1_000);
    expect(typed).toHaveLength(2);
  });

  it("says what is in the way, looks again after a moment, and puts no attempt on record", async () => {
    arm("a");
    obstacle = "its input box has a draft";
    await look();
    await look(1_000);
    expect([typed, runner.reasonOf("a"), store.listRuns("a", 9)]).toEqual([[], obstacle, []]);
    await look(1_000);
    obstacle = null;
    await look(1_000);
    expect(typed).toEqual([]);
    await look(3_000);
    expect(typed).toHaveLength(1);
  });

  it("looks again sooner at what was in the way for the first time: it may not have been drawn", async () => {
    arm("a");
    obstacle = "its input box isn't visible";
    await look();
    await look(1_000);
    obstacle = null;
    await look(1_000);
    expect(typed).toHaveLength(1);
  });

  it("looks while its agent has only just become idle, and no second time where nothing was in the way", async () => {
    arm("a");
    await look();
    expect(looks).toBe(0);
    await look(500);
    await look(100);
    expect([looks, typed]).toEqual([1, []]);
    await look(400);
    expect([looks, typed]).toEqual([1, ["text of a"]]);
  });

  it("looks again where the early look found something, is old, or was of another state", async () => {
    arm("a");
    obstacle = "its agent isn't idle";
    await look();
    await look(500);
    obstacle = null;
    await look(500);
    expect([looks, typed.length]).toEqual([2, 1]);
    arm("b");
    await look();
    await look(500);
    store.setPausedAt(now);
    await look(60_000);
    obstacle = "its input box has a draft";
    store.setPausedAt(null);
    await look();
    expect([looks, typed.length, runner.reasonOf("b")]).toEqual([4, 1, obstacle]);
    obstacle = null;
    await look(1_000);
    expect([looks, typed.length]).toEqual([5, 2]);
    arm("c");
    await look();
    await look(500);
    row = { ...row, state_version: row.state_version + 2 };
    await look(100);
    await look(1_000);
    expect([looks, typed.length]).toEqual([7, 3]);
  });

  it("sends nothing when the state changes while it looks, or while what its agent told is taken in", async () => {
    const change = async () => void (row = { ...row, state_version: row.state_version + 1 });
    arm("a");
    await look();
    beforeLook = change;
    await look(1_000);
    beforeLook = () => Promise.resolve();
    takeEvents = change;
    await look();
    await look(1_000);
    expect([typed, looks]).toEqual([[], 2]);
    takeEvents = () => Promise.resolve();
    await look();
    await look(1_000);
    expect(typed).toHaveLength(1);
  });

  it("waits while what its agent told is not read in time", async () => {
    arm("a");
    await look();
    takeEvents = () => new Promise(() => {});
    isSlow = true;
    await look(1_000);
    expect([typed, runner.reasonOf("a")]).toEqual([[], "what its agent told is still being read"]);
    takeEvents = () => Promise.resolve();
    isSlow = false;
    await look(1_000);
    expect(typed).toHaveLength(1);
  });

  it("waits while what its agent told cannot be read", async () => {
    arm("a");
    await look();
    takeEvents = () => Promise.reject(new Error("the connection is gone"));
    await look(1_000);
    expect([typed, runner.reasonOf("a")]).toEqual([[], "what its agent told is still being read"]);
    takeEvents = () => Promise.resolve();
    await look(1_000);
    expect(typed).toHaveLength(1);
  });

  it("sends nothing while it is paused or held, or after it was cancelled", async () => {
    arm("a");
    await look();
    store.setPausedAt(now);
    await look(5_000);
    store.setPausedAt(null);
    store.holdJob("a", true);
    await look(5_000);
    expect([typed, stateOf("a")]).toEqual([[], "held"]);
    store.endJob("a", "cancelled");
    expect(store.holdJob("a", false)).toBe(false);
    await look(5_000);
    expect([typed, store.getJob("a")]).toEqual([[], expect.objectContaining({ text: null })]);
  });

  it.each(["not_delivered", "unverified"] as const)("never repeats what was %s, and says so", async (how) => {
    outcome = how;
    arm("a");
    await look();
    await look(1_000);
    await look(10 * MINUTE);
    expect([typed.length, stateOf("a")]).toEqual([1, "stopped"]);
    expect(told).toEqual([`a: ${how.replace("_", " ")}: as it went`]);
  });

  it("tells the person when the agent has ended or is in another session", async () => {
    arm("a", { sessionId: "s1" });
    row = { ...row, agent_session_id: "s2" };
    await look(1_000);
    expect([stateOf("a"), told]).toEqual(["stopped", ["a: its agent is in another session now"]]);
    arm("b");
    row = { ...row, agent: null };
    await look(1_000);
    expect([stateOf("b"), told[1], typed]).toEqual(["stopped", "b: its agent has ended", []]);
  });

  it("keeps a volatile text out of every file, and loses it with the daemon", async () => {
    arm("a", { text: null, isVolatile: true });
    runner.keepInMemory("a", "hunter2");
    await look();
    await look(1_000);
    expect(typed).toEqual(["hunter2"]);
    arm("b", { text: null, isVolatile: true });
    start();
    await look();
    await look(1_000);
    expect([stateOf("b"), typed.length]).toEqual(["stopped", 1]);
    expect(told[0]).toContain("the daemon has ended since");
  });

  it("overwrites a text in the file once it was sent", async () => {
    const text = "SECRETLY-".repeat(40);
    arm("a", { text });
    await look();
    await look(1_000);
    expect(typed).toEqual([text]);
    store.close();
    expect(readFileSync(join(root, "state.db"), "latin1")).not.toContain("SECRETLY-SECRETLY");
    reopen();
  });
});

describe("a schedule", () => {
  const every = (more: Partial<SendJob> = {}) =>
    arm("a", {
      trigger: { kind: "cron", expression: "* * * * *" },
      nextAt: START + MINUTE / 2,
      maxRuns: 200,
      ...more,
    });

  it("sends at each of its times, once, and as often as it may", async () => {
    every({ maxRuns: 3 });
    for (let second = 0; second < 600; second += 1) await look(1_000);
    expect([typed.length, stateOf("a")]).toEqual([3, "done"]);
  });

  it("does not send again when the clock is set back, and not more often when it jumps ahead", async () => {
    every();
    for (let second = 0; second < 35; second += 1) await look(1_000);
    expect(typed).toHaveLength(1);
    now -= 60 * MINUTE;
    for (let second = 0; second < 600; second += 1) await look(1_000);
    expect(typed).toHaveLength(1);
    now += 61 * MINUTE;
    await look();
    await look(1_000);
    expect(typed).toHaveLength(1);
    for (let second = 0; second < 61; second += 1) await look(1_000);
    expect(typed).toHaveLength(2);
  });

  it("is stopped when its texts do not arrive three times in a row", async () => {
    outcome = "not_delivered";
    every();
    for (let second = 0; second < 300; second += 1) await look(1_000);
    expect([typed.length, stateOf("a"), told.length]).toEqual([3, "stopped", 1]);
  });
});

it("loses and doubles nothing in a thousand daemons that are killed at any moment of a send", async () => {
  const moments = ["claimed", "typed", "settled", null] as const;
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const ends = new Map<string, number>();
  for (let round = 0; round < 1_000; round += 1) {
    const id = `job${round}`;
    arm(id);
    killAt = moments[Math.floor(random() * moments.length)] ?? null;
    const was = killAt;
    await look();
    await look(1_000);
    killAt = null;
    start();
    for (const ms of [0, 1_000, NO_TURN_MS, 1_000]) await look(ms);
    const count = typed.filter((text) => text === `text of ${id}`).length;
    const end = `${was}: ${stateOf(id)} ${lastOf(id)?.split(":")[0]}, typed ${count}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  expect([...ends.keys()].toSorted()).toEqual([
    "claimed: stopped unverified, typed 0",
    "null: done sent, typed 1",
    "settled: done sent, typed 1",
    "typed: stopped unverified, typed 1",
  ]);
});
