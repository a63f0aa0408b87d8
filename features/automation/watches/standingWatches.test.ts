// Watches of the rules file, in the runner of all watches: of whom they tell, when, how often, and what they put on record.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { beforeEach, expect, it } from "vitest";
import { makePane, makePullRequest, makeWorkspace, type PaneOptions } from "../../../test/factories/view.ts";
import { DEFAULT_CONFIG } from "../../../core/model/config.ts";
import type { RuleRun } from "../../../core/model/rule.ts";
import type { PaneView } from "../../../core/model/view.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import { judgeRequest } from "../rules/judgeRequest.ts";
import { readRules, type Rule } from "../rules/ruleFile.ts";
import { WatchRunner, type WatchMessage } from "./watchRunner.ts";

const START = new Date(2026, 10, 23, 12, 0).getTime();
const SECOND = 1_000;

let now: number;
let rows: PaneView[];
let rules: readonly Rule[];
let told: WatchMessage[];
let runs: Omit<RuleRun, "runRow">[];
let isPaused: boolean;
let runner: WatchRunner;
let showScreen: (runtimeId: string, lines: readonly string[]) => void;

const stand = (when: object, more: object = {}): void => {
  const read = readRules(JSON.stringify({ rules: [{ name: "watch", when, then: "notify", ...more }] }));
  if (read.problems.length > 0) throw new Error(read.problems[0]?.message);
  ({ rules } = read);
};
/** An agent whose state began just now. */
const pane = (options: PaneOptions): PaneView => ({
  ...makePane(options),
  since: new Date(now).toISOString(),
});
const show = (...all: PaneView[]): void => {
  rows = all;
  runner.handleChanges(all.map((one) => ({ kind: "pane", pane: one }) as never));
};
const after = (ms: number): string[] => {
  const before = told.length;
  for (const end = now + ms; now < end;) {
    now = Math.min(end, now + SECOND);
    runner.tick();
  }
  return told.slice(before).map(({ title }) => title);
};

const start = (): void => {
  const context = {
    rows: {
      all: () => rows,
      onScreens: (listener: typeof showScreen) => {
        showScreen = listener;
        return () => {};
      },
    },
    config: () => ({
      ...DEFAULT_CONFIG,
      notifications: { ...DEFAULT_CONFIG.notifications, stalled_after_ms: null },
    }),
    jobs: { listArmedJobs: () => [], listTold: () => [], pausedAt: () => (isPaused ? now : null) },
    rules: {
      insertRuleRun: (run: Omit<RuleRun, "runRow">) => runs.push(run),
      listRuleRuns: () => runs.toReversed(),
    },
    redact: (text: string) => text.replace("hunter2", "…"),
    isReady: () => true,
    clock: { now: () => now, setTimer: () => () => {} },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  runner = new WatchRunner({
    context,
    tell: (message) => told.push(message),
    hears: (channel) => channel !== "deaf",
    rules: () => rules,
  });
};

beforeEach(() => {
  now = START;
  [rows, rules, told, runs, isPaused] = [[], [], [], [], false];
  start();
});

it("tells of agents that come later, once for each time, and puts it on record", () => {
  stand({ watch: "state:error" }, { channel: "phone" });
  after(SECOND);
  show(pane({ pane: 1, state: "running" }));
  expect(after(5 * SECOND)).toEqual([]);
  show(pane({ pane: 1, state: "error" }));
  expect(after(20 * SECOND)).toEqual(["Claude Code has an error"]);
  expect(told[0]).toMatchObject({ channel: "phone", row: rows[0] });
  expect(runs).toMatchObject([{ rule: "watch", verdict: "tell", outcome: "has an error" }]);
  show(pane({ pane: 1, state: "running" }));
  after(SECOND);
  show(pane({ pane: 1, state: "error" }), pane({ pane: 2, state: "error" }));
  expect(after(5 * SECOND)).toHaveLength(2);
  expect(runner.armedCount).toBe(1);
});

it("tells of checks once for each commit, over restarts too, whenever its agent came into its state", () => {
  stand({ watch: "checks:failed" });
  const failed = (commit: string) =>
    makePane({
      pane: 1,
      state: "idle",
      workspace: makeWorkspace({
        pull_request: makePullRequest({
          commit,
          checks: { state: "failed", failed: "lint", failed_count: 1 },
        }),
      }),
    });
  after(SECOND);
  show(failed("a"));
  expect(after(5 * SECOND)).toEqual(["Claude Code has a pull request whose checks failed"]);
  start();
  show(failed("a"));
  expect(after(5 * SECOND)).toEqual([]);
  show(failed("b"));
  expect(after(5 * SECOND)).toHaveLength(1);
});

it("says on record where nobody could hear it", () => {
  stand({ watch: "state:error" }, { channel: "deaf" });
  after(SECOND);
  show(pane({ pane: 1, state: "error" }));
  after(5 * SECOND);
  expect(runs).toMatchObject([{ outcome: "nobody could hear it: has an error" }]);
});

it("does not tell what was so before it stood there, nor again after a change of another rule", () => {
  show(pane({ pane: 1, state: "waiting_input" }));
  after(SECOND);
  stand({ watch: "needs-action" });
  expect(after(10 * SECOND)).toEqual([]);
  show(rows[0] ?? pane({}), pane({ pane: 2, state: "waiting_input" }));
  expect(after(SECOND)).toHaveLength(1);
  rules = [...rules, { name: "other", when: { watch: "gone" }, then: "notify", limit: 20 }];
  expect(after(10 * SECOND)).toEqual([]);
});

it("does not tell of an agent that ended before it stood there", () => {
  const [early, late] = [pane({ pane: 1, state: "running" }), pane({ pane: 2, state: "running" })];
  show(early, late);
  after(SECOND);
  const end = (one: PaneView): void => {
    rows = rows.filter((row) => row !== one);
    runner.handleChanges([{ kind: "removed", identity: one.identity } as never]);
  };
  end(early);
  after(5 * SECOND);
  stand({ watch: "gone" });
  expect(after(5 * SECOND)).toEqual([]);
  end(late);
  expect(after(5 * SECOND)).toEqual(["Claude Code has ended"]);
});

it("tells of silence, and only of agents that its conditions name", () => {
  stand({ watch: "quiet:10s", agents: ["codex"], sessions: ["work"], targets: ["host"], cwd: ["/home/dev"] });
  const inFolder = (folder: string | null, options: PaneOptions): PaneView => {
    const one = pane({ state: "running", agent: "codex", ...options });
    return folder === null ? one : { ...one, activity: { ...one.activity, folder } as never };
  };
  show(
    inFolder("/home/dev/a", { pane: 1 }),
    inFolder("/home/other", { pane: 2 }),
    inFolder(null, { pane: 3 }),
    inFolder("/home/dev", { pane: 4, agent: "claude" }),
    inFolder("/home/dev", { pane: 5, session: "play" }),
    inFolder("/home/dev", { pane: 6, state: "idle" }),
  );
  expect(after(9 * SECOND)).toEqual([]);
  expect(after(5 * SECOND)).toHaveLength(1);
  expect(told[0]?.row.identity.pane_id).toBe("%1");
});

it("tells of lines at most every ten seconds, with how many came before", () => {
  stand({ watch: "match:FAILED" });
  const one = pane({ pane: 1, state: "running" });
  show(one);
  after(SECOND);
  const id = one.identity.runtime_id ?? "";
  const lines: string[] = ["start", "> "];
  const print = (text: string): void => {
    lines.splice(-1, 0, text);
    showScreen(id, [...lines]);
  };
  print("nothing");
  for (let line = 1; line <= 12; line += 1) {
    print(`FAILED ${line}`);
    after(SECOND);
  }
  after(10 * SECOND);
  expect(told.length).toBeGreaterThan(1);
  expect(told.length).toBeLessThan(4);
  expect(told.at(-1)?.line).toContain("FAILED 12");
});

it("tells no more than its limit in ten minutes, and then goes on", () => {
  stand({ watch: "gone" }, { limit: 3 });
  after(SECOND);
  const all = [1, 2, 3, 4, 5].map((number) => pane({ pane: number, state: "running" }));
  show(...all);
  after(SECOND);
  rows = [];
  runner.handleChanges(all.map(({ identity }) => ({ kind: "removed", identity }) as never));
  expect(after(30 * SECOND)).toHaveLength(3);
  after(600 * SECOND);
  const late = pane({ pane: 6, state: "running" });
  show(late);
  after(SECOND);
  rows = [];
  runner.handleChanges([{ kind: "removed", identity: late.identity } as never]);
  expect(after(5 * SECOND)).toHaveLength(1);
});

it("rests while automation is paused, ends when it is taken out, and quotes no secret", () => {
  stand({ watch: "match:hunter2" });
  after(SECOND);
  const one = pane({ pane: 1, state: "running" });
  show(one);
  after(SECOND);
  const id = one.identity.runtime_id ?? "";
  isPaused = true;
  showScreen(id, ["a", "> "]);
  showScreen(id, ["a", "hunter2", "> "]);
  expect(after(10 * SECOND)).toEqual([]);
  isPaused = false;
  expect(after(SECOND)).toHaveLength(1);
  expect(runs[0]?.outcome).toBe("printed what matches '…'");
  rules = [];
  showScreen(id, ["a", "hunter2", "hunter2 again", "> "]);
  expect([after(20 * SECOND), runner.armedCount]).toEqual([[], 0]);
});

it("is no rule about what an agent asks", () => {
  stand({ watch: "gone" });
  const asked = {
    agent: "claude",
    target: "host",
    session: "work",
    kind: "command" as const,
    tool: "Bash",
    command: "ls",
    folder: "/",
    leadsTo: (folder: string) => folder,
    paths: [],
  };
  expect(judgeRequest({ rules, blocksApproval: false, armed: new Set() }, asked).notify).toEqual([]);
});
