// Approval rules as the daemon shows them.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import type { RuleView } from "../../core/model/rule.ts";

/** One that approves `git status`, in shadow, unless the options say otherwise. */
export const makeRule = (options: Partial<RuleView> = {}): RuleView => ({
  name: "look",
  then: "approve",
  mode: "shadow",
  hash: "0".repeat(64),
  armed_at: null,
  armed_by: null,
  when: { commands: [["git", "status"]] },
  channel: null,
  text: null,
  limit: 20,
  notes: [],
  answered: 0,
  would_have: 0,
  last: null,
  ...options,
});
