import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { RuleRun } from "../model/rule.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { openDurableStore, type DurableStore } from "./durableStore.ts";
import { useStore } from "./testkit/useStore.ts";

const DAY_MS = 86_400_000;
let store: DurableStore;
const { reopen } = useStore(
  (path) => openDurableStore({ path, logger: SILENT_LOGGER, now: () => 5_000 }),
  (opened) => (store = opened),
);

const run = (more: Partial<RuleRun> = {}): Omit<RuleRun, "runRow"> => ({
  rule: "look",
  hash: "h1",
  at: 1_000,
  runtimeId: "rt1",
  ref: "pane:x",
  fingerprint: "f1",
  verdict: "approve",
  command: "git status",
  outcome: "begun",
  actionId: null,
  ...more,
});
const ARMED = { hash: "h1", rule: "look", at: 1_000, surface: "cli" };

it("what was armed outlives a restart, and goes by the rule's name", () => {
  store.armRule(ARMED);
  store.armRule({ ...ARMED, hash: "h2", at: 2_000 });
  reopen();
  expect(store.listArmedRules().map(({ hash }) => hash)).toEqual(["h1", "h2"]);
  expect([store.disarmRule("look"), store.disarmRule("look"), store.listArmedRules()]).toEqual([
    true,
    false,
    [],
  ]);
});

it("nothing is armed after the file was damaged", () => {
  store.armRule(ARMED);
  reopen((path) => {
    writeFileSync(path, "no database");
    rmSync(`${path}-wal`, { force: true });
  });
  expect([store.listArmedRules(), store.listRuleRuns(10)]).toEqual([[], []]);
});

it("counts what was begun for an agent, and neither what only would have been nor what pressed no key", () => {
  store.insertRuleRun(run());
  store.insertRuleRun(run({ rule: "other", verdict: "deny", at: 2_000 }));
  store.insertRuleRun(run({ verdict: "would_approve" }));
  store.insertRuleRun(run({ runtimeId: "rt2" }));
  store.insertRuleRun(run({ outcome: "not answered: somebody types there" }));
  expect([
    store.countRuleAnswers("rt1", 0, null),
    store.countRuleAnswers("rt1", 1_500, null),
    store.countRuleAnswers("rt1", 0, "look"),
  ]).toEqual([2, 1, 1]);
  expect(store.countRuleRuns()).toContainEqual({ hash: "h1", verdict: "would_approve", count: 1 });
});

it("what was begun and never settled is settled once, whatever it was", () => {
  const first = store.insertRuleRun(run());
  store.settleRuleRun(first, { outcome: "delivered", actionId: "act_1" });
  store.insertRuleRun(run({ fingerprint: "f2" }));
  store.settleBegunRuleRuns("unverified");
  expect(store.listRuleRuns(10)).toMatchObject([
    { fingerprint: "f2", outcome: "unverified" },
    { fingerprint: "f1", outcome: "delivered", actionId: "act_1" },
  ]);
});

it("forgets what is older than ninety days", () => {
  store.insertRuleRun(run({ at: 0, fingerprint: "old" }));
  store.insertRuleRun(run({ at: 89 * DAY_MS }));
  store.insertRuleRun(run({ at: 91 * DAY_MS }));
  expect(store.listRuleRuns(10)).toHaveLength(2);
});
