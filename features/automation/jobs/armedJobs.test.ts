import { expect, it } from "vitest";
import { makePane } from "../../../test/factories/view.ts";
import type { SendJob, WatchJob } from "../../../core/model/job.ts";
import { armedNotes } from "./armedJobs.ts";

const shared = {
  jobId: "j",
  createdAt: 0,
  surface: "cli",
  state: "armed",
  expiresAt: 1,
  runs: 0,
  maxRuns: 1,
} as const;
const agent = { runtimeId: "rt1", identity: makePane().identity, agentName: "Codex" };
const send = (trigger: SendJob["trigger"]): SendJob => ({
  ...shared,
  kind: "send",
  agent,
  sessionId: null,
  trigger,
  text: "x",
  isVolatile: false,
  isFirst: false,
  nextAt: null,
});
const watch = (subject: WatchJob["subject"]): WatchJob => ({
  ...shared,
  kind: "watch",
  subject,
  condition: { kind: "needs-action" },
  channel: null,
});

it("a row says how much waits for its agent, and that it is watched", () => {
  const jobs = [
    send({ kind: "ready" }),
    send({ kind: "ready" }),
    send({ kind: "at", at: 1 }),
    send({ kind: "cron", expression: "* * * * *" }),
    watch(agent),
    watch({ filters: {} }),
  ];
  expect([...armedNotes(jobs)]).toEqual([["rt1", "2 queued, 2 timed, watched"]]);
  expect([...armedNotes([watch({ filters: {} })])]).toEqual([]);
});
