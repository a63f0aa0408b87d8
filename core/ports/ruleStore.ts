// The slice of the store that approval rules have: which of them a person armed, what they did, and what was asked before. A damaged
// store is replaced by an empty one: then none is armed.
import type { RuleRun } from "../model/ruleRun.ts";
import type { PaneView } from "../model/view.ts";

/** `hash`: of the rule to the letter, so that a changed one is another one. */
export interface ArmedRule {
  hash: string;
  rule: string;
  /** Epoch ms. */
  at: number;
  surface: string;
}

export interface RuleStore {
  armRule(armed: ArmedRule): void;
  /** Whatever was armed under this name; false where nothing was. */
  disarmRule(rule: string): boolean;
  /** Read each time, because a damaged store is replaced by an empty one. */
  listArmedRules(): ArmedRule[];
  /** Puts on record what a rule is about to do, or would have done. Gives its number. */
  insertRuleRun(run: Omit<RuleRun, "runRow">): number;
  /** How it ended. */
  settleRuleRun(runRow: number, end: Pick<RuleRun, "outcome" | "actionId">): void;
  /** Runs that an earlier daemon began and did not see through get this outcome. */
  settleBegunRuleRuns(outcome: string): void;
  /** Newest first. */
  listRuleRuns(limit: number): RuleRun[];
  /** The newest of each rule, by hash. */
  lastRuleRuns(): RuleRun[];
  /**
   * How many answers rules began to give this agent since then, epoch ms, without those for which no key was pressed; all rules, or
   * one by its name.
   */
  countRuleAnswers(runtimeId: string, since: number, rule: string | null): number;
  /** By hash and verdict. */
  countRuleRuns(): { hash: string; verdict: string; count: number }[];
  /** Rows at the moments at which an agent began to ask, newest first, as they are kept: without secrets. */
  listAsked(limit: number): { at: number; row: PaneView }[];
}
