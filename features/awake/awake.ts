// The feature "awake": while an agent of this machine works, or a text for later is due within the hour, the machine does not fall
// asleep because nobody touches it, if the person said so (`keep_awake`). How that is done is a blocker's business.
import type { Check, Diagnosis } from "../../core/model/doctor.ts";
import type { Job } from "../../core/model/job.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { AwakeView, PaneView } from "../../core/model/view.ts";
import { awakeText } from "../../core/model/words.ts";
import type { Feature, FeatureContext } from "../../core/ports/feature.ts";
import type { SleepBlock, SleepBlocker } from "../../core/ports/sleepBlocker.ts";

const HOUR_MS = 3_600_000;
/** A text that is due gets this long to be sent; one that its agent is not ready for keeps nothing awake. */
const DUE_MS = 5 * 60_000;
/** States that change in quick succession are looked at once. */
const SETTLE_MS = 1_000;
/** How often texts that become due, the power, and a blocker that failed are looked at. */
const EVERY_MS = 60_000;
const DOCTOR_MS = 5_000;

type Reasons = Pick<AwakeView, "working" | "text_due_at">;

/** Why this machine should stay awake at `now` (epoch ms); null: nothing needs it. `jobs`: armed ones. Pure. */
export const reasonsOf = (
  rows: readonly PaneView[],
  jobs: readonly Job[],
  isPaused: boolean,
  now: number,
): Reasons | null => {
  const working = rows.filter(
    ({ identity, state }) => identity.target === HOST_TARGET && state === "running",
  ).length;
  const due = isPaused
    ? []
    : jobs.flatMap((job) =>
        job.kind === "send" &&
        job.nextAt !== null &&
        job.nextAt >= now - DUE_MS &&
        job.nextAt <= now + HOUR_MS
          ? [job.nextAt]
          : [],
      );
  if (working + due.length === 0) return null;
  return { working, text_due_at: due.length === 0 ? null : new Date(Math.min(...due)).toISOString() };
};

const NOT_ON_POWER = "it isn't on power";
const POWER_UNKNOWN = "can't tell whether it is on power";

class KeepAwake {
  private readonly context: FeatureContext;
  private readonly blocker: SleepBlocker;
  private block: SleepBlock | null = null;
  private told: AwakeView | null = null;
  /** What was found last, kept for a while: each may cost the start of a program. `at`: epoch ms. */
  private power: { isOn: boolean | null; at: number } | null = null;
  private failure: { why: string; at: number } | null = null;
  private isReviewing = false;
  private isDue = false;
  private cancel: (() => void) | null = null;
  private isClosed = false;
  private readonly stop: () => void;

  constructor(context: FeatureContext, blocker: SleepBlocker) {
    this.context = context;
    this.blocker = blocker;
    this.stop = context.onConfigChange(() => {
      this.power = null;
      this.failure = null;
      void this.review();
    });
    if (this.isWanted) this.plan(SETTLE_MS);
  }

  get isWanted(): boolean {
    return this.context.config().keep_awake !== "never";
  }

  /** The daemon must not end meanwhile. */
  get isHeld(): boolean {
    return this.block !== null;
  }

  get view(): AwakeView | null {
    return this.told;
  }

  /** While nobody wants it, a change costs this question. */
  handleChanges(): void {
    if (this.isWanted && !this.isDue) {
      this.isDue = true;
      this.plan(SETTLE_MS);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.stop();
    this.cancel?.();
    this.release();
    await this.blocker.close();
  }

  private plan(delayMs: number): void {
    this.cancel?.();
    this.cancel = this.isClosed ? null : this.context.clock.setTimer(delayMs, () => void this.review());
  }

  private release(): void {
    this.block?.release();
    this.block = null;
  }

  private tell(view: AwakeView | null): void {
    if (this.isClosed || JSON.stringify(view) === JSON.stringify(this.told)) return;
    this.told = view;
    this.context.setAwake(view);
  }

  /** Never rejects. What changes while it runs is looked at once more after it. */
  private async review(): Promise<void> {
    if (this.isReviewing) {
      this.isDue = true;
      return;
    }
    this.isReviewing = true;
    this.isDue = false;
    this.cancel?.();
    this.cancel = null;
    try {
      await this.apply();
    } catch (error) {
      this.context.logger.error({ error }, "whether the machine has to stay awake could not be decided");
    }
    this.isReviewing = false;
    // `handleChanges` and the configuration may have come meanwhile.
    if (this.isDue) this.plan(SETTLE_MS);
    else if (this.isWanted) this.plan(EVERY_MS);
  }

  private reasons(): Reasons | null {
    const { rows, jobs, clock } = this.context;
    if (!this.isWanted) return null;
    return reasonsOf(rows.all(), jobs.listArmedJobs(), jobs.pausedAt() !== null, clock.now());
  }

  private async apply(): Promise<void> {
    const reasons = this.reasons();
    if (reasons === null) {
      this.power = null;
      this.release();
      this.tell(null);
      return;
    }
    const problem = (await this.powerProblem()) ?? (await this.hold());
    if (problem !== null) this.release();
    this.tell({ is_on: this.block !== null, ...reasons, problem });
  }

  private isFresh(found: { at: number } | null): boolean {
    return found !== null && this.context.clock.now() - found.at < EVERY_MS - SETTLE_MS;
  }

  private async powerProblem(): Promise<string | null> {
    if (this.context.config().keep_awake !== "working_on_power") return null;
    if (!this.isFresh(this.power))
      this.power = { isOn: await this.blocker.isOnPower(), at: this.context.clock.now() };
    if (this.power?.isOn === true) return null;
    return this.power?.isOn === false ? NOT_ON_POWER : POWER_UNKNOWN;
  }

  /** Why it is not held; null: it is. */
  private async hold(): Promise<string | null> {
    if (this.block !== null) return null;
    if (this.failure !== null && this.isFresh(this.failure)) return this.failure.why;
    this.failure = null;
    try {
      const block = await this.blocker.hold((why) => this.handleEnd(block, why));
      if (this.isClosed) block.release();
      else this.block = block;
      return null;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.failure = { why, at: this.context.clock.now() };
      this.context.logger.warn({ reason: why }, "the machine could not be kept awake");
      return why;
    }
  }

  /** It is tried again at the next look, so that a program that always fails is started once a minute. */
  private handleEnd(block: SleepBlock, why: string): void {
    if (this.block !== block) return;
    this.block = null;
    this.failure = { why, at: this.context.clock.now() };
    this.context.logger.warn({ reason: why }, "the machine is no longer kept awake");
    if (this.told !== null) this.tell({ ...this.told, is_on: false, problem: why });
  }
}

const POWER_REMEDY =
  "Plug it in, or run 'agtmux config set keep_awake working' to keep it awake on its battery, too.";

const examine = async (keeper: KeepAwake, blocker: SleepBlocker): Promise<Diagnosis> => {
  if (!keeper.isWanted)
    return {
      status: "skipped",
      summary: "This machine may fall asleep while agents work: keep_awake is never.",
    };
  const missing = await blocker.findProblem();
  if (missing !== null)
    return {
      status: "problem",
      summary: "This machine cannot be kept awake.",
      evidence: missing.problem,
      remedy: missing.remedy,
    };
  const { view } = keeper;
  if (view === null)
    return { status: "ok", summary: "Nothing works and no text is due, so this machine may fall asleep." };
  if (view.problem === null) return { status: "ok", summary: `This machine is ${awakeText(view)}.` };
  const isPower = view.problem === NOT_ON_POWER || view.problem === POWER_UNKNOWN;
  return {
    status: "warning",
    summary: `This machine ${awakeText(view)}.`,
    remedy: isPower
      ? POWER_REMEDY
      : "See the daemon's log with 'agtmux log', or run 'agtmux config set keep_awake never'.",
  };
};

/** `createBlocker`: once, with the feature's context. */
export const createAwake = (createBlocker: (context: FeatureContext) => SleepBlocker): Feature => ({
  name: "awake",
  calls: {},
  start: (context) => {
    const blocker = createBlocker(context);
    const keeper = new KeepAwake(context, blocker);
    const checks: Check[] = [
      {
        name: "daemon.awake",
        place: { group: "daemon" },
        limitMs: DOCTOR_MS,
        run: () => examine(keeper, blocker),
      },
    ];
    return {
      answer: () => null,
      onChanges: () => keeper.handleChanges(),
      keepsAwake: () => keeper.isHeld,
      doctorChecks: () => checks,
      close: () => keeper.close(),
    };
  },
});
