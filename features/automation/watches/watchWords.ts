// How watches are said to a person: conditions as they are typed, and what happened. Pure.
import type { Job, JobRun, JobView, WatchCondition } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { STATE_WORDS } from "../../../core/model/words.ts";

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

const durationWords = (ms: number): string => {
  const [size, unit] = UNITS.find(([one]) => ms >= one && ms % one === 0) ?? [1, "ms"];
  return `${ms / size}${unit}`;
};

export const conditionText = (condition: WatchCondition): string => {
  switch (condition.kind) {
    case "quiet":
      return `quiet:${durationWords(condition.forMs)}`;
    case "match":
      return `match:${condition.pattern}`;
    case "state":
      return `state:${condition.state}`;
    case "needs-action":
    case "gone":
      return condition.kind;
  }
};

/** What came true, without a word of the agent's. */
export const happenedText = (condition: WatchCondition): string => {
  switch (condition.kind) {
    case "quiet":
      return `has shown nothing new for ${durationWords(condition.forMs)}`;
    case "match":
      return `printed what matches '${condition.pattern}'`;
    case "state":
      return `is ${STATE_WORDS[condition.state]}`;
    case "needs-action":
      return "needs you";
    case "gone":
      return "has ended";
  }
};

/** Why a job ended without what it waited for. */
export const endedText = (condition: WatchCondition): string => `ended before ${conditionText(condition)}`;

export const agentName = (row: Pick<PaneView, "agent_name"> | null): string => row?.agent_name ?? "An agent";

const aboutText = ({ subject }: Job): string => {
  if ("identity" in subject) return subject.identity.pane_ref;
  const filters = Object.entries(subject.filters).map(
    ([name, value]) => `${name}=${[value].flat().join(",")}`,
  );
  return filters.length === 0 ? "every agent" : filters.join(" ");
};

const iso = (at: number): string => new Date(at).toISOString();
export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

export const jobView = (job: Job): JobView => ({
  job_id: job.jobId,
  kind: job.kind,
  state: job.state,
  when: conditionText(job.condition),
  about: aboutText(job),
  channel: job.channel,
  repeated: job.maxRuns > 1,
  runs: job.runs,
  created_at: iso(job.createdAt),
  expires_at: iso(job.expiresAt),
  surface: job.surface,
});

export const runView = ({ at, runtimeId, outcome }: JobRun) => ({
  at: iso(at),
  runtime_id: runtimeId,
  outcome,
});
