// The slice of the store that automation has: its jobs and what they did. Nothing else of the store can be reached by it.
import type { Job, JobRun, JobState } from "../model/job.ts";

export interface JobStore {
  insertJob(job: Job): void;
  /** Those that wait, the oldest first; read each time, because a damaged store is replaced by an empty one. */
  listArmedJobs(): Job[];
  /** Newest first. */
  listJobs(limit: number): Job[];
  getJob(jobId: string): Job | null;
  /** Ends a job that is armed; false where it is not (any more). `why` goes on record with it. */
  endJob(jobId: string, state: Exclude<JobState, "armed">, why?: Pick<JobRun, "at" | "outcome">): boolean;
  /**
   * Puts on record that an armed job told something, in one transaction with its end if this was the last time. False where it
   * is not armed (any more): then nothing may be told.
   */
  recordRun(run: JobRun): boolean;
  /** Newest first. */
  listRuns(jobId: string, limit: number): JobRun[];
  /** Since when everything armed rests, epoch ms; null: it does not. */
  pausedAt(): number | null;
  /** Pauses everything armed from then on, or lets it go on. */
  setPausedAt(at: number | null): void;
  /** Job and runtime of everything that armed jobs told. */
  listTold(): { jobId: string; runtimeId: string }[];
}
