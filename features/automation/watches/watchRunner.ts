// Runs the watches of a person (`WatchRunner`) and of the rules file (`StandingWatches`): gathers the facts, lets decide.ts decide,
// records, and then tells. What is armed is in the store and nowhere else. It sends no key to any pane.
import type { WatchJob } from "../../../core/model/job.ts";
import type { PaneView, FeedChange } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { isBelow } from "../rules/judgeRequest.ts";
import { hashOf, watchOf, type Rule } from "../rules/ruleFile.ts";
import {
  occasionOf,
  type Watched,
  decide,
  type Matched,
  type WatchAct,
  agentName,
  endedText,
} from "./decide.ts";
import { happenedText, STATE_CLAUSES } from "../../../core/model/words.ts";
import { isQuiet, minuteOfDay } from "../../../core/api/notifications/judgeNotification.ts";
import { LookTimer } from "../queue/lookTimer.ts";
import { BarePanes, bareKeysOf, isBareKey } from "./barePanes.ts";
import { LifeSigns, LineMatcher } from "./screenSigns.ts";

/** The time for which messages are counted. */
const FLOOD_MS = 600_000;

interface StandingWatch {
  readonly rule: Rule;
  readonly hash: string;
  readonly job: WatchJob;
}

interface Memory {
  readonly beganAt: number;
  /** When it told lately, epoch ms. */
  told: number[];
  isStopped: boolean;
}

const MAX_ON_RECORD = 10_000;

/** The commit of the pull request of this row; empty without one. */
const occasionIn = ({ workspace }: PaneView): string => {
  const request = workspace?.pull_request ?? null;
  return request === null ? "" : occasionOf(request);
};

const isInFolder = ({ when: { cwd } }: Rule, { activity }: PaneView): boolean => {
  const folder = activity?.folder ?? null;
  return cwd === undefined || (folder !== null && cwd.some((above) => isBelow(folder, above)));
};

/**
 * The watches of the rules file. They tell of every agent that fits, now or later, while their rule is in the file: nobody arms
 * them, and they never end by themselves. What was true before the rule was there, or before the daemon ran, is not told.
 */
class StandingWatches {
  private readonly context: FeatureContext;
  private readonly rulesNow: () => readonly Rule[];
  private readonly memories = new Map<string, Memory>();
  private standing: readonly StandingWatch[] = [];
  private occasions: Set<string> | null = null;

  constructor(context: StandingWatches["context"], rulesNow: () => readonly Rule[]) {
    this.context = context;
    this.rulesNow = rulesNow;
  }

  get count(): number {
    return this.standing.length;
  }

  /** Those of the file as it is now. */
  follow(now: number): readonly StandingWatch[] {
    const rules = this.rulesNow();
    this.standing = rules.flatMap((rule) => {
      const condition = watchOf(rule);
      // What is sent to an agent is no matter of this.
      if (condition === null || rule.then === "send") return [];
      const hash = hashOf(rule, rules);
      const { beganAt, told } = this.memoryOf(hash, now);
      const { targets, agents, sessions } = rule.when;
      const job: WatchJob = {
        // Another text is another watch.
        jobId: `rule:${hash}`,
        kind: "watch",
        createdAt: beganAt,
        surface: "rules.json",
        subject: {
          filters: {
            ...(targets === undefined ? {} : { target: targets }),
            ...(agents === undefined ? {} : { agent: agents }),
            ...(sessions === undefined ? {} : { session: sessions }),
          },
        },
        condition,
        channel: rule.channel ?? null,
        state: "armed",
        expiresAt: Number.POSITIVE_INFINITY,
        runs: told.length,
        maxRuns: rule.limit,
      };
      return [{ rule, hash, job }];
    });
    const hashes = new Set(this.standing.map(({ hash }) => hash));
    for (const hash of this.memories.keys()) if (!hashes.has(hash)) this.memories.delete(hash);
    return this.standing;
  }

  jobs(): WatchJob[] {
    return this.standing.map(({ job }) => job);
  }

  find(jobId: string): StandingWatch | null {
    return this.standing.find(({ job }) => job.jobId === jobId) ?? null;
  }

  /**
   * Agents in its folders, of which something came true since its rule is in the file. `goneAt`: when those that are gone ended.
   */
  about(
    { rule, job, hash }: StandingWatch,
    watched: ReadonlyMap<string, Watched>,
    goneAt: (runtimeId: string) => number | null,
  ): Map<string, Watched> {
    const { kind } = job.condition;
    const isNew = (runtimeId: string, { row, isGone }: Watched): boolean => {
      if (isGone) return (goneAt(runtimeId) ?? 0) >= job.createdAt;
      if (kind === "quiet" || kind === "match") return true;
      // Nobody says when it became so: it is told once for each commit, over restarts as well.
      if (kind === "checks" || kind === "pr")
        return !this.onRecord().has(`${hash} ${runtimeId} ${occasionIn(row)}`);
      const { since } = row;
      return since !== null && Date.parse(since) >= job.createdAt;
    };
    return new Map([...watched].filter(([id, one]) => isInFolder(rule, one.row) && isNew(id, one)));
  }

  record({ rule, hash, job }: StandingWatch, row: PaneView, now: number, outcome: string): void {
    const isOnce = job.condition.kind === "checks" || job.condition.kind === "pr";
    const fingerprint = isOnce ? occasionIn(row) : "";
    const runtimeId = row.identity.runtime_id ?? "";
    this.insert(rule, hash, { at: now, runtimeId, ref: row.identity.pane_ref, outcome, fingerprint });
    if (isOnce) this.onRecord().add(`${hash} ${runtimeId} ${fingerprint}`);
    this.memories.get(hash)?.told.push(now);
  }

  /** Puts on record, once, why it tells nothing more. */
  stop({ rule, hash }: StandingWatch, now: number, why: string): void {
    const memory = this.memories.get(hash);
    if (memory === undefined || memory.isStopped) return;
    this.insert(rule, hash, { at: now, runtimeId: "", ref: "", outcome: `stopped: ${why}`, fingerprint: "" });
    memory.isStopped = true;
  }

  /** Of each rule and agent, the commits of pull requests that it told of. */
  private onRecord(): Set<string> {
    this.occasions ??= new Set(
      this.context.rules
        .listRuleRuns(MAX_ON_RECORD)
        .filter(({ verdict }) => verdict === "tell")
        .map(({ hash, runtimeId, fingerprint }) => `${hash} ${runtimeId} ${fingerprint}`),
    );
    return this.occasions;
  }

  private memoryOf(hash: string, now: number): Memory {
    const memory = this.memories.get(hash) ?? { beganAt: now, told: [], isStopped: false };
    this.memories.set(hash, memory);
    memory.told = memory.told.filter((at) => Math.abs(now - at) < FLOOD_MS);
    return memory;
  }

  private insert(
    { name }: Rule,
    hash: string,
    run: { at: number; runtimeId: string; ref: string; outcome: string; fingerprint: string },
  ): void {
    const { rules, redact } = this.context;
    rules.insertRuleRun({
      ...run,
      rule: name,
      hash,
      verdict: "tell",
      command: "",
      outcome: redact(run.outcome).slice(0, 500),
      actionId: null,
    });
  }
}

const TICK_MS = 1_000;
/** While nothing has happened since the last pass: only time can then make something come true, and when is known. */
const REST_MS = 15_000;
/** No pass for so long: the machine slept. */
const ASLEEP_MS = 90_000;
/** A runtime that ended is remembered this long, so that every watch has heard of it. */
const GONE_MS = 60_000;
/** The watch that is always there, and only tells. */
const STALL_JOB = "stall";

/** On record in place of "told", where neither a surface listened nor a channel could send it. */
const UNHEARD = "nobody could hear it";

/** A message for the person. `line`: a line of the screen, for those who want it. */
export interface WatchMessage {
  readonly id: string;
  readonly jobId: string;
  readonly title: string;
  readonly line: string | null;
  readonly row: PaneView;
  /** Null: everybody. */
  readonly channel: string | null;
}

const isBackground = ({ reason_code }: PaneView): boolean => reason_code === "background_task";

/** Armed for whoever works, as long as the person wants it. */
const stallJob = (forMs: number): WatchJob => ({
  jobId: STALL_JOB,
  kind: "watch",
  createdAt: 0,
  surface: "agtmux",
  subject: { filters: {} },
  condition: { kind: "quiet", forMs },
  channel: null,
  state: "armed",
  expiresAt: Number.POSITIVE_INFINITY,
  runs: 0,
  maxRuns: Number.MAX_SAFE_INTEGER,
});

const lineOf = (matched: Matched | null): string | null =>
  matched === null
    ? null
    : [
        matched.newest,
        ...(matched.count > 1 ? [`(and ${matched.count - 1} earlier)`] : []),
        ...(matched.hasGap ? ["(lines came faster than they were looked at)"] : []),
      ].join(" ");

export class WatchRunner {
  private readonly deps: ConstructorParameters<typeof WatchRunner>[0];
  private readonly signs = new LifeSigns();
  private readonly lines = new LineMatcher();
  private readonly bare: BarePanes;
  private readonly standing: StandingWatches;
  private readonly gone = new Map<string, { row: PaneView; at: number }>();
  private readonly last = new Map<string, PaneView>();
  private told: Map<string, Set<string>> | null = null;
  private readonly toldAt = new Map<string, number>();
  private armed: readonly WatchJob[] = [];
  private lookedAt: number | null = null;
  /** Something happened since the last pass. */
  private isWoken = false;
  private readonly timer: LookTimer;
  private readonly stopScreens: () => void;

  constructor(deps: {
    readonly context: FeatureContext;
    readonly tell: (message: WatchMessage) => void;
    /** Whether a message over this channel (null: any) would reach anybody now, at this desktop too. */
    readonly hears: (channel: string | null) => boolean;
    /** Those of the rules file: some of them are watches. */
    readonly rules: () => readonly Rule[];
  }) {
    this.deps = deps;
    this.standing = new StandingWatches(deps.context, deps.rules);
    this.timer = new LookTimer(deps.context, "the watches", () => this.look());
    const { rows, clock } = deps.context;
    // What the store remembers may be gone before the first pass.
    for (const row of rows.all()) this.noteRow(row, clock.now());
    const noteScreen = (key: string, lines: readonly string[]): void => {
      this.signs.noteScreen(key, lines, clock.now());
      if (this.lines.noteScreen(key, lines, (jobId) => this.isAbout(jobId, key))) this.wake();
    };
    this.stopScreens = rows.onScreens(noteScreen);
    this.bare = new BarePanes(deps.context, noteScreen);
    this.schedule();
  }

  /** How many a person has armed, and how many stand in the rules file. */
  get armedCount(): number {
    return this.armed.length + this.standing.count;
  }

  handleChanges(changes: readonly FeedChange[]): void {
    const now = this.deps.context.clock.now();
    for (const change of changes) {
      if (change.kind === "pane") this.noteRow(change.pane, now);
      if (change.kind === "removed" && change.identity.runtime_id !== null)
        this.noteGone(change.identity.runtime_id, now);
    }
    if (changes.length > 0 && this.armedCount > 0) this.wake();
  }

  /** Runs a pass at once, for a job that was armed or cancelled just now. */
  tick(): void {
    this.timer.now();
  }

  async close(): Promise<void> {
    this.stopScreens();
    await this.timer.close();
  }

  private look(): void {
    const { context } = this.deps;
    this.schedule();
    if (!context.isReady()) return;
    this.armed = context.jobs.listArmedJobs().filter((job) => job.kind === "watch");
    this.told ??= this.readTold();
    const now = context.clock.now();
    this.noteJump(now);
    if (context.jobs.pausedAt() === null) this.decideAll(now);
    this.schedule();
  }

  /** Time without a pass, or that a clock jumped over, is no silence: silence counts from here. */
  private noteJump(now: number): void {
    const passed = now - (this.lookedAt ?? now);
    if (passed < 0 || passed > ASLEEP_MS) this.signs.restart(now);
    this.lookedAt = now;
  }

  private wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    this.schedule();
  }

  /** Until the silence of an agent may be too long, or a job expires. */
  private restMs(): number {
    const { context } = this.deps;
    const now = context.clock.now();
    const { stalled_after_ms: stalledMs } = context.config().notifications;
    const silences = new Set(stalledMs === null ? [] : [stalledMs]);
    for (const { condition } of [...this.armed, ...this.standing.jobs()])
      if (condition.kind === "quiet") silences.add(condition.forMs);
    const lefts = [...silences].map((forMs) => this.signs.soonest(forMs, now) ?? REST_MS);
    const ends = this.armed.map(({ expiresAt }) => expiresAt - now);
    return Math.max(TICK_MS, Math.min(REST_MS, ...lefts, ...ends));
  }

  private schedule(): void {
    // Nothing else captures panes without an agent.
    const isBusy = this.isWoken || !this.deps.context.isReady() || bareKeysOf(this.armed).size > 0;
    this.timer.in(isBusy ? TICK_MS : this.restMs());
  }

  private isAbout(jobId: string, runtimeId: string): boolean {
    const job = this.armed.find((one) => one.jobId === jobId) ?? this.standing.find(jobId)?.job;
    if (job === undefined) return false;
    return "runtimeId" in job.subject ? job.subject.runtimeId === runtimeId : !isBareKey(runtimeId);
  }

  private noteRow(row: PaneView, now: number): void {
    const { runtime_id } = row.identity;
    if (runtime_id === null) return;
    this.last.set(runtime_id, row);
    this.signs.noteRow(row, now);
  }

  private noteGone(runtimeId: string, now: number): void {
    const row = this.last.get(runtimeId);
    if (row !== undefined) this.gone.set(runtimeId, { row, at: now });
    this.last.delete(runtimeId);
    this.signs.forget(runtimeId);
    this.lines.forget(runtimeId);
  }

  /** What still holds after a restart is not told again. */
  private readTold(): Map<string, Set<string>> {
    const told = new Map<string, Set<string>>();
    for (const { jobId, runtimeId } of this.deps.context.jobs.listTold())
      told.set(jobId, (told.get(jobId) ?? new Set()).add(runtimeId));
    return told;
  }

  private facts(now: number): Map<string, Watched> {
    const watched = new Map<string, Watched>();
    for (const [runtimeId, { row, at }] of this.gone) {
      if (now - at > GONE_MS) this.gone.delete(runtimeId);
      else watched.set(runtimeId, { row, isGone: true, silentSince: null });
    }
    for (const row of this.deps.context.rows.all()) {
      const { runtime_id } = row.identity;
      if (runtime_id === null || row.agent === null) continue;
      if (!this.last.has(runtime_id)) this.noteRow(row, now);
      watched.set(runtime_id, { row, isGone: false, silentSince: this.signs.silentSince(runtime_id) });
    }
    for (const [key, { row, isGone }] of this.bare.look(this.armed)) {
      this.signs.notePane(key, now);
      watched.set(key, { row, isGone, silentSince: this.signs.silentSince(key) });
    }
    return watched;
  }

  private decideAll(now: number): void {
    const told = this.told ?? new Map<string, Set<string>>();
    const standing = this.standing.follow(now);
    this.isWoken = false;
    this.lines.follow([...this.armed, ...this.standing.jobs()]);
    for (const jobId of this.lines.tooSlow) this.stop(jobId);
    const watched = this.facts(now);
    const facts = { now, watched, matched: this.lines.matched, told, toldAt: this.toldAt };
    for (const act of decide(this.armed, facts)) this.perform(act, now);
    const goneAt = (runtimeId: string): number | null => this.gone.get(runtimeId)?.at ?? null;
    for (const one of standing) {
      const about = this.standing.about(one, watched, goneAt);
      const known = told.get(one.job.jobId);
      // An agent that it no longer covers counts as another one when it comes back.
      for (const runtimeId of known ?? []) if (!about.has(runtimeId)) known?.delete(runtimeId);
      for (const act of decide([one.job], { ...facts, watched: about })) this.perform(act, now);
    }
    const busy = new Map([...watched].filter(([, { row }]) => !isBackground(row) && row.muted === null));
    for (const act of decide(this.builtIn(now), { ...facts, watched: busy })) this.perform(act, now);
    // Lines that came too soon after others are told a moment later.
    if (this.lines.isWaiting) this.isWoken = true;
  }

  private builtIn(now: number): WatchJob[] {
    const { stalled_after_ms, quiet_hours } = this.deps.context.config().notifications;
    return stalled_after_ms === null || (quiet_hours !== null && isQuiet(quiet_hours, minuteOfDay(now)))
      ? []
      : [stallJob(stalled_after_ms)];
  }

  private perform(act: WatchAct, now: number): void {
    switch (act.kind) {
      case "forget":
        this.told?.get(act.job.jobId)?.delete(act.runtimeId);
        return;
      case "tell":
        return this.performTell(act, now);
      case "expire":
        this.deps.context.jobs.endJob(act.job.jobId, "expired");
        return;
      case "end":
        return this.performEnd(act, now);
    }
  }

  /** Recorded first: to tell twice is worse than to tell nothing when the daemon crashes at this moment. */
  private performTell(
    { job, runtimeId, row, matched }: Extract<WatchAct, { kind: "tell" }>,
    now: number,
  ): void {
    const { jobId, condition, channel } = job;
    const standing = this.standing.find(jobId);
    const hasFailed = condition.kind === "done" && row.state === "error";
    const what = hasFailed ? STATE_CLAUSES.error : happenedText(condition);
    const isHeard = this.deps.hears(channel);
    const run = { jobId, at: now, runtimeId, outcome: `${isHeard ? "told" : UNHEARD}: ${what}` };
    if (standing !== null) this.standing.record(standing, row, now, isHeard ? what : `${UNHEARD}: ${what}`);
    else if (jobId !== STALL_JOB && !this.deps.context.jobs.recordRun(run)) return;
    this.told?.set(jobId, (this.told.get(jobId) ?? new Set()).add(runtimeId));
    this.toldAt.set(jobId, now);
    this.lines.told(jobId, runtimeId);
    const title = `${agentName(row)} ${what}`;
    this.deps.tell({ id: `${jobId}:${runtimeId}:${now}`, jobId, title, line: lineOf(matched), row, channel });
  }

  private performEnd({ job, row }: Extract<WatchAct, { kind: "end" }>, now: number): void {
    const { jobId, condition, channel } = job;
    const outcome = endedText(condition);
    if (!this.deps.context.jobs.endJob(jobId, "stopped", { at: now, outcome })) return;
    const title = `${agentName(row)} ${outcome}`;
    this.deps.tell({ id: `${jobId}:end`, jobId, title, line: null, row, channel });
  }

  private stop(jobId: string): void {
    const { clock, jobs } = this.deps.context;
    const [standing, why] = [this.standing.find(jobId), "the pattern took too long on a screen"];
    if (standing !== null) this.standing.stop(standing, clock.now(), why);
    else jobs.endJob(jobId, "stopped", { at: clock.now(), outcome: why });
  }
}
