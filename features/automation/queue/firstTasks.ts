// First texts of agents that were just started: each waits in the store until its agent is seen in its pane, and then becomes a
// text of the queue, which types it once. After a tmux server has started again, a pane with the same id is another pane.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { PANE_LIFE_FORMAT, type FirstJob } from "../../../core/model/job.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext, FirstTaskOutcome, FirstTasks } from "../../../core/ports/feature.ts";
import type { JobEnd } from "../../../core/ports/store.ts";
import { LookTimer } from "./lookTimer.ts";

const LOOK_EVERY_MS = 250;
/** While none waits: one that was held may be released. */
const REST_MS = 15_000;
/** An agent that is not there by then does not come. One that asks for trust is there. */
const APPEAR_MS = 60_000;
const EXPIRES_MS = 30 * 60_000;
const TMUX_LIMIT_MS = 5_000;

/** A pane that may be in no list: nothing is known of its session and window. */
export const identityOf = ({ target, server, paneId }: FirstJob["place"]): PaneView["identity"] => ({
  target,
  tmux_server: server,
  session_name: "",
  window_id: "",
  pane_id: paneId,
  pane_ref: `${target}/${paneId}`,
  runtime_id: null,
});

type Decision =
  | { kind: "wait" }
  | { kind: "bind"; row: PaneView }
  | { kind: "end"; how: JobEnd; why: string };

/** `row`: what is seen in its pane, or in one of the same id. `isReached`: its machine can be asked now. Pure. */
export const decideFirst = (
  { place, createdAt, expiresAt }: FirstJob,
  { row, isReached, now }: { row: PaneView | undefined; isReached: boolean; now: number },
): Decision => {
  if (now >= expiresAt)
    return { kind: "end", how: "expired", why: "the agent was not ready within half an hour" };
  if (row !== undefined && row.state !== null && row.agent === place.agentType) return { kind: "bind", row };
  return isReached && now - createdAt > APPEAR_MS
    ? { kind: "end", how: "stopped", why: `no ${place.agentType} was seen in the pane` }
    : { kind: "wait" };
};

/** How the runs of jobs say it, in `queue/sendRunner.ts`. */
const outcomeFrom = (said: string): FirstTaskOutcome => {
  const [, how = "", why = said] = /^(not sent|not delivered|unverified): (.*)$/s.exec(said) ?? [];
  if (how === "unverified") return { prompt: "unverified", prompt_detail: why };
  return { prompt: how === "not delivered" ? "not_delivered" : "dropped", prompt_detail: why };
};

export class FirstTaskQueue implements FirstTasks {
  private readonly deps: ConstructorParameters<typeof FirstTaskQueue>[0];
  private readonly timer: LookTimer;
  private count = 0;

  constructor(deps: {
    context: FeatureContext;
    keepInMemory: (jobId: string, text: string) => void;
    /** Why a text that is due is not sent; null where nothing keeps it. */
    reasonOf: (jobId: string) => string | null;
    /** A text has its agent now. */
    onBound: () => void;
    tell: (job: FirstJob, why: string) => void;
  }) {
    this.deps = deps;
    this.timer = new LookTimer(deps.context, "the first texts", () => this.look());
    this.timer.in(LOOK_EVERY_MS);
  }

  get armedCount(): number {
    return this.count;
  }

  arm({ place, text, surface }: Parameters<FirstTasks["arm"]>[0]): ReturnType<FirstTasks["arm"]> {
    const { clock, ids, jobs, redact } = this.deps.context;
    if (text.trim() === "") throw new AgtmuxError("E_USAGE", "the task is empty");
    const now = clock.now();
    const jobId = ids.next("job");
    const isVolatile = redact(text) !== text;
    jobs.insertJob({
      jobId,
      kind: "first",
      createdAt: now,
      surface,
      state: "armed",
      expiresAt: now + EXPIRES_MS,
      runs: 0,
      maxRuns: 1,
      place,
      text: isVolatile ? null : text,
      isVolatile,
    });
    if (isVolatile) this.deps.keepInMemory(jobId, text);
    this.timer.now();
    return { jobId, isStored: !isVolatile };
  }

  outcomeOf(jobId: string): FirstTaskOutcome {
    const { jobs } = this.deps.context;
    const job = jobs.getJob(jobId);
    if (job === null) return { prompt: "dropped", prompt_detail: "the database was replaced" };
    switch (job.state) {
      case "armed":
        return { prompt: "waiting", prompt_detail: this.deps.reasonOf(jobId) ?? "" };
      case "held":
        return { prompt: "waiting", prompt_detail: "it is held" };
      case "done":
        return { prompt: "delivered", prompt_detail: "" };
      case "cancelled":
        return { prompt: "dropped", prompt_detail: "it was cancelled" };
      case "expired":
      case "stopped":
        return outcomeFrom(jobs.listRuns(jobId, 1)[0]?.outcome ?? "");
    }
  }

  close(): Promise<void> {
    return this.timer.close();
  }

  private look(): void {
    const { context } = this.deps;
    this.timer.in(REST_MS);
    const waiting = context.jobs.listArmedJobs().filter((job) => job.kind === "first");
    this.count = waiting.length;
    if (waiting.length > 0 || !context.isReady()) this.timer.in(LOOK_EVERY_MS);
    if (waiting.length === 0 || !context.isReady()) return;
    const rows = context.rows.all();
    for (const job of waiting) if (!this.timer.busy.has(job.jobId)) this.lookAt(job, rows);
  }

  private lookAt(job: FirstJob, rows: readonly PaneView[]): void {
    const row = rows.find(
      ({ identity }) =>
        identity.pane_id === job.place.paneId &&
        identity.target === job.place.target &&
        identity.tmux_server === job.place.server,
    );
    const now = this.deps.context.clock.now();
    const decision = decideFirst(job, { row, isReached: this.isReached(job), now });
    switch (decision.kind) {
      case "wait":
        return;
      case "end":
        return this.end(job, decision.how, decision.why);
      case "bind": {
        const onError = (error: unknown): void =>
          this.deps.context.logger.warn({ error, jobId: job.jobId }, "a first text has to wait");
        void this.timer.begin(job.jobId, this.bind(job, decision.row), onError);
      }
    }
  }

  private isReached({ place }: FirstJob): boolean {
    try {
      this.deps.context.target(place.target);
      return true;
    } catch {
      // What cannot be asked says nothing of what is there.
      return false;
    }
  }

  private end(job: FirstJob, how: JobEnd, why: string): void {
    const { jobs, clock } = this.deps.context;
    if (jobs.endJob(job.jobId, how, { at: clock.now(), outcome: `not sent: ${why}` }))
      this.deps.tell(job, why);
  }

  /** Only in the very pane that was made for it. */
  private async bind(job: FirstJob, { identity }: PaneView): Promise<void> {
    const { context, onBound } = this.deps;
    const { place } = job;
    const target = context.target(place.target);
    const { exitCode, stdout, timedOut } = await target
      .tmux(place.server)
      .run(["display-message", "-p", "-t", place.paneId, PANE_LIFE_FORMAT], {
        timeoutMs: TMUX_LIMIT_MS,
        maxBytes: 1_000,
      });
    if (this.timer.isClosed || timedOut) return;
    if (exitCode !== 0 || stdout.trim() !== place.life) {
      this.end(job, "stopped", "its pane is gone");
      return;
    }
    const row = context.rows.all().find((one) => one.identity.runtime_id === identity.runtime_id);
    if (row === undefined || row.identity.runtime_id === null || row.agent !== place.agentType) return;
    const agent = {
      runtimeId: row.identity.runtime_id,
      identity: row.identity,
      agentName: row.agent_name,
    };
    if (context.jobs.bindAgent(job.jobId, agent, row.agent_session_id)) onBound();
  }
}
