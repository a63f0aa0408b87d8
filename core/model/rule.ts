// Approval rules: what one did once, and as surfaces see them. Reading and applying them is in features/automation/rules.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";

export const RUN_BEGUN = "begun";
/** How the outcome of an answer begins for which no key was pressed. */
export const NOT_ANSWERED = "not answered";

/**
 * `would_…`: the rule was not armed, so nothing was pressed. `tell`: what its watch waits for came true; `send`: then a text was
 * scheduled for the agent.
 */
const ruleVerbSchema = z.enum([
  "approve",
  "deny",
  "would_approve",
  "would_deny",
  "tell",
  "send",
  "would_send",
]);

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

// For surfaces: what is in force, what is wrong with the file, and what rules did.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function

const stamp = { schema_version: z.literal(SCHEMA_VERSION), generated_at: z.string() };

/** `rule`: the name of the one that is not in force because of it; null where it has none, or where it is the whole file. */
const ruleProblemSchema = z.object({
  line: z.number().int(),
  path: z.string(),
  message: z.string(),
  rule: z.string().nullable(),
});
export type RuleProblem = z.infer<typeof ruleProblemSchema>;

/**
 * What a rule does now. `shadow`: it only notes what it would do, until a person arms it. `blocked`: it is armed, and approves
 * nothing while the file has a mistake in it.
 */
const ruleModeSchema = z.enum(["armed", "shadow", "blocked", "in force"]);

const ruleViewSchema = z.object({
  name: z.string(),
  then: z.enum(["deny", "leave", "approve", "notify", "send"]),
  mode: ruleModeSchema,
  /** What it is armed by: another text of the rule has another one. */
  hash: z.string(),
  armed_at: z.string().nullable(),
  armed_by: z.string().nullable(),
  /** As the file has it. */
  when: z.record(z.string(), z.unknown()),
  /** Over which a rule with a watch reports; null: over all. */
  channel: z.string().nullable(),
  /** What a rule sends; `{check}` stands for a name that the pull request gives. Null: it sends nothing. */
  text: z.string().nullable(),
  limit: z.number().int(),
  /** What a person should know before arming it. */
  notes: z.array(z.string()),
  /** How often it answered or reported, and how often it would have answered while it was in shadow. */
  answered: z.number().int(),
  would_have: z.number().int(),
  /** What it did last, or would have done while it was in shadow. `command`: without known secrets. */
  last: z
    .object({
      at: z.string(),
      runtime_id: z.string(),
      ref: z.string(),
      verdict: z.string(),
      command: z.string(),
      outcome: z.string(),
    })
    .nullable(),
});
export type RuleView = z.infer<typeof ruleViewSchema>;

export const rulesViewSchema = z.object({
  /** Of the rules file. */
  path: z.string(),
  exists: z.boolean(),
  paused_at: z.string().nullable(),
  blocks_approval: z.boolean(),
  problems: z.array(ruleProblemSchema),
  items: z.array(ruleViewSchema),
});
export type RulesView = z.infer<typeof rulesViewSchema>;

/** A rule about what an agent asks now, not yet in the file. `text`: the rule as it is added, in JSON. */
export const ruleDraftSchema = z.object({
  rule: ruleViewSchema.pick({ name: true, when: true, then: true }),
  text: z.string(),
  notes: z.array(z.string()),
});
export type RuleDraft = z.infer<typeof ruleDraftSchema>;

/** What the rules would make of a request. */
const ruleVerdictSchema = z.object({
  verdict: z.enum(["deny", "leave", "approve", "nothing"]),
  /** The rule that decides; null: none does. */
  rule: z.string().nullable(),
  mode: ruleModeSchema.nullable(),
  why: z.string(),
  /** Rules that tell of it. */
  notify: z.array(z.string()),
});
export type RuleVerdict = z.infer<typeof ruleVerdictSchema>;

const ruleTestSchema = z.object({
  ...stamp,
  command: z.string(),
  /** Null: it is not understood, and nothing can approve it. */
  words: z.array(z.string()).nullable(),
  ...ruleVerdictSchema.shape,
});
export type RuleTest = z.infer<typeof ruleTestSchema>;

const rulePastSchema = ruleVerdictSchema.extend({
  at: z.string(),
  agent: z.string(),
  ref: z.string(),
  kind: z.string(),
  /** The first line of what was asked, without known secrets. */
  asked: z.string(),
});
export type RulePast = z.infer<typeof rulePastSchema>;

const ruleRunViewSchema = z.object({
  at: z.string(),
  rule: z.string(),
  hash: z.string(),
  /** `would_...`: the rule was not armed. */
  verdict: z.string(),
  runtime_id: z.string(),
  ref: z.string(),
  prompt_fingerprint: z.string(),
  command: z.string(),
  outcome: z.string(),
  action_id: z.string().nullable(),
});
export type RuleRunView = z.infer<typeof ruleRunViewSchema>;

const ruleName = z.object({ rule: z.string() });
const list = <T extends z.ZodType>(item: T) =>
  z.object({
    ...stamp,
    filters: z.record(z.string(), z.unknown()),
    summary: z.object({ total: z.number().int(), by_verdict: z.record(z.string(), z.number().int()) }),
    items: z.array(item),
  });

const ruleListSchema = z.object({
  ...stamp,
  filters: z.record(z.string(), z.unknown()),
  summary: z.object({ total: z.number().int(), by_mode: z.record(z.string(), z.number().int()) }),
  ...rulesViewSchema.omit({ items: true }).shape,
  items: z.array(ruleViewSchema.extend({ identity: ruleName })),
});
export type RuleListDocument = z.infer<typeof ruleListSchema>;
const ruleCheckSchema = z.object({
  ...stamp,
  rules: z.number().int(),
  blocks_approval: z.boolean(),
  problems: z.array(ruleProblemSchema),
  notes: z.array(z.object({ rule: z.string(), note: z.string() })),
});
export type RuleCheck = z.infer<typeof ruleCheckSchema>;
const ruleHistorySchema = list(rulePastSchema.extend({ identity: z.object({ pane_ref: z.string() }) }));
export type RuleHistoryDocument = z.infer<typeof ruleHistorySchema>;
const ruleLogSchema = list(
  ruleRunViewSchema.extend({ identity: z.object({ rule: z.string(), runtime_id: z.string() }) }),
);
export type RuleLogDocument = z.infer<typeof ruleLogSchema>;
/** What `rule disarm` prints. `rule` null: no rule of this name is in force. What was armed under it no longer is, either way. */
const ruleDisarmedSchema = z.object({
  ...stamp,
  name: z.string(),
  was_armed: z.boolean(),
  rule: ruleViewSchema.nullable(),
});
export type RuleDisarmed = z.infer<typeof ruleDisarmedSchema>;

/** By verb. */
export const RULE_DOCUMENTS = {
  "rule list": ruleListSchema,
  "rule check": ruleCheckSchema,
  "rule test": z.union([ruleTestSchema, ruleHistorySchema]),
  "rule log": ruleLogSchema,
  "rule disarm": ruleDisarmedSchema,
};
