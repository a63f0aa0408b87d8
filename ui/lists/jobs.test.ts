import { describe, expect, it } from "vitest";
import type { JobView } from "../../core/model/job.ts";
import { makePane } from "../../test/factories/view.ts";
import { makeJob } from "../../test/factories/job.ts";
import { jobObstacle, jobPlace, jobStatus, jobTitle, arrangeJobs } from "../text/jobText.ts";

const NOW = Date.parse("2026-11-21T09:00:00.000Z");
const ids = (rows: readonly { job: JobView }[]) => rows.map(({ job }) => job.job_id);
const all = { text: "", runtimeId: null };

describe("the list of what is armed", () => {
  const pane = makePane({ pane: 4, session: "shop-api" });
  const items = [
    makeJob({ job_id: "new", text: "now the docs", runtime_id: pane.identity.runtime_id }),
    makeJob({ job_id: "ended", state: "done", text: null, runs: 1 }),
    makeJob({ job_id: "old", text: "fix the tests", runtime_id: pane.identity.runtime_id, state: "held" }),
    makeJob({ job_id: "older end", state: "stopped", text: null }),
  ];

  it("has what waits in the order in which it was armed, then what ended, the newest first", () => {
    const { armed, ended } = arrangeJobs(items, [pane], all);
    expect([ids(armed), ids(ended)]).toEqual([
      ["old", "new"],
      ["ended", "older end"],
    ]);
    expect(armed.map((row) => row.pane)).toEqual([pane, pane]);
    expect(ended[0]?.pane).toBeNull();
  });

  it("is searched, and shown for one agent alone", () => {
    expect(ids(arrangeJobs(items, [pane], { ...all, text: "DOCS shop" }).armed)).toEqual(["new"]);
    const own = arrangeJobs(items, [pane], { ...all, runtimeId: pane.identity.runtime_id });
    expect([ids(own.armed), ids(own.ended)]).toEqual([["old", "new"], []]);
  });
});

describe("a job in words", () => {
  it("says what it tells and when", () => {
    const titles = ["quiet:10m", "match:a:b\u202e", "state:waiting_approval", "needs-action", "gone"].map(
      (when) => jobTitle(makeJob({ kind: "watch", when, text: null })),
    );
    expect(titles).toEqual([
      "Tell me when it runs with nothing new for 10m",
      "Tell me when it prints a:b⟨U+202E⟩",
      "Tell me when it needs approval",
      "Tell me when it needs you",
      "Tell me when it has ended",
    ]);
    expect(jobTitle(makeJob({ kind: "watch", when: "gone", repeated: true }))).toMatch(/^Tell me each time/);
  });

  it("shows a text while it waits, and none afterwards", () => {
    const texts = [
      makeJob({ text: "go\u0007 on" }),
      makeJob({ text: null }),
      makeJob({ state: "done", text: null, runs: 1 }),
      makeJob({ state: "cancelled", text: null }),
    ].map(jobTitle);
    expect(texts).toEqual([
      "go⟨U+0007⟩ on",
      "A text kept only in memory",
      "A text that was sent",
      "A text that was not sent",
    ]);
  });

  it("names its agent, the machine where there are several, its time and what it waits for", () => {
    const pane = makePane({ pane: 4, session: "shop-api", windowName: "refunds" });
    const job = makeJob({ when: "ready", channel: "phone", waits_for: "its agent works" });
    expect(jobPlace(job, pane, { hasMachines: false })).toBe(
      "Claude Code · shop-api / refunds · once it is idle · over phone",
    );
    expect(jobPlace(job, pane, { hasMachines: true })).toContain("Claude Code · host · shop-api");
    expect(jobPlace(makeJob({ kind: "watch", about: "session=work" }), null, { hasMachines: true })).toBe(
      "session=work",
    );
    expect(
      jobPlace(makeJob({ when: "cron 0 9 * * *", next_at: "2026-11-23T09:00:00Z" }), null, {
        hasMachines: false,
      }),
    ).toMatch(/cron 0 9 \* \* \*, next /);
    expect(jobObstacle(job)).toBe("Waits: its agent works.");
  });

  it("says how long it is armed, or how it ended", () => {
    const expires_at = new Date(NOW + 3 * 3_600_000).toISOString();
    const states = (["armed", "held", "expired"] as const).map((state) =>
      jobStatus(makeJob({ state, expires_at }), NOW),
    );
    expect(states).toEqual(["3h left", "held", "expired"]);
    expect(jobStatus(makeJob({ state: "armed", expires_at, runs: 2 }), NOW)).toBe("2 × done, 3h left");
  });
});
