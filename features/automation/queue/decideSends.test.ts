import { describe, expect, it } from "vitest";
import { makeSendJob } from "../../../test/factories/job.ts";
import { makePane, type PaneOptions } from "../../../test/factories/view.ts";
import type { SendJob } from "../../../core/model/job.ts";
import {
  ASLEEP_MS,
  decideSends,
  LATE_MS,
  RESTED_MS,
  type AgentNow,
  type SendAct,
  NO_TURN_MS,
  restOf,
  Rests,
  STILL_MS,
  UNSURE_MS,
  checkSchedule,
  nextOfSchedule,
} from "./decideSends.ts";
import type { PaneView } from "../../../core/model/view.ts";

const NOW = 10_000_000;
const job = (jobId: string, more: Partial<SendJob> = {}) =>
  makeSendJob({ jobId, sessionId: "s1", expiresAt: NOW + LATE_MS, ...more });
const agent = (pane: PaneOptions = {}, more: Partial<AgentNow> = {}): AgentNow => ({
  row: { ...makePane({ state: "completed", ...pane }), agent_session_id: "s1" },
  rest: { rest: "ready", since: NOW - RESTED_MS },
  isTurnOver: true,
  isBusy: false,
  ...more,
});
/** Every hour, on the hour. */
const nextOf = (_expression: string, after: number): number => (Math.floor(after / LATE_MS) + 1) * LATE_MS;
const decide = (
  jobs: SendJob[],
  now: AgentNow = agent(),
  more: { now?: number; lookedAt?: number } = {},
): SendAct[] =>
  decideSends(jobs, { now: NOW, lookedAt: NOW - 1_000, nextOf, agents: new Map([["rt1", now]]), ...more });
const said = (acts: readonly SendAct[]): string[] =>
  acts.map((act) => [act.kind, act.job.jobId, "why" in act ? act.why : ""].filter(Boolean).join(" "));

describe("a queued text", () => {
  it("is sent once its agent has rested for a second, the oldest first, one at a time", () => {
    const [a, b] = [job("a", { createdAt: 2 }), job("b", { createdAt: 1 })];
    expect(said(decide([a, b]))).toEqual(["send b", "wait a another text is before it"]);
    const at = (ms: number) => said(decide([a], agent({}, { rest: { rest: "ready", since: NOW - ms } })));
    expect([at(499), at(500)]).toEqual([
      ["wait a its agent has only just become idle"],
      ["soon a its agent has only just become idle"],
    ]);
    expect(said(decide([a], agent({}, { rest: { rest: "ready", since: NOW - RESTED_MS + 1 } })))).toEqual([
      "soon a its agent has only just become idle",
    ]);
  });

  it.each([
    [{ state: "running" }, "its agent works"],
    [{ state: "waiting_approval" }, "its agent waits for you"],
    [{ state: "waiting_input" }, "its agent waits for you"],
    [{ state: "unknown" }, "can't be sure that its agent is idle"],
    [{ state: "error", reason: "api_error" }, "its agent stopped with an error"],
  ] as const)("waits while its agent is %j", (pane, why) => {
    expect(said(decide([job("a")], agent(pane, { rest: null })))).toEqual([`wait a ${why}`]);
  });

  it("waits until the turn of the one before it is over, and is left alone while that is typed", () => {
    expect(said(decide([job("a")], agent({}, { isTurnOver: false })))).toEqual([
      "wait a the text before it goes first",
    ]);
    expect(decide([job("a")], agent({}, { isBusy: true }))).toEqual([]);
  });

  it("never goes to another session or to what comes after its agent", () => {
    const other = agent();
    const elsewhere = { ...other, row: other.row && { ...other.row, agent_session_id: "s2" } };
    expect(said(decide([job("a")], elsewhere))).toEqual(["stop a its agent is in another session now"]);
    expect(said(decide([job("a")], agent({}, { row: null })))).toEqual(["stop a its agent has ended"]);
    expect(said(decide([job("a")], agent({ state: "error", reason: "crashed" })))).toEqual([
      "stop a its agent has ended",
    ]);
  });

  it("is bound to the session as soon as its agent tells it", () => {
    expect(said(decide([job("a", { sessionId: null })]))).toEqual(["bind a", "send a"]);
  });

  it("is given up with its time", () => {
    expect(said(decide([job("a", { expiresAt: NOW })]))).toEqual(["expire a it was not sent in time"]);
  });
});

describe("a text of a set time", () => {
  const at = (nextAt: number) =>
    job("a", { trigger: { kind: "at", at: nextAt }, nextAt, expiresAt: nextAt + LATE_MS });

  it("is not sent before it, and up to an hour after it", () => {
    expect(decide([at(NOW + 1)])).toEqual([]);
    expect(said(decide([at(NOW)]))).toEqual(["send a"]);
    expect(said(decide([at(NOW - LATE_MS + 1)], agent(), { lookedAt: 0 }))).toEqual(["send a"]);
    expect(said(decide([at(NOW - LATE_MS - 1)]))).toEqual(["expire a its time passed more than an hour ago"]);
  });

  it("goes on after a limit, which a queued one and a schedule do not", () => {
    const limited = agent(
      { state: "error", reason: "usage_limit" },
      { rest: { rest: "limited", since: NOW - RESTED_MS } },
    );
    expect(said(decide([at(NOW)], limited))).toEqual(["send a"]);
    const cron: SendJob["trigger"] = { kind: "cron", expression: "0 * * * *" };
    for (const other of [job("a"), job("a", { trigger: cron, nextAt: NOW })])
      expect(said(decide([other], limited))).toEqual(["wait a its agent stopped with an error"]);
  });

  it("comes before those that were queued later", () => {
    const queued = job("b", { createdAt: NOW - 5 });
    expect(said(decide([queued, at(NOW - 10)]))).toEqual(["send a", "wait b another text is before it"]);
  });
});

describe("a schedule", () => {
  const cron = (nextAt: number) =>
    job("a", {
      trigger: { kind: "cron", expression: "0 * * * *" },
      nextAt,
      maxRuns: 200,
      expiresAt: NOW * 9,
    });

  it("sends at its time, waits for its agent until the next one, and then skips", () => {
    const due = 2 * LATE_MS;
    const look = (now: number, who = agent({}, { rest: { rest: "ready", since: 0 } })) =>
      said(decide([cron(due)], who, { now, lookedAt: now - 1_000 }));
    expect([look(due - 1), look(due)]).toEqual([[], ["send a"]]);
    const working = agent({ state: "running" }, { rest: null });
    expect(look(due + LATE_MS - 1, working)).toEqual(["wait a its agent works"]);
    expect(look(due + LATE_MS, working)).toEqual(["skip a the agent wasn't idle in time"]);
  });

  it("does not catch up with what it missed while nobody looked", () => {
    const due = 2 * LATE_MS;
    const woke = (lateMs: number) =>
      decide([cron(due)], agent({}, { rest: { rest: "ready", since: 0 } }), {
        now: due + lateMs,
        lookedAt: due - 10,
      });
    expect(said(woke(ASLEEP_MS))).toEqual(["send a"]);
    const [act] = woke(ASLEEP_MS + 1);
    expect(act).toMatchObject({
      kind: "skip",
      nextAt: 3 * LATE_MS,
      why: "the machine was asleep or agtmux wasn't running",
    });
  });
});

const row = (options: PaneOptions, more: Partial<PaneView> = {}): PaneView => ({
  ...makePane(options),
  confidence: "high",
  ...more,
});

describe("an agent rests", () => {
  it("when that is certain and nobody is asked anything", () => {
    expect(restOf(row({ state: "idle" }))).toBe("ready");
    expect(restOf(row({ state: "completed" }))).toBe("ready");
    expect(restOf(row({ state: "idle" }, { confidence: "medium" }))).toBe("ready");
    expect(restOf(row({ state: "idle" }, { confidence: "low" }))).toBeNull();
    for (const state of ["running", "waiting_input", "waiting_approval", "error", "unknown"] as const)
      expect(restOf(row({ state }))).toBeNull();
    expect(restOf(row({ state: "error", reason: "usage_limit" }))).toBe("limited");
    expect(restOf(row({ state: "error", reason: "rate_limited" }))).toBe("limited");
    const request = { kind: "question" } as unknown as NonNullable<PaneView["request"]>;
    expect(restOf(row({ state: "idle" }, { request }))).toBeNull();
  });

  it("since it did without a change in between", () => {
    const rests = new Rests();
    rests.noteRow(row({ state: "idle", version: 1 }), 10);
    rests.noteRow(row({ state: "idle", version: 1 }), 20);
    expect(rests.restOf("rt1")).toEqual({ rest: "ready", since: 10 });
    rests.noteRow(row({ state: "completed", version: 2 }), 30);
    expect(rests.restOf("rt1")?.since).toBe(30);
    rests.noteRow(row({ state: "completed", version: 2 }, { confidence: "low" }), 40);
    expect(rests.restOf("rt1")).toBeNull();
    rests.noteRow(row({ state: "completed", version: 2 }), 50);
    expect(rests.restOf("rt1")?.since).toBe(50);
    rests.forget("rt1");
    expect(rests.restOf("rt1")).toBeNull();
  });

  it("a second later where it is less certain", () => {
    const rests = new Rests();
    rests.noteRow(row({ state: "completed", version: 1 }, { confidence: "medium" }), 10);
    expect(rests.restOf("rt1")).toEqual({ rest: "ready", since: 10 + UNSURE_MS });
    rests.noteRow(row({ state: "completed", version: 1 }), 500);
    expect(rests.restOf("rt1")?.since).toBe(10);
  });
});

describe("the turn of a text is over", () => {
  const sent = (version: number | null): Rests => {
    const rests = new Rests();
    rests.noteRow(row({ state: "completed", version: 4, since: -1 }), 0);
    rests.noteSent("rt1", 0, version);
    return rests;
  };

  it("once it was seen to work, or to have worked, and not while it seems to rest still", () => {
    const rests = sent(4);
    rests.noteRow(row({ state: "completed", version: 4 }), 1_000);
    expect(rests.isTurnOver("rt1", 5_000)).toBe(false);
    rests.noteRow(row({ state: "running", version: 5 }), 5_000);
    expect(rests.isTurnOver("rt1", 5_000)).toBe(true);
    const quick = sent(4);
    quick.noteRow(row({ state: "completed", version: 6 }), 1_000);
    expect(quick.isTurnOver("rt1", 1_000)).toBe(true);
    const renamed = sent(4);
    renamed.noteRow(row({ state: "idle", version: 5 }), 1_000);
    expect(renamed.isTurnOver("rt1", 1_000)).toBe(false);
  });

  it("when it has come to rest since another daemon sent it", () => {
    const rests = sent(null);
    rests.noteRow(row({ state: "completed", version: 4, since: -1 }), 1_000);
    expect(rests.isTurnOver("rt1", 1_000)).toBe(false);
    rests.noteRow(row({ state: "completed", version: 5, since: 900 }), 1_000);
    expect(rests.isTurnOver("rt1", 1_000)).toBe(true);
    const known = sent(4);
    known.noteRow(row({ state: "completed", version: 5, since: 900 }), 1_000);
    expect(known.isTurnOver("rt1", 1_000)).toBe(false);
  });

  it("once it has certainly rested for ten seconds since, also after one that a daemon before this one sent", () => {
    for (const rests of [sent(4), sent(null)]) {
      expect(rests.isTurnOver("rt1", STILL_MS - 1)).toBe(false);
      expect(rests.isTurnOver("rt1", STILL_MS)).toBe(true);
    }
    // The daemon has come to see it only now.
    const late = new Rests();
    late.noteSent("rt1", 0, null);
    late.noteRow(row({ state: "completed", version: 4, since: -1 }), STILL_MS);
    expect(late.isTurnOver("rt1", STILL_MS)).toBe(false);
    expect(late.isTurnOver("rt1", 2 * STILL_MS)).toBe(true);
  });

  it("after a minute, where that is less than certain, or comes and goes", () => {
    const unsure = sent(4);
    unsure.noteRow(row({ state: "completed", version: 4 }, { confidence: "medium" }), 1_000);
    const unsettled = sent(4);
    for (let at = 0; at < NO_TURN_MS; at += 1_000)
      unsettled.noteRow(
        row({ state: "completed", version: 4, since: -1 }, { confidence: at % 2_000 === 0 ? "low" : "high" }),
        at,
      );
    for (const rests of [unsure, unsettled]) {
      expect(rests.isTurnOver("rt1", NO_TURN_MS - 1)).toBe(false);
      expect(rests.isTurnOver("rt1", NO_TURN_MS)).toBe(true);
    }
  });
});

const BERLIN = "Europe/Berlin";
const local = (at: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: BERLIN, dateStyle: "short", timeStyle: "short" }).format(at);

/** All times between two days, as a wall clock in Berlin shows them. */
const timesOf = (expression: string, from: string, to: string): string[] => {
  const times: string[] = [];
  let at = nextOfSchedule(expression, Date.parse(from), BERLIN);
  while (at !== null && at < Date.parse(to)) {
    times.push(local(at));
    at = nextOfSchedule(expression, at, BERLIN);
  }
  return times;
};

describe("a schedule", () => {
  it("comes once on each day, also when the clock jumps over it or shows it twice", () => {
    // On 28 March 2027 there is no 02:30 in Berlin; on 31 October 2027 there are two.
    expect(timesOf("30 2 * * *", "2027-03-26T12:00Z", "2027-03-30T12:00Z")).toEqual([
      "2027-03-27 02:30",
      "2027-03-28 03:00",
      "2027-03-29 02:30",
      "2027-03-30 02:30",
    ]);
    expect(timesOf("30 2 * * *", "2027-10-29T12:00Z", "2027-11-01T12:00Z")).toEqual([
      "2027-10-30 02:30",
      "2027-10-31 02:30",
      "2027-11-01 02:30",
    ]);
  });

  it("goes by the day of the week, lists and steps", () => {
    expect(timesOf("0 9 * * 1-5", "2026-11-20T12:00Z", "2026-11-24T12:00Z")).toEqual([
      "2026-11-23 09:00",
      "2026-11-24 09:00",
    ]);
    expect(timesOf("0,30 8-9 23 11 *", "2026-11-22T12:00Z", "2026-11-24T12:00Z")).toHaveLength(4);
    expect(timesOf("*/20 7 23 11 *", "2026-11-22T12:00Z", "2026-11-24T12:00Z")).toHaveLength(3);
  });

  it.each([
    ["", "five fields"],
    ["0 9 * *", "five fields"],
    ["0 9 * * * *", "five fields"],
    ["@daily", "five fields"],
    ["0 9 L * *", "five fields"],
    ["0 9 * JAN *", "five fields"],
    ["0 9 ? * *", "five fields"],
    ["0 9 * * 1#2", "five fields"],
    ["0 9 15W * *", "five fields"],
    ["0  9 * * *", "five fields"],
    ["0 9 * * *\n", "five fields"],
    ["61 9 * * *", ""],
    ["0 25 * * *", ""],
    ["0 9 0 * *", ""],
    ["0 9 * 13 *", ""],
    ["*/0 9 * * *", ""],
    ["9-5 9 * * *", ""],
    ["0 9 31 2 *", "never"],
  ])("%j is refused", (expression, why) => {
    expect(() => checkSchedule(expression)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
    expect(() => checkSchedule(expression)).toThrow(why);
  });

  it.each(["0 9 * * 1-5", "*/5 * * * *", "0 0 1 1 *", "0 9 29 2 *", "1,2,30-40/2 0 * * 0,6"])(
    "%j is taken",
    (expression) => {
      expect(() => checkSchedule(expression)).not.toThrow();
    },
  );
});
