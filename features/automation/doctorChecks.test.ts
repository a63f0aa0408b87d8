import { expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../../core/model/config.ts";
import type { ChannelAnswers, ChannelView } from "../../core/model/notifications.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import type { WatchJob } from "../../core/model/job.ts";
import type { JobStore } from "../../core/ports/store.ts";
import { channelChecks, jobChecks } from "./doctorChecks.ts";
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

const saysOfAnswers = async (
  channel: object,
  answers: Partial<ChannelAnswers> | null = {},
): Promise<[status: string, summary: string][]> => {
  const phone = { name: "phone", kind: "ntfy", url: "https://ntfy.sh/topic", include: "request", ...channel };
  const context = partOf<FeatureContext>({
    config: () => ({ ...DEFAULT_CONFIG, channels: [phone] }),
    env: { HOME: "/nowhere" },
    uid: 0,
  });
  const view = partOf<ChannelView>({
    name: "phone",
    to: "ntfy.sh",
    last: null,
    answers: answers === null ? null : { state: "on", detail: "", taken: 0, ignored: 0, ...answers },
  });
  const found = await channelChecks(context, [view])[0]?.run();
  return [found ?? []].flat().map(({ status, summary }) => [status, summary]);
};

it("the doctor says who can answer over a channel, and why nobody can", async () => {
  const IN_FORCE = ["ok", "The channel 'phone' is in force."];
  const ANYBODY = ["warning", "Whoever knows the topic of the channel 'phone' can answer your agents."];
  expect(await saysOfAnswers({})).toEqual([IN_FORCE]);
  expect(await saysOfAnswers({ answers: true })).toEqual([IN_FORCE, ANYBODY]);
  expect(await saysOfAnswers({ answers: true, url: "http://127.0.0.1:8080/topic" })).toEqual([IN_FORCE]);
  expect(await saysOfAnswers({ answers: true, url: "http://[::1]/topic" })).toEqual([IN_FORCE]);
  expect(await saysOfAnswers({ answers: true, url: "https://127.0.0.1.evil.example/topic" })).toContainEqual(
    ANYBODY,
  );
  expect(
    (await saysOfAnswers({ answers: true, secret_file: "~/token" })).map(([, text]) => text),
  ).not.toContain(ANYBODY[1]);
  const local = { answers: true, url: "http://localhost/topic" };
  expect(await saysOfAnswers(local, { state: "paused" })).toEqual([
    IN_FORCE,
    ["problem", "The channel 'phone' takes no answers any more."],
  ]);
  expect(await saysOfAnswers(local, { state: "unreachable", detail: "it answered 403" })).toEqual([
    IN_FORCE,
    ["warning", "Answers over the channel 'phone' can't come back, so its messages carry no buttons."],
  ]);
  expect(await saysOfAnswers({ ...local, include: "state" })).toEqual([
    IN_FORCE,
    [
      "warning",
      "Over the channel 'phone' nothing can be approved, because its messages don't show what is asked.",
    ],
  ]);
  expect(await saysOfAnswers({ ...local, enabled: false }, null)).toHaveLength(1);
});
