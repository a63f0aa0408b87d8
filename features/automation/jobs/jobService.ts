// What surfaces ask of all jobs alike: to list, show, hold, release and cancel them, and to let everything armed rest.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { Job, JobView } from "../../../core/model/job.ts";
import { SCHEMA_VERSION } from "../../../core/model/schemaVersion.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { AutomationService } from "../calls.ts";
import { isoOrNull, jobView, runView } from "./jobWords.ts";

const SHOWN_RUNS = 100;

type JobCalls = Pick<AutomationService, "jobs" | "job" | "jobCancel" | "jobHold" | "pause">;

export interface JobServiceDeps {
  readonly context: FeatureContext;
  /** Why a job is not done although it is due; null where nothing keeps it. */
  readonly reasonOf: (jobId: string) => string | null;
  /** Something was held, released, cancelled, paused or resumed. */
  readonly onChange: () => void;
}

const noJob = (id: string, what: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `there is no ${what}: '${id.slice(0, 100)}'`, {
    remedy: "List them with 'agtmux jobs list'.",
  });

export const createJobService = ({ context, reasonOf, onChange }: JobServiceDeps): JobCalls => {
  const { jobs, clock } = context;
  const view = (job: Job): JobView => jobView(job, reasonOf(job.jobId));
  const find = (id: string, what: string): Job => {
    const job = jobs.getJob(id);
    if (job === null) throw noJob(id, what);
    return job;
  };
  return {
    jobs: async ({ limit }) => ({
      items: jobs.listJobs(limit).map(view),
      paused_at: isoOrNull(jobs.pausedAt()),
    }),
    job: async ({ id }) => ({
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(clock.now()).toISOString(),
      job: view(find(id, "such job")),
      told: jobs.listRuns(id, SHOWN_RUNS).map(runView),
    }),
    jobCancel: async ({ id }) => {
      if (!jobs.endJob(id, "cancelled")) throw noJob(id, "such job that is armed or held");
      onChange();
      return view(find(id, "such job"));
    },
    jobHold: async ({ id, isHeld }) => {
      if (!jobs.holdJob(id, isHeld))
        throw noJob(id, isHeld ? "such job that is armed" : "such job that is held");
      onChange();
      return view(find(id, "such job"));
    },
    pause: async ({ isPaused }) => {
      const now = clock.now();
      if (isPaused !== (jobs.pausedAt() !== null)) jobs.setPausedAt(isPaused ? now : null);
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
