import { describe, expect, it } from "vitest";
import { makeWatchJob } from "../../../test/factories/job.ts";
import { makePane, makePullRequest, makeWorkspace, type PaneOptions } from "../../../test/factories/view.ts";
import type { WatchJob } from "../../../core/model/job.ts";
import { decide, MATCH_PAUSE_MS, type WatchAct, type WatchFacts, type Watched } from "./decide.ts";

const NOW = 1_000_000;
const job = (condition: WatchJob["condition"], more: Partial<WatchJob> = {}) =>
  makeWatchJob(condition, { expiresAt: NOW + 1, ...more });
const watched = (pane: PaneOptions, more: Partial<Watched> = {}): [string, Watched] => {
  const row = makePane(pane);
  return [row.identity.runtime_id ?? "", { row, isGone: false, silentSince: null, ...more }];
};
const facts = (rows: readonly [string, Watched][], more: Partial<WatchFacts> = {}): WatchFacts => ({
  now: NOW,
  watched: new Map(rows),
  matched: new Map(),
  told: new Map(),
  toldAt: new Map(),
  ...more,
});
const said = (acts: readonly WatchAct[]): string[] =>
  acts.map((act) => ("runtimeId" in act ? `${act.kind} ${act.runtimeId}` : act.kind));

describe("a watch", () => {
  it("for quiet tells once that long after the last sign, and not of an agent that does not work", () => {
    const quiet = job({ kind: "quiet", forMs: 600_000 });
    const at = (silentSince: number | null) =>
      said(decide([quiet], facts([watched({ state: "running" }, { silentSince })])));
    expect([at(NOW - 599_999), at(NOW - 600_000), at(null)]).toEqual([[], ["tell rt1"], []]);
  });

  it("for a state tells when it holds, and again only after it did not", () => {
    const idle = job({ kind: "state", state: "idle" }, { maxRuns: 200, runs: 1 });
    const told = new Map([["job1", new Set(["rt1"])]]);
    expect(said(decide([idle], facts([watched({ state: "idle" })])))).toEqual(["tell rt1"]);
    expect(said(decide([idle], facts([watched({ state: "idle" })], { told })))).toEqual([]);
    expect(said(decide([idle], facts([watched({ state: "running" })], { told })))).toEqual(["forget rt1"]);
  });

  it("of filters tells of the first that fits, or of each", () => {
    const rows = [
      watched({ pane: 1, state: "waiting_input" }),
      watched({ pane: 2, state: "waiting_input" }),
      watched({ pane: 3, state: "waiting_input", session: "other" }),
      watched({ pane: 4, agent: null, state: null }),
    ];
    const subject = { filters: { session: ["work"] } };
    const one = job({ kind: "needs-action" }, { subject });
    expect(said(decide([one], facts(rows)))).toEqual(["tell rt1"]);
    expect(said(decide([{ ...one, maxRuns: 200 }], facts(rows)))).toEqual(["tell rt1", "tell rt2"]);
  });

  it("for the end tells of an agent that went or crashed; every other one says that it cannot come true", () => {
    const gone = watched({ state: "running" }, { isGone: true });
    const crashed = watched({ state: "error", reason: "crashed" });
    expect(said(decide([job({ kind: "gone" })], facts([gone])))).toEqual(["tell rt1"]);
    expect(said(decide([job({ kind: "gone" })], facts([crashed])))).toEqual(["tell rt1"]);
    expect(said(decide([job({ kind: "state", state: "idle" })], facts([gone])))).toEqual(["end"]);
    expect(said(decide([job({ kind: "match", pattern: "x" })], facts([])))).toEqual(["end"]);
  });

  it("for the end of a turn tells however it ended, not while anything may go on, and says where the agent ended first", () => {
    const done = job({ kind: "done" });
    const of = (...given: Parameters<typeof watched>) => said(decide([done], facts([watched(...given)])));
    for (const state of ["completed", "idle", "error"] as const) expect(of({ state })).toEqual(["tell rt1"]);
    for (const state of ["running", "waiting_approval", "waiting_input", "unknown"] as const)
      expect(of({ state })).toEqual([]);
    expect(of({ state: "completed" }, { isGone: true })).toEqual(["end"]);
    expect(of({ state: "error", reason: "crashed" })).toEqual(["end"]);
  });

  it("for a conflict tells while its worktree has one, and again only after it had none", () => {
    const side = { short_ref: "host/%2", place: "work:2.0", branch: "b", work_tree: "/b" };
    const conflict = { kind: "merge" as const, files: ["a"], more_files: 0, with: side };
    const workspace = makeWorkspace({ conflicts: [conflict] });
    const every = job({ kind: "conflict" }, { maxRuns: 200 });
    const of = (more: object, told: string[] = []) =>
      said(
        decide(
          [every],
          facts([watched({ state: "running", ...more })], { told: new Map([["job1", new Set(told)]]) }),
        ),
      );
    expect(of({ workspace })).toEqual(["tell rt1"]);
    expect(of({ workspace }, ["rt1"])).toEqual([]);
    expect(of({ workspace: { ...workspace, conflicts: [] } }, ["rt1"])).toEqual(["forget rt1"]);
    expect(of({ workspace: null })).toEqual([]);
  });

  it("for checks and an approval tells what its pull request has come to", () => {
    const of = (condition: Parameters<typeof job>[0], more: Parameters<typeof makePullRequest>[0]) =>
      said(
        decide(
          [job(condition)],
          facts([
            watched({ state: "idle", workspace: makeWorkspace({ pull_request: makePullRequest(more) }) }),
          ]),
        ),
      );
    const failed = { state: "failed", failed: "lint", failed_count: 1 } as const;
    expect(of({ kind: "checks", are: "failed" }, { checks: failed })).toEqual(["tell rt1"]);
    expect(of({ kind: "checks", are: "failed" }, { checks: null })).toEqual([]);
    expect(of({ kind: "checks", are: "passed" }, {})).toEqual(["tell rt1"]);
    expect(of({ kind: "checks", are: "passed" }, { checks: failed })).toEqual([]);
    expect(of({ kind: "pr", is: "approved" }, { state: "approved" })).toEqual(["tell rt1"]);
    expect(of({ kind: "pr", is: "approved" }, {})).toEqual([]);
    expect(
      said(decide([job({ kind: "checks", are: "failed" })], facts([watched({ state: "idle" })]))),
    ).toEqual([]);
  });

  it("says where its agent was, when nothing is known of it any more", () => {
    const lost = { agent_name: "Codex", identity: { pane_ref: "pane:host/work/@1/%1" } };
    expect(decide([job({ kind: "gone" })], facts([]))).toMatchObject([{ kind: "tell", row: lost }]);
    expect(decide([job({ kind: "needs-action" })], facts([]))).toMatchObject([{ kind: "end", row: lost }]);
  });

  it("for lines tells of the newest, at most every few seconds", () => {
    const match = job({ kind: "match", pattern: "FAILED" }, { maxRuns: 200 });
    const matched = new Map([["job1", new Map([["rt1", { newest: "FAILED 2", count: 2, hasGap: false }]])]]);
    const at = (toldAt: number) =>
      decide(
        [match],
        facts([watched({ state: "running" })], { matched, toldAt: new Map([["job1", toldAt]]) }),
      );
    expect(at(NOW - MATCH_PAUSE_MS + 1)).toEqual([]);
    expect(at(NOW - MATCH_PAUSE_MS)).toMatchObject([
      { kind: "tell", matched: { newest: "FAILED 2", count: 2 } },
    ]);
  });

  it("ends with its time and its number, and never tells more", () => {
    const running = [watched({ state: "running" })];
    const late = job({ kind: "state", state: "idle" }, { expiresAt: NOW });
    expect(said(decide([late], facts(running)))).toEqual(["expire"]);
    const spent = job({ kind: "state", state: "running" }, { runs: 200, maxRuns: 200 });
    expect(said(decide([spent], facts(running)))).toEqual([]);
  });
});
