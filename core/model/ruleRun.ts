// What a rule did once, or would have done.
import * as z from "zod";

export const RUN_BEGUN = "begun";
/** How the outcome of an answer begins for which no key was pressed. */
export const NOT_ANSWERED = "not answered";

/** `would_…`: the rule was not armed, so nothing was pressed. `tell`: what its watch waits for came true. */
export const ruleVerbSchema = z.enum(["approve", "deny", "would_approve", "would_deny", "tell"]);

export const ruleRunSchema = z.object({
  runRow: z.number().int(),
  rule: z.string(),
  hash: z.string(),
  at: z.number(),
  runtimeId: z.string(),
  /** Where the agent was. */
  ref: z.string(),
  fingerprint: z.string(),
  verdict: ruleVerbSchema,
  /** One line of what was asked, without known secrets. */
  command: z.string().max(500),
  /** `begun` until it is known. */
  outcome: z.string().max(500),
  actionId: z.string().nullable(),
});
export type RuleRun = z.infer<typeof ruleRunSchema>;
