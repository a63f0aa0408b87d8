// Rules that send: once the pull request of an agent's branch comes to what a rule waits for, a text of the rule is scheduled for that
// agent, as a person would schedule it. The queue types it, with all of its guards. A rule that is not armed only notes what it would
// have sent, and a text that waits ends with what it is about.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { JobView, SendJob } from "../../core/model/job.ts";
import type { FeedChange, PaneView } from "../../core/model/view.ts";
import type { PullRequest } from "../../core/model/workspace.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { matchesFilters } from "../../core/api/paneFilter.ts";
import type { AutomationService } from "./calls.ts";
import { LookTimer } from "./queue/lookTimer.ts";
import { fillText, hashOf, textOfRule, watchOf, type Rule } from "./rules/ruleFile.ts";
import { isBelow } from "./rules/judgeRequest.ts";
import { occasionOf } from "./watches/decide.ts";
import type { RuleSet } from "./rules/ruleSet.ts";

const GATHER_MS = 500;
/** How long a text waits for its agent to rest. */
const EXPIRES_MS = 86_400_000;
const TEN_MINUTES_MS = 600_000;
const MAX_SURFACE = 40;
/** Runs on record that are read once, to know what was sent before. */
const MAX_RUNS = 10_000;
const UNSEEN = "not known: the daemon ended meanwhile";

type SendInput = Parameters<AutomationService["send"]>[0];

const surfaceOf = ({ name }: Pick<Rule, "name">): string => `rule:${name}`.slice(0, MAX_SURFACE);

/** What a rule of this kind waits for; null: it is no such rule, or it is not so. */
const requestOf = (rule: Rule, row: PaneView): PullRequest | null => {
  const request = row.workspace?.pull_request ?? null;
  const condition = watchOf(rule);
  if (request === null || condition === null) return null;
  const isOver = request.state === "merged" || request.state === "closed";
  if (condition.kind === "pr") return request.state === condition.is ? request : null;
  if (condition.kind !== "checks" || isOver) return null;
  return request.checks?.state === condition.are ? request : null;
};

const isAbout = ({ when: { agents, targets, sessions, cwd } }: Rule, row: PaneView): boolean => {
  const folder = row.activity?.folder ?? null;
  const isThere = cwd === undefined || (folder !== null && cwd.some((above) => isBelow(folder, above)));
  return (
    isThere &&
    matchesFilters(row, {
      ...(targets === undefined ? {} : { target: targets }),
      ...(agents === undefined ? {} : { agent: agents }),
      ...(sessions === undefined ? {} : { session: sessions }),
    })
  );
};

export class TextRules {
  private readonly deps: ConstructorParameters<typeof TextRules>[0];
  private readonly timer: LookTimer;
  /** Of each rule, agent and occasion that something was made of. */
  private seen: Set<string> | null = null;
  private sentAt = new Map<string, number[]>();

  constructor(deps: {
    readonly context: FeatureContext;
    readonly ruleSet: RuleSet;
    /** Schedules a text, or throws why not. */
    readonly send: (input: SendInput) => Promise<Pick<JobView, "job_id">>;
    /** A text that waited was ended. */
    readonly onEnd: () => void;
  }) {
    this.deps = deps;
    this.timer = new LookTimer(deps.context, "the rules that send", () => this.look());
  }

  handleChanges(changes: readonly FeedChange[]): void {
    const isNews = changes.some(({ kind }) => kind === "pane");
    if (isNews && this.rules().length > 0) this.timer.in(GATHER_MS);
  }

  /** Runs a pass soon, for rules that were changed, armed or disarmed. */
  tick(): void {
    this.timer.in(0);
  }

  close(): Promise<void> {
    return this.timer.close();
  }

  private rules(): readonly Rule[] {
    return this.deps.ruleSet.current.rules.filter(({ then }) => then === "send");
  }

  private look(): void {
    const { context, ruleSet } = this.deps;
    if (!context.isReady()) return this.timer.in(GATHER_MS);
    const rules = this.rules();
    const { armed, rules: all } = ruleSet.now();
    const isArmed = (rule: Rule): boolean => armed.has(hashOf(rule, all));
    this.endStale(rules.filter(isArmed));
    if (rules.length === 0 || context.jobs.pausedAt() !== null) return;
    const rows = context.rows.all();
    for (const rule of rules)
      for (const row of rows) {
        const request = row.agent === null || !isAbout(rule, row) ? null : requestOf(rule, row);
        if (request !== null)
          this.meet(rule, row, { request, isArmed: isArmed(rule), hash: hashOf(rule, all) });
      }
  }

  private meet(
    rule: Rule,
    row: PaneView,
    { request, isArmed, hash }: { request: PullRequest; isArmed: boolean; hash: string },
  ): void {
    const { context } = this.deps;
    const { runtime_id: runtimeId, pane_ref: ref } = row.identity;
    if (runtimeId === null || this.timer.busy.has(runtimeId)) return;
    const occasion = occasionOf(request);
    const seen = (this.seen ??= this.readSeen());
    const key = `${hash} ${runtimeId} ${occasion}`;
    if (seen.has(key)) return;
    const now = context.clock.now();
    const text = fillText(textOfRule(rule) ?? "", request.checks?.failed ?? null);
    const lately = (this.sentAt.get(`${hash} ${runtimeId}`) ?? []).filter((at) => now - at < TEN_MINUTES_MS);
    const isTooMany = isArmed && lately.length >= rule.limit;
    const run = context.rules.insertRuleRun({
      rule: rule.name,
      hash,
      at: now,
      runtimeId,
      ref,
      fingerprint: occasion,
      verdict: isArmed ? "send" : "would_send",
      command: context.redact(text).slice(0, 500),
      outcome: isTooMany ? "not sent: too many in ten minutes" : isArmed ? UNSEEN : "in shadow",
      actionId: null,
    });
    seen.add(key);
    if (!isArmed || isTooMany) return;
    this.sentAt.set(`${hash} ${runtimeId}`, [...lately, now]);
    const work = this.schedule(rule, runtimeId, text).then((outcome) =>
      context.rules.settleRuleRun(run, { outcome, actionId: null }),
    );
    void this.timer
      .begin(runtimeId, work, (error) => context.logger.warn({ error }, "a rule's text was not noted"))
      .then(() => this.timer.in(0));
  }

  /** What became of it, in words. Never rejects. */
  private async schedule(rule: Rule, runtimeId: string, text: string): Promise<string> {
    try {
      const job = await this.deps.send({
        runtimeId,
        trigger: { kind: "ready" },
        text,
        isVolatile: false,
        expiresMs: EXPIRES_MS,
        times: 1,
        surface: surfaceOf(rule),
      });
      return `scheduled as ${job.job_id}`;
    } catch (error) {
      if (!(error instanceof AgtmuxError)) this.deps.context.logger.warn({ error }, "a rule's text failed");
      const why = error instanceof AgtmuxError ? error.message : "it could not be scheduled";
      return this.deps.context.redact(`not sent: ${why}`).slice(0, 500);
    }
  }

  private readSeen(): Set<string> {
    const runs = this.deps.context.rules.listRuleRuns(MAX_RUNS);
    return new Set(
      runs
        .filter(({ verdict }) => verdict === "send" || verdict === "would_send")
        .map(({ hash, runtimeId, fingerprint }) => `${hash} ${runtimeId} ${fingerprint}`),
    );
  }

  /** Texts that wait while what they are about is over, or their rule is armed no more. What nobody knows now may still be so. */
  private endStale(armed: readonly Rule[]): void {
    const { jobs, rows, clock } = this.deps.context;
    const waiting = jobs
      .listArmedJobs()
      .filter((job): job is SendJob => job.kind === "send" && job.surface.startsWith("rule:"));
    let hasEnded = false;
    for (const job of waiting) {
      const row = rows.all().find(({ identity }) => identity.runtime_id === job.agent.runtimeId);
      const rule = armed.find((one) => surfaceOf(one) === job.surface);
      const isUnknown = (row?.workspace?.pull_request ?? null) === null;
      const request = row === undefined || rule === undefined ? null : requestOf(rule, row);
      const text = fillText(
        rule === undefined ? "" : (textOfRule(rule) ?? ""),
        request?.checks?.failed ?? null,
      );
      const outcome =
        rule === undefined
          ? "not sent: its rule is armed no more"
          : !isUnknown && (request === null || text !== job.text)
            ? "not sent: the pull request has changed since"
            : null;
      if (outcome === null) continue;
      hasEnded = jobs.endJob(job.jobId, "stopped", { at: clock.now(), outcome }) || hasEnded;
    }
    if (hasEnded) this.deps.onEnd();
  }
}
