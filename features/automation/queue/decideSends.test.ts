import { describe, expect, it } from "vitest";
import { makeSendJob } from "../../../test/factories/job.ts";
import { makePane, type PaneOptions } from "../../../test/factories/view.ts";
import type { SendJob } from "../../../core/model/job.ts";
import { ASLEEP_MS, decideSends, LATE_MS, RESTED_MS, type AgentNow, type SendAct } from "./decideSends.ts";

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
      ["wait a its agent has only just come to rest"],
      ["soon a its agent has only just come to rest"],
    ]);
    expect(said(decide([a], agent({}, { rest: { rest: "ready", since: NOW - RESTED_MS + 1 } })))).toEqual([
      "soon a its agent has only just come to rest",
    ]);
  });

  it.each([
    [{ state: "running" }, "its agent works"],
    [{ state: "waiting_approval" }, "its agent waits for you"],
    [{ state: "waiting_input" }, "its agent waits for you"],
    [{ state: "unknown" }, "it is not certain that its agent rests"],
    [{ state: "error", reason: "api_error" }, "its agent stopped with an error"],
  ] as const)("waits while its agent is %j", (pane, why) => {
    expect(said(decide([job("a")], agent(pane, { rest: null })))).toEqual([`wait a ${why}`]);
  });

  it("waits until the turn of the one before it is over, and is left alone while that is typed", () => {
    expect(said(decide([job("a")], agent({}, { isTurnOver: false })))).toEqual([
      "wait a the text before it has its turn",
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
    expect(look(due + LATE_MS, working)).toEqual(["skip a the agent did not rest in time"]);
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
    expect(act).toMatchObject({ kind: "skip", nextAt: 3 * LATE_MS, why: "nobody looked at its time" });
  });
});
