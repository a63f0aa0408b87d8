// What surfaces ask of the watches: to arm, list, show and cancel them. What is wrong is refused before anything is armed.
import { createDeadline, findPatternProblem } from "../../../core/pattern/pattern.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { MAX_RUNS, type Job, type WatchSubject } from "../../../core/model/job.ts";
import { SCHEMA_VERSION } from "../../../core/model/schemaVersion.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { AutomationService } from "../calls.ts";
import { isoOrNull, jobView, runView } from "./watchWords.ts";

/** Armed at once. */
const MAX_ARMED = 50;
const SHOWN_RUNS = 100;

type WatchCalls = Pick<AutomationService, "watch" | "jobs" | "job" | "jobCancel" | "pause">;
type WatchInput = Parameters<WatchCalls["watch"]>[0];

export interface WatchServiceDeps {
  readonly context: FeatureContext;
  /** Names of the channels in force. */
  readonly channels: () => readonly string[];
  /** Something was armed or cancelled. */
  readonly onChange: () => void;
}

const noJob = (id: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `there is no such job: '${id.slice(0, 100)}'`, {
    remedy: "List them with 'agtmux jobs list'.",
  });

const checkCondition = ({ condition, subject }: WatchInput, redact: (text: string) => string): void => {
  if (condition.kind === "match") {
    if (redact(condition.pattern) !== condition.pattern)
      throw new AgtmuxError("E_USAGE", "the pattern holds a secret, and a job is stored", {
        remedy: "Write it without the secret; nothing was armed.",
      });
    const problem = findPatternProblem(condition.pattern, createDeadline());
    if (problem !== null)
      throw new AgtmuxError("E_USAGE", `the pattern '${condition.pattern}' is refused: ${problem}`, {
        remedy: "Write a simpler one; nothing was armed.",
      });
  }
  if (condition.kind === "gone" && !("runtimeId" in subject))
    throw new AgtmuxError("E_USAGE", "'gone' needs one agent", {
      remedy: "Name it by its reference, as 'agtmux list' shows it.",
    });
};

export const createWatchService = ({ context, channels, onChange }: WatchServiceDeps): WatchCalls => {
  const { jobs, clock, ids } = context;
  const subjectOf = (subject: WatchInput["subject"]): WatchSubject => {
    if (!("runtimeId" in subject)) return { filters: { ...subject.filters } };
    const row = context.rows.all().find(({ identity }) => identity.runtime_id === subject.runtimeId);
    if (row === undefined)
      throw new AgtmuxError("E_REF_NOT_FOUND", "the agent to watch is not there any more");
    return { runtimeId: subject.runtimeId, identity: row.identity, agentName: row.agent_name };
  };
  const checkChannel = (name: string | null): void => {
    if (name === null || channels().includes(name)) return;
    throw new AgtmuxError("E_USAGE", `no channel in force is called '${name.slice(0, 40)}'`, {
      remedy: "List them with 'agtmux channel list'; nothing was armed.",
    });
  };
  return {
    watch: async (input) => {
      checkCondition(input, context.redact);
      checkChannel(input.channel);
      if (jobs.listArmedJobs().length >= MAX_ARMED)
        throw new AgtmuxError("E_USAGE", `${MAX_ARMED} jobs are armed, and no more can be`, {
          remedy: "Cancel one with 'agtmux jobs cancel <id>'.",
        });
      const now = clock.now();
      const job: Job = {
        jobId: ids.next("job"),
        kind: "watch",
        createdAt: now,
        surface: input.surface,
        subject: subjectOf(input.subject),
        condition: input.condition,
        channel: input.channel,
        state: "armed",
        expiresAt: now + input.forMs,
        runs: 0,
        maxRuns: input.isRepeated ? MAX_RUNS : 1,
      };
      jobs.insertJob(job);
      onChange();
      return jobView(job);
    },
    jobs: async ({ limit }) => ({
      items: jobs.listJobs(limit).map(jobView),
      paused_at: isoOrNull(jobs.pausedAt()),
    }),
    job: async ({ id }) => {
      const job = jobs.getJob(id);
      if (job === null) throw noJob(id);
      return {
        schema_version: SCHEMA_VERSION,
        generated_at: new Date(clock.now()).toISOString(),
        job: jobView(job),
        told: jobs.listRuns(id, SHOWN_RUNS).map(runView),
      };
    },
    jobCancel: async ({ id }) => {
      const job = jobs.getJob(id);
      if (job === null || !jobs.endJob(id, "cancelled")) throw noJob(id);
      onChange();
      return jobView({ ...job, state: "cancelled" });
    },
    pause: async ({ isPaused }) => {
      const now = clock.now();
      const since = jobs.pausedAt();
      if (isPaused !== (since !== null)) jobs.setPausedAt(isPaused ? now : null);
      onChange();
      return {
        schema_version: SCHEMA_VERSION,
        generated_at: new Date(now).toISOString(),
        paused_at: isoOrNull(jobs.pausedAt()),
        armed: jobs.listArmedJobs().length,
      };
    },
  };
};
