// What the doctor says of jobs: how many are armed, whether they are paused, and which channels they lack.
import type { Check, Diagnosis } from "../../../core/model/doctorCheck.ts";
import type { Job } from "../../../core/model/job.ts";
import type { JobStore } from "../../../core/ports/jobStore.ts";

const LIMIT_MS = 1_000;

const countText = (count: number): string => (count === 1 ? "1 job is armed" : `${count} jobs are armed`);

/** A job whose channel is no longer in force tells at this desktop alone. */
const lostChannels = (armed: readonly Job[], channels: readonly string[]): Diagnosis[] =>
  armed.flatMap((job): Diagnosis[] =>
    job.kind !== "watch" || job.channel === null || channels.includes(job.channel)
      ? []
      : [
          {
            status: "warning",
            summary: `The job ${job.jobId} tells over the channel '${job.channel}', which is not in force.`,
            remedy: "See 'agtmux channel list', or cancel it with 'agtmux jobs cancel'.",
          },
        ],
  );

type Armed = Pick<JobStore, "listArmedJobs" | "pausedAt">;

const examine = (jobs: Armed, channels: readonly string[]): Diagnosis[] => {
  const armed = jobs.listArmedJobs();
  const pausedAt = jobs.pausedAt();
  if (pausedAt !== null)
    return [
      {
        status: "warning",
        summary: `Automation is paused: ${countText(armed.length)} and will do nothing.`,
        evidence: `since ${new Date(pausedAt).toISOString()}`,
        remedy: "Run 'agtmux automation resume' when jobs shall go on.",
      },
    ];
  if (armed.length === 0) return [{ status: "skipped", summary: "No job is armed." }];
  return [{ status: "ok", summary: `${countText(armed.length)}.` }, ...lostChannels(armed, channels)];
};

/** `channels`: names of those in force. */
export const jobChecks = (jobs: Armed, channels: readonly string[]): Check[] => [
  { name: "daemon.jobs", place: { group: "daemon" }, limitMs: LIMIT_MS, run: () => examine(jobs, channels) },
];
