// Works the queue off: lets decideSends.ts decide, probes panes (`PaneLooks`), and sends through the daemon's gate under a key that
// sends once (`SendRunner`). What is armed is in the store and nowhere else, but for texts kept in memory on purpose. A send is
// recorded before its first key: a crash neither loses nor repeats it, and where nobody knows, it is not repeated.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { SendJob } from "../../../core/model/job.ts";
import type { PaneView, FeedChange } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import {
  RESTED_MS,
  decideSends,
  EARLY_MS,
  type AgentNow,
  type SendAct,
  restOf,
  Rests,
  nextOfSchedule,
} from "./decideSends.ts";
import { actionResultSchema, type ActionResult } from "../../../core/model/action.ts";
import type { JobStore } from "../../../core/ports/store.ts";
import { isHeard, LookTimer } from "./lookTimer.ts";

/** After a probe that found something in the way: the pane is probed again, but not with every tick. */
const AGAIN_MS = 3_000;
/** What was found for the first time may be a screen that was not drawn yet. */
const SOON_MS = 1_000;
/** A probe that began while the agent had only just come to rest counts for so long; later it is repeated. */
const KEPT_MS = 3 * RESTED_MS;

interface EarlyLook {
  readonly jobId: string;
  readonly version: number;
  readonly at: number;
  readonly obstacle: Promise<string | null>;
}

/** In which case a text is sent, as the gate has to know it. */
const occasionOf = ({ trigger, isFirst }: SendJob) => ({ afterLimit: trigger.kind === "at", isFirst });

/**
 * Probes the pane of a text that is due, or will be in a moment, before anything is recorded or takes a turn. The gate probes once
 * more, on the very screen on which it types.
 */
class PaneLooks {
  private readonly context: FeatureContext;
  /** What was in the way, until the next probe; by runtime. */
  private readonly obstacles = new Map<string, { why: string; until: number }>();
  private readonly early = new Map<string, EarlyLook>();

  constructor(context: FeatureContext) {
    this.context = context;
  }

  /** What was in the way a moment ago; null: nothing, or the next probe is due. */
  known(runtimeId: string): string | null {
    const found = this.obstacles.get(runtimeId);
    return found !== undefined && this.context.clock.now() < found.until ? found.why : null;
  }

  note(runtimeId: string, why: string): void {
    const againMs = this.obstacles.has(runtimeId) ? AGAIN_MS : SOON_MS;
    this.obstacles.set(runtimeId, { why, until: this.context.clock.now() + againMs });
  }

  forget(runtimeId: string): void {
    this.obstacles.delete(runtimeId);
    this.early.delete(runtimeId);
  }

  /** Begins the probe while the agent has not rested long enough, so that nothing waits for it afterwards. */
  begin(job: SendJob, row: PaneView): void {
    const { runtimeId } = job.agent;
    const { jobId } = job;
    const version = row.state_version;
    const before = this.early.get(runtimeId);
    if (this.known(runtimeId) !== null || (before?.jobId === jobId && before.version === version)) return;
    // The probe that follows finds and reports what went wrong.
    const obstacle = this.look(job).catch(() => "it could not be looked at");
    this.early.set(runtimeId, { jobId, version, at: this.context.clock.now(), obstacle });
  }

  /** What is in the way now; null: nothing. An early probe replaces this one only where it found nothing. */
  async find(job: SendJob, row: PaneView): Promise<string | null> {
    const { runtimeId } = job.agent;
    const early = this.early.get(runtimeId);
    this.early.delete(runtimeId);
    const isSame = early?.jobId === job.jobId && early.version === row.state_version;
    if (isSame && this.context.clock.now() - early.at <= KEPT_MS && (await early.obstacle) === null)
      return null;
    return this.look(job);
  }

  private async look(job: SendJob): Promise<string | null> {
    try {
      return await this.context.sends.findObstacle(job.agent.runtimeId, occasionOf(job));
    } catch (error) {
      if (error instanceof AgtmuxError) return error.message;
      throw error;
    }
  }
}

const TICK_MS = 1_000;
/** While nothing is armed. */
const REST_MS = 15_000;
const EVENTS_LIMIT_MS = 2_000;
/** A schedule whose texts do not arrive so often in a row is stopped. */
const MAX_FAILURES = 3;

const SENT = "sent";

type Act<Kind extends SendAct["kind"]> = Extract<SendAct, { kind: Kind }>;

const keyOf = ({ jobId, runs }: SendJob): string => `${jobId}:${runs}`;

export class SendRunner {
  private readonly deps: ConstructorParameters<typeof SendRunner>[0];
  private readonly rests = new Rests();
  /** Texts that are in no file, by job. */
  private readonly volatile = new Map<string, string>();
  /** Why each job that is due is not sent. */
  private readonly reasons = new Map<string, string>();
  private readonly looks: PaneLooks;
  private readonly timer: LookTimer;
  private armed: readonly SendJob[] = [];
  private lookedAt = 0;
  private isSettled = false;

  constructor(deps: {
    readonly context: FeatureContext;
    /** After each pass: other jobs may be armed. */
    readonly onLook: () => void;
    /** Tells the person that a text was not sent, and why. `row` null: nothing is known of its agent any more. */
    readonly tell: (job: SendJob, row: PaneView | null, why: string) => void;
  }) {
    this.deps = deps;
    this.looks = new PaneLooks(deps.context);
    const { rows, clock } = deps.context;
    for (const row of rows.all()) this.rests.noteRow(row, clock.now());
    this.timer = new LookTimer(deps.context, "the queue", () => this.look());
    this.timer.in(TICK_MS);
  }

  get armedCount(): number {
    return this.armed.length;
  }

  /** Why a job waits; null where nothing keeps it, or it is not due. */
  reasonOf(jobId: string): string | null {
    return this.reasons.get(jobId) ?? null;
  }

  /** For a job whose text goes into no file; it is gone with the daemon. */
  keepInMemory(jobId: string, text: string): void {
    this.volatile.set(jobId, text);
  }

  handleChanges(changes: readonly FeedChange[]): void {
    const now = this.deps.context.clock.now();
    for (const change of changes) {
      if (change.kind === "pane") this.rests.noteRow(change.pane, now);
      if (change.kind === "removed" && change.identity.runtime_id !== null)
        this.rests.forget(change.identity.runtime_id);
    }
    if (this.armed.length > 0) this.timer.in(this.untilNext(now));
  }

  /** Runs a pass at once, for a job that was armed, held or cancelled just now. */
  tick(): void {
    this.timer.now();
  }

  close(): Promise<void> {
    return this.timer.close();
  }

  private look(): void {
    const { context } = this.deps;
    this.timer.in(this.isSettled && this.armed.length === 0 ? REST_MS : TICK_MS);
    if (!context.isReady()) return;
    this.armed = context.jobs.listArmedJobs().filter((job) => job.kind === "send");
    if (!this.isSettled) this.settleBegun();
    const now = context.clock.now();
    if (context.jobs.pausedAt() === null) this.decide(now);
    this.deps.onLook();
    // While everything rests, time goes by all the same.
    this.lookedAt = now;
    this.timer.in(this.untilNext(now));
  }

  /** An agent that came to rest a moment ago gets a pass just before its rest counts, and one as soon as it does. */
  private untilNext(now: number): number {
    const rests = this.armed
      .map(({ agent }) => this.rests.restOf(agent.runtimeId))
      .filter((one) => one !== null);
    const soonest = rests
      .flatMap(({ since }) => [since + RESTED_MS - EARLY_MS, since + RESTED_MS])
      .map((at) => at - now)
      .filter((ms) => ms > 0);
    return Math.min(this.armed.length === 0 ? REST_MS : TICK_MS, ...soonest);
  }

  /** What the daemon before this one began to send and did not finish. */
  private settleBegun(): void {
    const { jobs, clock } = this.deps.context;
    for (const job of this.armed) {
      const { runtimeId } = job.agent;
      const at = jobs.lastSentAt(runtimeId);
      if (at !== null) this.rests.noteSent(runtimeId, at, null);
      if (job.isVolatile && !this.volatile.has(job.jobId))
        this.end(job, "stopped", "its text was kept in memory only, and the daemon has ended since", null);
      if (!jobs.hasBegunSend(job.jobId)) continue;
      const found = jobs.findSent(runtimeId, keyOf(job));
      if (found === "none") jobs.undoSend(job.jobId);
      else if (found === "unsettled")
        this.settle(job, null, { outcome: "unverified", detail: "the daemon ended while it was sent" });
      else this.settle(job, null, actionResultSchema.parse(JSON.parse(found.result)));
    }
    this.isSettled = true;
    this.lookedAt = clock.now();
    this.armed = jobs.listArmedJobs().filter((job) => job.kind === "send");
  }

  private agentsNow(now: number): Map<string, AgentNow> {
    const rows = new Map(this.deps.context.rows.all().map((row) => [row.identity.runtime_id, row]));
    return new Map(
      this.armed.map(({ agent: { runtimeId } }) => {
        const row = rows.get(runtimeId) ?? null;
        if (row !== null) this.rests.noteRow(row, now);
        const agentNow: AgentNow = {
          row,
          rest: row === null ? null : this.rests.restOf(runtimeId),
          isTurnOver: this.rests.isTurnOver(runtimeId, now),
          isBusy: this.timer.busy.has(runtimeId),
        };
        return [runtimeId, agentNow];
      }),
    );
  }

  private decide(now: number): void {
    const agents = this.agentsNow(now);
    const acts = decideSends(this.armed, { now, lookedAt: this.lookedAt, agents, nextOf: nextOfSchedule });
    this.reasons.clear();
    for (const act of acts) this.perform(act, now);
  }

  private perform(act: SendAct, now: number): void {
    const { jobs } = this.deps.context;
    const { job } = act;
    switch (act.kind) {
      case "wait":
        this.reasons.set(job.jobId, act.why);
        return;
      case "soon":
        this.reasons.set(job.jobId, act.why);
        return this.looks.begin(job, act.row);
      case "bind":
        jobs.bindSession(job.jobId, act.sessionId);
        return;
      case "skip":
        jobs.setNextAt(job.jobId, act.nextAt, { at: now, outcome: `skipped: ${act.why}` });
        return;
      case "expire":
        return this.end(job, "expired", act.why, null);
      case "stop":
        return this.end(job, "stopped", act.why, act.row);
      case "send":
        return this.performSend(act);
    }
  }

  private end(job: SendJob, how: "expired" | "stopped", why: string, row: PaneView | null): void {
    const { jobs, clock } = this.deps.context;
    if (!jobs.endJob(job.jobId, how, { at: clock.now(), outcome: `not sent: ${why}` })) return;
    this.forget(job);
    this.deps.tell(job, row, why);
  }

  private forget({ jobId }: SendJob): void {
    this.volatile.delete(jobId);
    this.reasons.delete(jobId);
  }

  private performSend({ job, row }: Act<"send">): void {
    const { jobId, agent } = job;
    const obstacle = this.looks.known(agent.runtimeId);
    if (obstacle !== null) {
      this.reasons.set(jobId, obstacle);
      return;
    }
    const text = (job.isVolatile ? this.volatile.get(jobId) : job.text) ?? null;
    if (text === null) {
      this.end(job, "stopped", "its text is lost", row);
      return;
    }
    const onError = (error: unknown): void =>
      this.deps.context.logger.error({ error, jobId }, "a text of the queue could not be sent");
    void this.timer
      .begin(agent.runtimeId, this.sendNow(job, row, text), onError)
      .then(() => this.timer.in(0));
  }

  /** Whether what was decided on still holds, to the state version. */
  private holds({ identity, state_version }: PaneView): boolean {
    const now = this.deps.context.rows.all().find((one) => one.identity.runtime_id === identity.runtime_id);
    return now !== undefined && now.state_version === state_version && restOf(now) !== null;
  }

  private async sendNow(job: SendJob, row: PaneView, text: string): Promise<void> {
    const { context } = this.deps;
    const { jobs, clock } = context;
    const { runtimeId } = job.agent;
    const [hasHeard, obstacle] = await Promise.all([
      isHeard(context, runtimeId, EVENTS_LIMIT_MS),
      this.looks.find(job, row),
    ]);
    if (!this.holds(row)) return;
    if (obstacle !== null || !hasHeard) {
      this.wait(job, obstacle ?? "what its agent told is still being read");
      return;
    }
    this.looks.forget(runtimeId);
    if (this.timer.isClosed || !this.holds(row) || jobs.pausedAt() !== null) return;
    if (!jobs.beginSend({ jobId: job.jobId, at: clock.now(), runtimeId })) return;
    try {
      const result = await context.sends.send({
        runtimeId,
        stateVersion: row.state_version,
        ...occasionOf(job),
        text,
        surface: `job:${job.jobId}`,
        idempotencyKey: keyOf(job),
      });
      this.settle(job, row, result);
    } catch (error) {
      this.handleRefusal(job, row, error);
    }
  }

  private wait({ jobId, agent }: SendJob, why: string): void {
    this.reasons.set(jobId, why);
    this.looks.note(agent.runtimeId, why);
  }

  /** A refusal is no attempt: nothing was typed. Whether a key may have arrived is in the record under the idempotency key. */
  private handleRefusal(job: SendJob, row: PaneView, error: unknown): void {
    const { jobs } = this.deps.context;
    const found = jobs.findSent(job.agent.runtimeId, keyOf(job));
    if (found === "none") {
      jobs.undoSend(job.jobId);
      if (!(error instanceof AgtmuxError)) throw error;
      this.wait(job, error.message);
      return;
    }
    this.settle(
      job,
      row,
      found === "unsettled"
        ? { outcome: "unverified", detail: error instanceof Error ? error.message : "it failed" }
        : actionResultSchema.parse(JSON.parse(found.result)),
    );
  }

  /** What was not delivered is not repeated: part of it may be in the input box, or have gone elsewhere. */
  private settle(
    job: SendJob,
    row: PaneView | null,
    result: { outcome: ActionResult["outcome"]; detail: string },
  ): void {
    const { context } = this.deps;
    const { jobId, trigger, agent } = job;
    const at = context.clock.now();
    const isDelivered = result.outcome === "delivered";
    const nextAt = trigger.kind === "cron" ? nextOfSchedule(trigger.expression, at) : job.nextAt;
    const outcome = isDelivered
      ? SENT
      : `${result.outcome.replace("_", " ")}: ${result.detail}`.slice(0, 500);
    const isOver = !isDelivered && (trigger.kind !== "cron" || this.hasFailedOften(jobId));
    const end: Parameters<JobStore["settleSend"]>[0]["end"] = isOver
      ? "stopped"
      : nextAt === null && trigger.kind === "cron"
        ? "done"
        : null;
    context.jobs.settleSend({ jobId, at, outcome, nextAt, end });
    this.rests.noteSent(agent.runtimeId, at, row?.state_version ?? null);
    if (isOver || job.runs + 1 >= job.maxRuns) this.forget(job);
    if (isOver) this.deps.tell(job, row, outcome);
  }

  /** Counting the present one. */
  private hasFailedOften(jobId: string): boolean {
    const before = this.deps.context.jobs
      .listRuns(jobId, MAX_FAILURES + 1)
      .filter(({ runtimeId }) => runtimeId !== null)
      // The newest is the one that is being settled.
      .slice(1, MAX_FAILURES);
    return before.length === MAX_FAILURES - 1 && before.every(({ outcome }) => outcome !== SENT);
  }
}
