// How jobs are said to a person: what they wait for, about whom, and what they did. Pure.
import type { Job, JobRun, JobView } from "../../../core/model/job.ts";
import { conditionText } from "../../../core/model/watchText.ts";

/** Characters of a text that a list shows. */
const MAX_TEXT = 80;

const iso = (at: number): string => new Date(at).toISOString();
export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

const filtersText = (given: Readonly<Record<string, unknown>>): string => {
  const filters = Object.entries(given).map(([name, value]) => `${name}=${[value].flat().join(",")}`);
  return filters.length === 0 ? "every agent" : filters.join(" ");
};

const firstLine = (text: string): string => {
  const [line = ""] = text.trim().split("\n");
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1).replace(/\p{Cs}$/u, "")}…`;
};

type OwnView = Pick<
  JobView,
  "kind" | "when" | "about" | "runtime_id" | "channel" | "next_at" | "text" | "repeated"
>;

const ownView = (job: Job): OwnView => {
  switch (job.kind) {
    case "watch":
      return {
        kind: job.kind,
        when: conditionText(job.condition),
        about: "identity" in job.subject ? job.subject.identity.pane_ref : filtersText(job.subject.filters),
        runtime_id: "identity" in job.subject ? job.subject.identity.runtime_id : null,
        channel: job.channel,
        next_at: null,
        text: null,
        repeated: job.maxRuns > 1,
      };
    case "send":
      return {
        kind: job.kind,
        when: job.trigger.kind === "cron" ? `cron ${job.trigger.expression}` : job.trigger.kind,
        about: job.agent.identity.pane_ref,
        runtime_id: job.agent.runtimeId,
        channel: null,
        next_at: isoOrNull(job.nextAt),
        text: job.text === null ? null : firstLine(job.text),
        repeated: job.trigger.kind === "cron",
      };
    case "first":
      return {
        // What it becomes once its agent is seen.
        kind: "send",
        when: "ready",
        about: `${job.place.agentType} in ${job.place.target}/${job.place.paneId}`,
        runtime_id: null,
        channel: null,
        next_at: null,
        text: job.text === null ? null : firstLine(job.text),
        repeated: false,
      };
  }
};

/** `waitsFor`: why a text that is due is not sent; null where nothing keeps it. */
export const jobView = (job: Job, waitsFor: string | null): JobView => ({
  job_id: job.jobId,
  state: job.state,
  ...ownView(job),
  runs: job.runs,
  waits_for: job.state === "armed" ? waitsFor : null,
  created_at: iso(job.createdAt),
  expires_at: iso(job.expiresAt),
  surface: job.surface,
});

export const runView = ({ at, runtimeId, outcome }: JobRun) => ({
  at: iso(at),
  runtime_id: runtimeId,
  outcome,
});
