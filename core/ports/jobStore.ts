// The slice of the store that automation has: its jobs and what they did. Nothing else of the store can be reached by it.
import type { Job, JobRun, JobState, SendJob } from "../model/job.ts";

/** How a job ends. */
export type JobEnd = Exclude<JobState, "armed" | "held">;

/** How a send ended: on record with the job's next time, or with its end. */
export interface SentRun extends Pick<JobRun, "jobId" | "at" | "outcome"> {
  nextAt: number | null;
  /** Null: it goes on unless this was the last time. */
  end: JobEnd | null;
}

export interface JobStore {
  insertJob(job: Job): void;
  /** Those that wait, the oldest first; read each time, because a damaged store is replaced by an empty one. */
  listArmedJobs(): Job[];
  /** Newest first. */
  listJobs(limit: number): Job[];
  getJob(jobId: string): Job | null;
  /** Ends a job that is armed or held, and takes its text out; false where it is neither. `why` goes on record with it. */
  endJob(jobId: string, state: JobEnd, why?: Pick<JobRun, "at" | "outcome">): boolean;
  /** Lets an armed job rest, or one that rests go on; false where it is not so. */
  holdJob(jobId: string, isHeld: boolean): boolean;
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
  /** Puts on record that an armed job is about to send; false where it is not armed (any more): then nothing may be sent. */
  beginSend(run: Pick<JobRun, "jobId" | "at" | "runtimeId">): boolean;
  /** Nothing was sent: the record of the begun send goes. */
  undoSend(jobId: string): void;
  /** Puts on record how a begun send ended. */
  settleSend(run: SentRun): void;
  /** Whether a send was begun and never settled, because the daemon ended meanwhile. */
  hasBegunSend(jobId: string): boolean;
  /** The time at which a job of a schedule is due next; `note` says why it was not done now. */
  setNextAt(jobId: string, nextAt: number, note: Pick<JobRun, "at" | "outcome"> | null): void;
  /** The session that a job is bound to, once the agent has told it. */
  bindSession(jobId: string, sessionId: string): void;
  /** Makes an armed first text a send to this agent, which was seen in its pane; false where it is none (any more). */
  bindAgent(jobId: string, agent: SendJob["agent"], sessionId: string | null): boolean;
  /** When the last text of any job went to this runtime, epoch ms; null: none did. */
  lastSentAt(runtimeId: string): number | null;
  /**
   * What became of an action under this idempotency key: `none` where no key was pressed under it, `unsettled` where one may
   * have been, else its result as it was stored.
   */
  findSent(runtimeId: string, key: string): { result: string } | "unsettled" | "none";
}
