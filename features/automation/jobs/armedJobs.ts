// Remembers which jobs are armed, because that is asked all the time, and shows it on the rows of their agents: `2 queued`,
// `1 timed`, `watched`, and what a rule in shadow would do.
import type { Job } from "../../../core/model/job.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { JobStore } from "../../../core/ports/jobStore.ts";

/** By runtime. Watches of filters are of no agent. Pure. */
export const armedNotes = (jobs: readonly Job[]): Map<string, string> => {
  const counts = new Map<string, { queued: number; timed: number; watched: number }>();
  for (const job of jobs) {
    // Its agent has no row yet.
    if (job.kind === "first") continue;
    const runtimeId =
      job.kind === "send"
        ? job.agent.runtimeId
        : "identity" in job.subject
          ? job.subject.identity.runtime_id
          : null;
    if (runtimeId === null) continue;
    const one = counts.get(runtimeId) ?? { queued: 0, timed: 0, watched: 0 };
    if (job.kind === "watch") one.watched += 1;
    else if (job.trigger.kind === "ready") one.queued += 1;
    else one.timed += 1;
    counts.set(runtimeId, one);
  }
  return new Map(
    [...counts].map(([runtimeId, { queued, timed, watched }]) => [
      runtimeId,
      [
        ...(queued > 0 ? [`${queued} queued`] : []),
        ...(timed > 0 ? [`${timed} timed`] : []),
        ...(watched > 0 ? ["watched"] : []),
      ].join(", "),
    ]),
  );
};

/** Keeps the rows as the jobs and rules are (`ruleNotes`: by runtime); gives what brings them up to date. */
export const createArmedRows = (
  { rows, jobs }: Pick<FeatureContext, "rows" | "jobs">,
  ruleNotes: () => ReadonlyMap<string, string> = () => new Map(),
): (() => void) => {
  let shown = new Map<string, string>();
  return () => {
    const notes = armedNotes(jobs.listArmedJobs());
    for (const [runtimeId, note] of ruleNotes()) {
      const armed = notes.get(runtimeId);
      notes.set(runtimeId, armed === undefined ? note : `${note}, ${armed}`);
    }
    for (const runtimeId of shown.keys()) if (!notes.has(runtimeId)) rows.setArmed(runtimeId, null);
    for (const [runtimeId, note] of notes) rows.setArmed(runtimeId, note);
    shown = notes;
  };
};

const FRESH_MS = 5_000;

/**
 * The jobs as the store has them, read again only when something was armed, done or ended: everybody asks for what is armed once a
 * second. All changes of jobs go through it; a store that was replaced because it was damaged is noticed after a moment.
 */
export const rememberArmed = (store: JobStore, clock: Pick<Clock, "now">): JobStore => {
  let armed: Job[] | null = null;
  let readAt = 0;
  const changing =
    <Args extends unknown[], Result>(change: (...args: Args) => Result) =>
    (...args: Args): Result => {
      armed = null;
      return change(...args);
    };
  return {
    ...store,
    listArmedJobs: () => {
      const now = clock.now();
      // A clock that was set back must not keep it for longer.
      if (armed === null || Math.abs(now - readAt) >= FRESH_MS) {
        armed = store.listArmedJobs();
        readAt = now;
      }
      return armed;
    },
    insertJob: changing((job) => store.insertJob(job)),
    endJob: changing((jobId, state, why) => store.endJob(jobId, state, why)),
    holdJob: changing((jobId, isHeld) => store.holdJob(jobId, isHeld)),
    recordRun: changing((run) => store.recordRun(run)),
    settleSend: changing((run) => store.settleSend(run)),
    setNextAt: changing((jobId, nextAt, note) => store.setNextAt(jobId, nextAt, note)),
    bindSession: changing((jobId, sessionId) => store.bindSession(jobId, sessionId)),
    bindAgent: changing((jobId, agent, sessionId) => store.bindAgent(jobId, agent, sessionId)),
  };
};
