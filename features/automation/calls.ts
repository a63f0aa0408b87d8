// What surfaces ask of automation, as `automation.<name>`: each call once, with its input and its answer.
import * as z from "zod";
import { CALLS, mutation, query, type ServiceOf } from "../../core/api/calls.ts";
import { MAX_TEXT } from "../../core/model/action.ts";
import {
  MAX_ARMED_MS,
  MAX_RUNS,
  sendTriggerSchema,
  watchConditionSchema,
  type AutomationSwitch,
  type JobDetail,
  type JobView,
  type JobsView,
} from "../../core/model/job.ts";
import type { ChannelList, ChannelResumed, ChannelTest } from "../../core/model/notifications.ts";
import type {
  RuleCheck,
  RuleDisarmed,
  RuleDraft,
  RulePast,
  RuleRunView,
  RulesView,
  RuleTest,
  RuleView,
} from "../../core/model/rule.ts";

const ruleNameSchema = z.string().min(1).max(40);
const shownSchema = z.object({ limit: z.number().int().min(1).max(1_000).default(100) });
const MAX_RULES_TEXT = 300_000;

const jobIdSchema = z.object({ id: z.string().min(1).max(100) });

export const AUTOMATION_CALLS = {
  /**
   * Arms a watch: it tells, and does nothing else. `paneRef`: a pane without an agent. Fails with E_USAGE for a pattern that is not
   * safe, a channel that is not in force, and too many jobs; with E_REF_NOT_FOUND for an agent that is not there.
   */
  watch: mutation(
    z.object({
      subject: z.union([
        z.object({ runtimeId: z.string().min(1).max(200) }).strict(),
        z.object({ paneRef: z.string().min(1).max(1_000) }).strict(),
        z.object({ filters: CALLS.panes.input }).strict(),
      ]),
      condition: watchConditionSchema,
      isRepeated: z.boolean().default(false),
      channel: z.string().min(1).max(100).nullable().default(null),
      forMs: z.number().min(1_000).max(MAX_ARMED_MS),
      surface: z.string().max(40),
    }),
  )<JobView>(),
  /**
   * Arms a text that is sent later: to this runtime in its present session alone, when it rests, nobody types there, and its input
   * box is empty. `times`: of a schedule. Fails with E_USAGE for a schedule that cannot be read, a time that has passed, a text
   * with a secret that is to be stored, and too many jobs; with E_UNSUPPORTED for an agent whose input box is not known, and where
   * it is to be sent when a limit ends (`reset`) and nobody knows when that is.
   */
  send: mutation(
    z.object({
      runtimeId: z.string().min(1).max(200),
      trigger: z.union([sendTriggerSchema, z.object({ kind: z.literal("reset") })]),
      text: z.string().max(MAX_TEXT),
      isVolatile: z.boolean().default(false),
      expiresMs: z.number().min(1_000).max(MAX_ARMED_MS),
      times: z.number().int().min(1).max(MAX_RUNS).default(MAX_RUNS),
      surface: z.string().max(40),
    }),
  )<JobView>(),
  /** Newest first. */
  jobs: query(z.object({ limit: z.number().int().min(1).max(1_000).default(100) }))<JobsView>(),
  /** Fails with E_REF_NOT_FOUND. */
  job: query(jobIdSchema)<JobDetail>(),
  /** Ends a job that is armed. Fails with E_REF_NOT_FOUND where it is not. */
  jobCancel: mutation(jobIdSchema)<JobView>(),
  /** Lets an armed job rest, or one that rests go on. Fails with E_REF_NOT_FOUND where it is not so. */
  jobHold: mutation(jobIdSchema.extend({ isHeld: z.boolean() }))<JobView>(),
  /** Lets everything armed rest until it is resumed, over restarts, or lets it go on. */
  pause: mutation(z.object({ isPaused: z.boolean() }))<AutomationSwitch>(),
  /** The rules in force, read at this moment, and what is wrong with the others. */
  rules: query(z.object({}))<RulesView>(),
  /** What is wrong with a text of rules; null: with the file. */
  ruleCheck: query(z.object({ text: z.string().max(MAX_RULES_TEXT).nullable() }))<
    Pick<RuleCheck, "rules" | "blocks_approval" | "problems" | "notes">
  >(),
  /** What the rules make of a command; nothing is done. */
  ruleTest: query(
    z.object({
      command: z.string().max(65_536),
      agent: z.string().max(100),
      session: z.string().max(1_000),
      folder: z.string().max(4_096).nullable(),
    }),
  )<Omit<RuleTest, "schema_version" | "generated_at" | "command">>(),
  /**
   * A rule about what this agent asks now, for a person to put into the file: nothing is written or armed. `fingerprint`: of what
   * was shown to the person. `agent`: it counts for agents of this kind alone. Fails with E_STALE_SNAPSHOT where that, or anything, is not asked any more, with E_UNSUPPORTED where
   * no rule can be about it.
   */
  ruleDraft: query(
    z.object({
      runtimeId: z.string().min(1).max(200),
      fingerprint: z.string().max(200).nullable().default(null),
      verdict: z.enum(["approve", "deny", "leave"]),
      agent: z.string().min(1).max(200).nullable().default(null),
    }),
  )<RuleDraft>(),
  /**
   * Puts one rule, in JSON, into the rules file as it stands; nothing is armed by this. Fails with E_CONFIG_INVALID for what is no
   * rule, for a name that is taken, and for a file with a mistake in it.
   */
  ruleAdd: mutation(
    z.object({ text: z.string().min(2).max(20_000), surface: z.string().max(40) }),
  )<RuleView>(),
  /** What they make of what was asked before, newest first. */
  ruleHistory: query(shownSchema)<{ items: RulePast[] }>(),
  /** What rules did, and what those in shadow would have done, newest first. */
  ruleLog: query(shownSchema)<{ items: RuleRunView[] }>(),
  /**
   * Arms the rule that has this hash. Fails with E_USAGE for one that has changed, that presses no key, or where an agent asks;
   * with E_UNSUPPORTED where it is not known who asks; with E_REF_NOT_FOUND.
   */
  ruleArm: mutation(
    z.object({
      name: ruleNameSchema,
      hash: z.string().length(64),
      surface: z.string().max(40),
    }),
  )<RuleView>(),
  /** It presses no key any more, whatever its text is now. Fails with E_REF_NOT_FOUND where it is neither armed nor in force. */
  ruleDisarm: mutation(z.object({ name: ruleNameSchema, surface: z.string().max(40) }))<
    Pick<RuleDisarmed, "name" | "was_armed" | "rule">
  >(),
  /** The channels in force, how their last messages went, and what is wrong with the others. */
  channelList: query(z.void())<ChannelList>(),
  /** Sends a test message now and says how that went. Fails with E_USAGE for a name that no channel in force has. */
  channelTest: mutation(z.object({ name: z.string().min(1).max(100) }))<ChannelTest>(),
  /** Lets a channel take answers again that was paused. Fails with E_USAGE for a name that no channel in force has. */
  channelResume: mutation(
    z.object({ name: z.string().min(1).max(100), surface: z.string().max(40) }),
  )<ChannelResumed>(),
};

export type AutomationCalls = typeof AUTOMATION_CALLS;
export type AutomationService = ServiceOf<AutomationCalls>;
