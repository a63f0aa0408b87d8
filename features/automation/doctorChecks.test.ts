import { expect, it } from "vitest";
import type { WatchJob } from "../../core/model/job.ts";
import type { JobStore } from "../../core/ports/store.ts";
import { jobChecks } from "./doctorChecks.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const job = (jobId: string, channel: string | null): WatchJob => ({
  jobId,
  kind: "watch",
  createdAt: 0,
  surface: "cli",
  subject: { filters: {} },
  condition: { kind: "needs-action" },
  channel,
  state: "armed",
  expiresAt: 1,
  runs: 0,
  maxRuns: 1,
});

const says = async (armed: WatchJob[], pausedAt: number | null = null): Promise<unknown> => {
  const store = partOf<JobStore>({ listArmedJobs: () => armed, pausedAt: () => pausedAt });
  return jobChecks(store, ["phone"])[0]?.run();
};

it("the doctor says what is armed, that it rests, and which channel is missing", async () => {
  expect(await says([])).toMatchObject([{ status: "skipped" }]);
  expect(await says([job("j1", "phone"), job("j2", null)])).toEqual([
    { status: "ok", summary: "2 jobs are scheduled." },
  ]);
  expect(await says([job("j1", "pager")])).toMatchObject([
    { status: "ok" },
    { status: "warning", summary: expect.stringContaining("'pager', which is not in force") },
  ]);
  expect(await says([job("j1", "pager")], 0)).toMatchObject([
    { status: "warning", summary: "Automation is paused: 1 job is scheduled and will do nothing." },
  ]);
});
