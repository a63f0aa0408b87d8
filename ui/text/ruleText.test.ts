// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { describe, expect, it } from "vitest";
import { makeRule } from "../../test/factories/rule.ts";
import { makePane } from "../../test/factories/view.ts";
import {
  armingText,
  draftSentence,
  findRules,
  hasRecord,
  isArmable,
  ruleLast,
  rulePlace,
  ruleProblems,
  ruleTitle,
} from "./ruleText.ts";

const NOW = Date.parse("2026-11-23T12:00:00.000Z");
const HOSTILE = "a\u202Eb\nc\u001B[2J\u200B";
const CLEAN = /^[^\p{Cc}\p{Cf}]*$/u;

describe("a rule in words", () => {
  it("that sends says its whole text before it is armed, and what it sent", () => {
    const rule = makeRule({
      then: "send",
      when: { watch: "checks:failed" },
      text: "checks failed: {check}; look at them",
      answered: 2,
      mode: "armed",
      last: {
        at: "2026-11-23T11:55:00.000Z",
        runtime_id: "rt1",
        ref: "pane:x",
        verdict: "send",
        command: "checks failed: “lint”; look at them",
        outcome: "scheduled as job1",
      },
    });
    expect(ruleTitle(rule)).toBe("Sends a text when checks:failed");
    expect(rulePlace(rule)).toContain("checks failed: {check}; look at them");
    expect(armingText(rule).slice(0, 3)).toEqual([
      "It types this text to an agent that is idle, without asking you:",
      "checks failed: {check}; look at them",
      'watch: "checks:failed"',
    ]);
    expect(isArmable({ ...rule, mode: "shadow" })).toBe(true);
    expect(ruleLast(rule, NOW)).toBe(
      "sent 2 times; 5m ago it sent checks failed: “lint”; look at them (scheduled as job1)",
    );
  });

  it("says what it is about, where, and what it did last", () => {
    const rule = makeRule({
      when: {
        commands: [
          ["git", "status"],
          ["git", "diff", "--stat"],
        ],
        cwd: ["/home/dev"],
      },
      mode: "armed",
      answered: 3,
      last: {
        at: "2026-11-23T11:55:00.000Z",
        runtime_id: "rt1",
        ref: "pane:x",
        verdict: "approve",
        command: "git status",
        outcome: "unverified: tmux did not answer",
      },
    });
    expect(ruleTitle(rule)).toBe("Approves git status · git diff --stat");
    expect(rulePlace(rule)).toBe('look · cwd ["/home/dev"]');
    expect(ruleLast(rule, NOW)).toBe(
      "answered 3 times; 5m ago it approved git status (unverified: tmux did not answer)",
    );
  });

  it("says so where it names no command, and where it has done nothing", () => {
    const rule = makeRule({ then: "deny", when: { kinds: ["edit"] } });
    expect([ruleTitle(rule), rulePlace(rule), ruleLast(rule, NOW)]).toEqual([
      'Refuses kinds ["edit"]',
      "look",
      "has done nothing yet",
    ]);
    expect(ruleLast(makeRule({ then: "leave", mode: "in force" }), NOW)).toBe("");
  });

  it("says when a watch tells, of whom, over what, and what it told last", () => {
    const watch = makeRule({
      name: "quiet",
      then: "notify",
      mode: "in force",
      when: { watch: "quiet:10m", sessions: ["work"] },
      channel: "phone",
      answered: 2,
      last: {
        at: "2026-11-23T11:55:00.000Z",
        runtime_id: "rt1",
        ref: "pane:x",
        verdict: "tell",
        command: "",
        outcome: "has shown nothing new for 10m",
      },
    });
    expect([ruleTitle(watch), rulePlace(watch), ruleLast(watch, NOW)]).toEqual([
      "Tells you when quiet:10m",
      'quiet · sessions ["work"] · over phone',
      "did so 2 times; 5m ago: has shown nothing new for 10m",
    ]);
    expect(hasRecord(watch)).toBe(true);
    expect(hasRecord(makeRule({ then: "notify", when: { kinds: ["plan"] } }))).toBe(false);
  });

  it("is one line of what can be seen, whatever stands in it", () => {
    const rule = makeRule({
      name: HOSTILE,
      when: { commands: [[HOSTILE]], cwd: [HOSTILE], sessions: [HOSTILE] },
      notes: [HOSTILE],
      last: { at: "", runtime_id: "", ref: "", verdict: HOSTILE, command: HOSTILE, outcome: HOSTILE },
    });
    const problems = [{ line: 1, path: HOSTILE, message: HOSTILE, rule: HOSTILE }];
    const view = { path: "", exists: true, paused_at: null, blocks_approval: true, problems, items: [rule] };
    for (const line of [
      ruleTitle(rule),
      rulePlace(rule),
      ruleLast(rule, NOW),
      ...armingText(rule),
      ...ruleProblems(view),
    ])
      expect(line).toMatch(CLEAN);
  });

  it("is found by its words, and by the agent for which it did something last", () => {
    const rules = [makeRule({}), makeRule({ name: "tests", when: { commands: [["npm", "test"]] } })];
    expect(findRules(rules, { text: "npm", runtimeId: null }).map(({ name }) => name)).toEqual(["tests"]);
    expect(findRules(rules, { text: "", runtimeId: "rt1" })).toEqual([]);
  });
});

describe("a rule that is made of a card, in words", () => {
  const pane = makePane({ agent: "claude" });
  const words = (when: Record<string, unknown>, then: "approve" | "deny" | "leave" = "approve") =>
    draftSentence({ rule: { name: "x", when, then }, text: "", notes: [] }, pane)
      ?.map(({ text }) => text)
      .join("") ?? null;

  it("says who asks what where, and what is answered", () => {
    expect([
      words({ commands: [["npm", "test"]], agents: ["claude"], cwd: ["/home/ann/shop"] }),
      words({ commands: [["npm", "test"]] }, "deny"),
    ]).toEqual([
      "When Claude Code in /home/ann/shop or below asks to run npm test, approve it.",
      "When any agent in any folder asks to run npm test, refuse it.",
    ]);
  });

  it("says nothing where it could not say all, to the letter", () => {
    const commands = [["ls"]];
    expect([
      words({}),
      words({ commands, targets: ["vm1"] }),
      words({ commands, cwd: ["/a  b"] }),
      words({ commands: [["ls", "\u202E"]] }),
      words({ commands: "ls" }),
    ]).toEqual([null, null, null, null, null]);
  });
});
