import { expect, it } from "vitest";
import { makeSendJob, makeWatchJob } from "../../test/factories/job.ts";
import { makePane } from "../../test/factories/view.ts";
import type { SendJob, WatchJob } from "../../core/model/job.ts";
import { armedNotes, createArmedRows } from "./jobs.ts";

const agent = { runtimeId: "rt1", identity: makePane().identity, agentName: "Codex" };
const send = (trigger: SendJob["trigger"]) => makeSendJob({ trigger });
const watch = (subject: WatchJob["subject"]) => makeWatchJob({ kind: "needs-action" }, { subject });

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
  expect([...armedNotes([watch(agent), makeWatchJob({ kind: "done" })])]).toEqual([
    ["rt1", "watched, tells when done"],
  ]);
});

it("a row says what a rule would do before what is armed, and is cleared once neither holds", () => {
  const shown: [string, string | null][] = [];
  let armed = [send({ kind: "ready" })];
  let rules = new Map([
    ["rt1", "look would approve (2)"],
    ["rt2", "stop would refuse (1)"],
  ]);
  const show = createArmedRows(
    {
      rows: { setArmed: (runtimeId: string, note: string | null) => shown.push([runtimeId, note]) },
      jobs: { listArmedJobs: () => armed },
    } as unknown as Parameters<typeof createArmedRows>[0],
    () => rules,
  );
  show();
  expect(shown.splice(0)).toEqual([
    ["rt1", "look would approve (2), 1 queued"],
    ["rt2", "stop would refuse (1)"],
  ]);
  rules = new Map();
  show();
  expect(shown.splice(0)).toEqual([
    ["rt2", null],
    ["rt1", "1 queued"],
  ]);
  armed = [];
  show();
  expect(shown).toEqual([["rt1", null]]);
});
