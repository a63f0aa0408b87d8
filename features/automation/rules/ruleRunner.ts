// Lets rules answer: gathers what agents ask, lets judgeRequest.ts decide, and answers through the daemon's gate. An answer is
// recorded before its first key, and given only to exactly the request that was judged, once it has stood for a while.
import { RUN_BEGUN, type RuleRun, NOT_ANSWERED } from "../../../core/model/rule.ts";
import type { ToldRequest } from "../../../core/model/request.ts";
import type { PaneView, FeedChange } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { type Judged, judgeRequest } from "./judgeRequest.ts";
import { type Rule, MAX_LIMIT } from "./ruleFile.ts";
import type { ActionResult } from "../../../core/model/action.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { isHeard, LookTimer } from "../queue/lookTimer.ts";
import { RequestPaths } from "./rulePaths.ts";
import type { RuleSet } from "./ruleSet.ts";

/** One asking of one agent. */
interface Standing {
  readonly fingerprint: string;
  readonly since: number;
  /** Not before then. */
  notBefore: number;
  tries: number;
  /** What was recorded or told already: hashes of rules, and keys of messages. */
  readonly noted: Set<string>;
  /** Nothing more is done about it. */
  isOver: boolean;
  /** What a rule in shadow would do now, for the row; null: none would do anything. */
  shadow: string | null;
}

const newStanding = (fingerprint: string, now: number, stoodMs: number): Standing => ({
  fingerprint,
  since: now,
  notBefore: now + stoodMs,
  tries: 0,
  noted: new Set(),
  isOver: false,
  shadow: null,
});

/** A rule that would press a key. */
interface Answer {
  readonly rule: Rule;
  readonly hash: string;
  readonly verdict: "approve" | "deny";
}

const answerOf = ({ verdict, rule, hash }: Judged): Answer | null =>
  rule !== null && hash !== null && (verdict === "approve" || verdict === "deny")
    ? { rule, hash, verdict }
    : null;

interface About {
  readonly row: PaneView;
  readonly request: ToldRequest;
  readonly standing: Standing;
}

/** The record of it before its first key. */
const runOf = (
  { clock, redact }: FeatureContext,
  { rule, hash }: Answer,
  verdict: RuleRun["verdict"],
  { row, request, standing }: About,
): Omit<RuleRun, "runRow"> => {
  const text = (request.command ?? request.kind).replaceAll(/\s+/g, " ").slice(0, 2_000);
  return {
    rule: rule.name,
    hash,
    at: clock.now(),
    runtimeId: request.runtimeId,
    ref: row.identity.pane_ref,
    fingerprint: standing.fingerprint,
    verdict,
    command: redact(text).slice(0, 500),
    outcome: RUN_BEGUN,
    actionId: null,
  };
};

/** So long a request must have stood unchanged: what follows an answer may be drawn late. */
export const STOOD_MS = 1_000;
const EVENTS_LIMIT_MS = 1_000;
/** The time for which answers are counted. */
export const FLOOD_MS = 600_000;
/** After something was in the way. */
const AGAIN_MS = 2_000;
/** So long a request that is in doubt is examined again and again. */
const DOUBT_MS = 30_000;
/** So often a request is tried: then it is the person's. */
const MAX_TRIES = 5;

export class RuleRunner {
  private readonly deps: ConstructorParameters<typeof RuleRunner>[0];
  private readonly standing = new Map<string, Standing>();
  private readonly timer: LookTimer;
  private readonly paths: RequestPaths;
  private isSettled = false;

  constructor(deps: {
    readonly context: FeatureContext;
    readonly ruleSet: RuleSet;
    /** Tells the person what a rule says of a request, or why it left one to them. */
    readonly tell: (row: PaneView, about: { rule: string; title: string; key: string }) => void;
    /** After each pass. */
    readonly onLook?: () => void;
  }) {
    this.deps = deps;
    this.paths = new RequestPaths(deps.context);
    this.timer = new LookTimer(deps.context, "the rules", () => this.look());
  }

  handleChanges(changes: readonly FeedChange[]): void {
    const isAbout = changes.some(
      (change) =>
        change.kind === "removed" ||
        (change.kind === "pane" &&
          (change.pane.state === "waiting_approval" ||
            this.standing.has(change.pane.identity.runtime_id ?? ""))),
    );
    if (isAbout) this.timer.in(0);
  }

  /** Runs a pass soon, for rules that were changed, armed, or let go on. */
  tick(): void {
    this.timer.in(0);
  }

  close(): Promise<void> {
    return this.timer.close();
  }

  private look(): void {
    this.lookAtAll();
    this.deps.onLook?.();
  }

  /** What rules in shadow would do of what is asked now, by runtime. */
  shadowNotes(): Map<string, string> {
    return new Map([...this.standing].flatMap(([id, { shadow }]) => (shadow === null ? [] : [[id, shadow]])));
  }

  private lookAtAll(): void {
    const { context } = this.deps;
    if (!context.isReady()) return this.timer.in(STOOD_MS);
    if (!this.isSettled) {
      context.rules.settleBegunRuleRuns("unverified: the daemon ended while it was answered");
      this.isSettled = true;
    }
    const seen = new Set<string>();
    let next = Infinity;
    for (const row of context.rows.all()) {
      const { runtime_id: runtimeId } = row.identity;
      if (runtimeId === null || row.state !== "waiting_approval") continue;
      seen.add(runtimeId);
      next = Math.min(next, this.lookAt(runtimeId, row));
    }
    for (const runtimeId of this.standing.keys())
      if (!seen.has(runtimeId)) {
        this.standing.delete(runtimeId);
        this.paths.forget(runtimeId);
      }
    if (next < Infinity) this.timer.in(Math.max(0, next - context.clock.now()));
  }

  /** Gives when to examine it again, epoch ms. */
  private lookAt(runtimeId: string, row: PaneView): number {
    const { context } = this.deps;
    const now = context.clock.now();
    const request = context.requests.find(runtimeId);
    if (request?.fingerprint === undefined || request.fingerprint === null) return Infinity;
    let standing = this.standing.get(runtimeId);
    if (standing?.fingerprint !== request.fingerprint) {
      standing = newStanding(request.fingerprint, now, STOOD_MS);
      this.standing.set(runtimeId, standing);
    }
    if (standing.isOver || this.timer.busy.has(runtimeId) || context.jobs.pausedAt() !== null)
      return Infinity;
    if (now < standing.notBefore) return standing.notBefore;
    return this.decide(row, request, standing);
  }

  private judge(row: PaneView, request: ToldRequest): Judged {
    return judgeRequest(this.deps.ruleSet.now(), {
      agent: row.agent ?? "",
      target: row.identity.target,
      session: row.identity.session_name,
      kind: request.kind,
      tool: request.toolName,
      command: request.command,
      folder: request.folder,
      leadsTo: (folder) => this.paths.leadsTo(request, folder),
      paths: this.paths.of(request),
    });
  }

  private folders(): string[] {
    return this.deps.ruleSet.current.rules.flatMap(({ when }) => when.cwd ?? []);
  }

  /** Whether it matters which files and folders a request is about. */
  private needsPaths(): boolean {
    return this.deps.ruleSet.current.rules.some(
      ({ when: { paths, cwd } }) => paths !== undefined || cwd !== undefined,
    );
  }

  /** It matters, and is not known yet. */
  private lacksPaths(request: ToldRequest): boolean {
    return this.needsPaths() && !this.paths.has(request, this.folders());
  }

  /** Where links lead now. Never rejects. */
  private async readPaths(row: PaneView, request: ToldRequest): Promise<void> {
    if (this.needsPaths()) await this.paths.read(row.identity.target, request, this.folders());
  }

  private decide(row: PaneView, request: ToldRequest, standing: Standing): number {
    if (this.lacksPaths(request)) {
      this.begin(request.runtimeId, this.readPaths(row, request), () => {});
      return Infinity;
    }
    const judged = this.judge(row, request);
    for (const rule of judged.notify)
      this.tellOnce(standing, row, rule.name, `${rule.name}: ${row.agent_name ?? "an agent"} asks for it`);
    const answer = answerOf(judged);
    standing.shadow = null;
    if (answer === null) return Infinity;
    // A refusal needs no complete text; an approval nothing but certainty.
    const why = answer.verdict === "approve" ? request.doubt : null;
    if (why !== null) return this.leave(answer, why, standing);
    if (!judged.isArmed) {
      this.note(answer, { row, request, standing });
      return Infinity;
    }
    const flood = this.findFlood(answer.rule, request.runtimeId);
    if (flood !== null) {
      this.tellOnce(
        standing,
        row,
        `flood:${answer.rule.name}`,
        `${answer.rule.name} left it to you: ${flood}`,
      );
      return Infinity;
    }
    this.begin(request.runtimeId, this.answerNow(answer, { row, request, standing }), (error) => {
      standing.isOver = true;
      this.deps.context.logger.error({ error, rule: answer.rule.name }, "a rule could not answer");
    });
    return Infinity;
  }

  /** Time alone may end a doubt, for a while: a dialog is drawn, an event arrives. Changes of the row wake it anyway. */
  private leave({ rule }: Answer, why: string, { since }: Standing): number {
    const { logger, clock } = this.deps.context;
    logger.debug({ rule: rule.name, why }, "a rule leaves a request to the person");
    return clock.now() - since < DOUBT_MS ? clock.now() + AGAIN_MS : Infinity;
  }

  private tellOnce(standing: Standing, row: PaneView, key: string, title: string): void {
    if (standing.noted.has(key)) return;
    standing.noted.add(key);
    this.deps.tell(row, { rule: key, title, key: `${standing.fingerprint}:${key}` });
  }

  private findFlood({ name, limit }: Rule, runtimeId: string): string | null {
    const { rules, clock } = this.deps.context;
    const since = clock.now() - FLOOD_MS;
    if (rules.countRuleAnswers(runtimeId, since, null) >= MAX_LIMIT)
      return `rules answered this agent ${MAX_LIMIT} times in ten minutes`;
    return rules.countRuleAnswers(runtimeId, since, name) >= limit
      ? `it answered this agent ${limit} times in ten minutes`
      : null;
  }

  /** What a rule in shadow would have done. */
  private note(answer: Answer, about: About): void {
    const { rules } = this.deps.context;
    const { standing } = about;
    if (!standing.noted.has(answer.hash)) {
      standing.noted.add(answer.hash);
      const run = runOf(this.deps.context, answer, `would_${answer.verdict}`, about);
      rules.insertRuleRun({ ...run, outcome: "in shadow" });
    }
    const verdict = `would_${answer.verdict}`;
    const known = rules.countRuleRuns().find((one) => one.hash === answer.hash && one.verdict === verdict);
    const words = answer.verdict === "approve" ? "would approve" : "would refuse";
    standing.shadow = `${answer.rule.name} ${words} (${known?.count ?? 1})`;
  }

  private begin(runtimeId: string, work: Promise<void>, onError: (error: unknown) => void): void {
    void this.timer.begin(runtimeId, work, onError).then(() => this.timer.in(0));
  }

  /** What was judged still holds, to the state version, by the rules as they are now. Null: it does. */
  private findChange({ hash, verdict }: Answer, { row, request }: About): string | null {
    const { context } = this.deps;
    if (this.timer.isClosed) return "the daemon ends";
    if (context.jobs.pausedAt() !== null) return "automation is paused";
    const now = context.requests.find(request.runtimeId);
    if (now?.fingerprint !== request.fingerprint || now.stateVersion !== request.stateVersion)
      return "something else is asked now";
    if (verdict === "approve" && now.doubt !== null) return now.doubt;
    const judged = this.judge(row, now);
    const isSame = judged.verdict === verdict && judged.hash === hash && judged.isArmed;
    return isSame ? null : "the rules have changed";
  }

  private async answerNow(answer: Answer, about: About): Promise<void> {
    const { context, ruleSet } = this.deps;
    const { standing, request } = about;
    await ruleSet.reload();
    if (!(await isHeard(context, request.runtimeId, EVENTS_LIMIT_MS))) {
      // What was not read may say that something else is asked.
      standing.notBefore = context.clock.now() + AGAIN_MS;
      return;
    }
    await this.readPaths(about.row, request);
    if (this.lacksPaths(request) || this.findChange(answer, about) !== null) return;
    standing.tries += 1;
    standing.notBefore = context.clock.now() + AGAIN_MS;
    const runRow = context.rules.insertRuleRun(runOf(context, answer, answer.verdict, about));
    try {
      const result = await context.requests.answer({
        runtimeId: request.runtimeId,
        stateVersion: request.stateVersion,
        fingerprint: standing.fingerprint,
        choice: answer.verdict,
        surface: `rule:${answer.rule.name}`,
        idempotencyKey: `rule:${standing.fingerprint}:${runRow}`,
        lookAgain: () => this.readPaths(about.row, request),
        obstacle: () => this.findChange(answer, about),
      });
      this.settle(runRow, answer, about, result);
    } catch (error) {
      this.handleRefusal(runRow, answer, about, error);
    }
  }

  private settle(runRow: number, answer: Answer, { standing, row }: About, result: ActionResult): void {
    // Whatever came of it: the same request gets no second key.
    standing.isOver = true;
    const { outcome, detail, action_id: actionId } = result;
    const text = outcome === "delivered" ? "delivered" : `${outcome.replace("_", " ")}: ${detail}`;
    this.deps.context.rules.settleRuleRun(runRow, { outcome: text.slice(0, 500), actionId });
    if (outcome !== "delivered")
      this.tellOnce(standing, row, answer.rule.name, `${answer.rule.name}: ${outcome.replace("_", " ")}`);
  }

  /** No key was pressed, unless tmux did not answer. */
  private handleRefusal(runRow: number, { rule }: Answer, { standing, row }: About, error: unknown): void {
    const { rules } = this.deps.context;
    const isUnknown = !(error instanceof AgtmuxError) || error.code === "E_TARGET_UNREACHABLE";
    const why = error instanceof Error ? error.message : "it failed";
    rules.settleRuleRun(runRow, {
      outcome: `${isUnknown ? "unverified" : NOT_ANSWERED}: ${why}`.slice(0, 500),
      actionId: null,
    });
    if (isUnknown || standing.tries >= MAX_TRIES) {
      standing.isOver = true;
      this.tellOnce(standing, row, rule.name, `${rule.name} left it to you: ${why}`);
    }
    if (!(error instanceof AgtmuxError)) throw error;
  }
}
