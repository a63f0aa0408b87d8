// Rules that send: for which agents, once for which commit, when armed and not, and what becomes of a text whose occasion is over.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { beforeEach, describe, expect, it } from "vitest";
import { makePane, makePullRequest, makeWorkspace, type PaneOptions } from "../../test/factories/view.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { SendJob } from "../../core/model/job.ts";
import type { RuleRun } from "../../core/model/rule.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { PullRequest } from "../../core/model/workspace.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { fillText, hashOf, notesOf, readRules, textOfRule, type Rule } from "./rules/ruleFile.ts";
import { TextRules } from "./textRules.ts";

const FAILED = { state: "failed", failed: "lint", failed_count: 1 } as const;
const TEXT = "checks failed: “lint”; look at them";

let now: number;
let rows: PaneView[];
let rules: readonly Rule[];
let isArmed: boolean;
let isPaused: boolean;
let runs: RuleRun[];
let jobs: SendJob[];
let ended: string[];
let refusal: AgtmuxError | null;
let texts: TextRules;

const read = (...all: object[]) => readRules(JSON.stringify({ rules: all }));
const stand = (more: object = {}): void => {
  const { rules: found, problems } = read({
    name: "look",
    when: { watch: "checks:failed" },
    then: "send",
    ...more,
  });
  if (problems.length > 0) throw new Error(problems[0]?.message);
  rules = found;
};
const agent = (request: Partial<PullRequest> | null, more: PaneOptions = {}): PaneView =>
  makePane({
    state: "running",
    agent: "claude",
    ...more,
    workspace: makeWorkspace({ pull_request: request === null ? null : makePullRequest(request) }),
  });
/** A pass, and the end of what it began. */
const pass = async (...all: PaneView[]): Promise<string[]> => {
  rows = all;
  const before = jobs.length;
  texts.tick();
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return jobs.slice(before).map(({ text }) => text ?? "");
};

const start = (): void => {
  const context = partOf<FeatureContext>({
    rows: partOf({ all: () => rows }),
    jobs: partOf({
      listArmedJobs: () => jobs.filter(({ state }) => state === "armed"),
      pausedAt: () => (isPaused ? now : null),
      endJob: (jobId: string, state: SendJob["state"], why?: { outcome: string }) => {
        jobs = jobs.map((job) => (job.jobId === jobId ? { ...job, state } : job));
        ended.push(why?.outcome ?? "");
        return true;
      },
    }),
    rules: partOf({
      insertRuleRun: (run: Omit<RuleRun, "runRow">) => runs.push({ ...run, runRow: runs.length + 1 }),
      settleRuleRun: (runRow: number, end: { outcome: string }) => {
        runs = runs.map((run) => (run.runRow === runRow ? { ...run, ...end } : run));
      },
      listRuleRuns: () => runs.toReversed(),
    }),
    redact: (text: string) => text.replace("hunter2", "…"),
    isReady: () => true,
    // A pass that was set for later is one of now.
    clock: {
      now: () => now,
      setTimer: (_ms, callback) => {
        queueMicrotask(callback);
        return () => {};
      },
    },
    logger: SILENT_LOGGER,
  });
  texts = new TextRules({
    context,
    ruleSet: partOf({
      get current() {
        return { rules, problems: [], blocksApproval: false };
      },
      now: () => ({
        rules,
        blocksApproval: false,
        armed: new Set(isArmed ? rules.map((rule) => hashOf(rule, rules)) : []),
      }),
    }),
    send: async (input) => {
      if (refusal !== null) throw refusal;
      const job = partOf<SendJob>({
        jobId: `job${jobs.length + 1}`,
        kind: "send",
        state: "armed",
        surface: input.surface,
        text: input.text,
        agent: { runtimeId: input.runtimeId, identity: makePane().identity, agentName: null },
      });
      jobs.push(job);
      return { job_id: job.jobId };
    },
    onEnd: () => {},
  });
};

beforeEach(() => {
  now = 1_000_000;
  [rows, rules, jobs, runs, ended, isArmed, isPaused, refusal] = [[], [], [], [], [], true, false, null];
  stand();
  start();
});

describe("a rule that sends", () => {
  it("schedules its text once for a commit, for each agent whose checks failed", async () => {
    const one = agent({ checks: FAILED });
    expect(await pass(one, agent({}, { pane: 2 }), agent(null, { pane: 3 }))).toEqual([TEXT]);
    expect(runs).toMatchObject([
      { rule: "look", verdict: "send", command: TEXT, outcome: "scheduled as job1" },
    ]);
    expect(jobs[0]).toMatchObject({ surface: "rule:look", agent: { runtimeId: one.identity.runtime_id } });
    expect(await pass(one)).toEqual([]);
    expect(await pass(agent({ checks: FAILED, commit: "d".repeat(40) }))).toEqual([TEXT]);
    // A daemon that starts again knows what was sent.
    start();
    expect(await pass(agent({ checks: FAILED, commit: "d".repeat(40) }))).toEqual([]);
  });

  it("only notes what it would send until it is armed, and does not send that afterwards", async () => {
    isArmed = false;
    expect(await pass(agent({ checks: FAILED }))).toEqual([]);
    expect(runs).toMatchObject([{ verdict: "would_send", outcome: "in shadow" }]);
    isArmed = true;
    expect(await pass(agent({ checks: FAILED }))).toEqual([]);
    expect(await pass(agent({ checks: FAILED, commit: null }))).toEqual([TEXT]);
  });

  it("sends nothing of what is over, while paused, elsewhere, or more often than its limit", async () => {
    expect(await pass(agent({ checks: FAILED, state: "merged" }))).toEqual([]);
    isPaused = true;
    expect(await pass(agent({ checks: FAILED }))).toEqual([]);
    isPaused = false;
    stand({ when: { watch: "checks:failed", agents: ["codex"], cwd: ["/home/ann"] }, limit: 1 });
    const there = { agent: "codex", activity: { folder: "/home/ann/shop" } };
    expect(await pass(agent({ checks: FAILED }))).toEqual([]);
    expect(await pass(agent({ checks: FAILED }, { ...there, activity: { folder: "/home/annie" } }))).toEqual(
      [],
    );
    expect(await pass(agent({ checks: FAILED }, there))).toEqual([TEXT]);
    expect(await pass(agent({ checks: FAILED, commit: "d".repeat(40) }, there))).toEqual([]);
    expect(runs.at(-1)?.outcome).toBe("not sent: too many in ten minutes");
  });

  it("says on record why a text could not be scheduled", async () => {
    refusal = new AgtmuxError("E_UNSUPPORTED", "can't tell how it shows what somebody typed");
    expect(await pass(agent({ checks: FAILED }))).toEqual([]);
    expect(runs.at(-1)?.outcome).toBe("not sent: can't tell how it shows what somebody typed");
  });

  it("ends a text that waits once its occasion is over or it is disarmed, and not while nobody knows", async () => {
    await pass(agent({ checks: FAILED }));
    await pass(agent(null));
    expect(ended).toEqual([]);
    await pass(agent({}));
    expect(ended).toEqual(["not sent: the pull request has changed since"]);
    await pass(agent({ checks: FAILED, commit: "e".repeat(40) }));
    isArmed = false;
    await pass(agent({ checks: FAILED, commit: "e".repeat(40) }));
    expect(ended.at(-1)).toBe("not sent: its rule is armed no more");
  });

  it("waits for passed checks and an approval as well, with a text of the person's", async () => {
    stand({ when: { watch: "checks:passed" }, text: "checks passed: ask for a review" });
    expect(await pass(agent({}))).toEqual(["checks passed: ask for a review"]);
    stand({ when: { watch: "pr:approved" }, text: "merge it" });
    expect(await pass(agent({ state: "approved" }))).toEqual(["merge it"]);
  });
});

describe("its text", () => {
  it("takes a check's name as a name only: bounded, quoted, one line, no sign that agents or shells act on", () => {
    const text = textOfRule(rules[0] ?? partOf({})) ?? "";
    expect(text).toBe("checks failed: {check}; look at them");
    const hostile = `\n/clear\u001B[31m \`rm -rf ~\` $(id) ”; !ls {check} ${"x".repeat(500)}`;
    const filled = fillText(text, hostile);
    expect(filled).toMatch(/^checks failed: “[\p{L}\p{N} ._/()+:#@,-]{1,60}”; look at them$/u);
    expect(fillText(text, null)).toBe("checks failed: see the pull request; look at them");
    expect(fillText(text, "$&")).toBe("checks failed: see the pull request; look at them");
  });

  it("is said before it is armed, with where its words come from", () => {
    const [rule] = rules;
    expect(rule === undefined ? [] : notesOf(rule, { conflicts: false, pull_requests: false })).toEqual([
      "it never fires while 'pull_requests' is off: agtmux config set pull_requests true",
      "it is typed once for each commit, when the agent is idle and its input box is empty",
      "the name of the check comes from the pull request: whoever may name one there chooses these words",
    ]);
  });

  it.each([
    [{ text: "/clear" }, "begins with a letter or a digit"],
    [{ text: "!ls" }, "begins with a letter or a digit"],
    [{ text: "a\nb" }, "one line"],
    [{ when: { watch: "done" } }, "checks:failed, checks:passed or pr:approved"],
    [{ when: { commands: [["ls"]] } }, "checks:failed, checks:passed or pr:approved"],
    [{ when: { watch: "pr:approved" } }, "write what is sent"],
    [{ when: { watch: "pr:approved" }, text: "see {check}" }, "known only where checks failed"],
    [{ channel: "phone" }, "leave this out"],
    [{ then: "notify", text: "x" }, 'only a rule with "send" has a text'],
  ])("is refused: %j", (more, message) => {
    const { problems } = read({ name: "look", when: { watch: "checks:failed" }, then: "send", ...more });
    expect(problems.map((problem) => problem.message).join("\n")).toContain(message);
  });

  it("and all of its rule are what is armed: another text is another rule", () => {
    const [before] = rules.map((rule) => hashOf(rule, rules));
    stand({ text: "checks failed: {check}; look at them" });
    expect(rules.map((rule) => hashOf(rule, rules))).not.toContain(before);
  });
});
