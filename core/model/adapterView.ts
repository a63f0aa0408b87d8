// The documents about adapters that leave the daemon: hooks in the settings of agents, which adapters are in force, and what the
// rules say about one pane.
import * as z from "zod";
import type { Config } from "./config.ts";
import { requestViewSchema } from "./request.ts";
import { canonicalStateSchema, confidenceSchema } from "./state.ts";
import { SCHEMA_VERSION } from "./view.ts";
import { NOTIFIERS } from "./words.ts";

// Hooks: what is there, what a change would do, and what set-up finds.

/**
 * What only a person can do before hooks that are installed run: agents ask for trust, or load something at their next start.
 * `what` goes on after "One step left: "; `how` is a sentence.
 */
export const personStepSchema = z.object({ what: z.string(), how: z.string() });
export type PersonStep = z.infer<typeof personStepSchema>;

export interface IntegrationReport {
  agent: string;
  changes: { path: string; diff: string }[];
  applied: boolean;
  backups: string[];
}

/**
 * An agent's integration on a target as its settings say, without a test event. `partial`: some of our entries are there,
 * or they are not as they should be, and writing them again would change that. `unclear`: its settings cannot be read, and
 * `problems` says why.
 */
export interface IntegrationSummary {
  agent: string;
  /** With that of the account, where the agent has several. */
  name: string;
  /** The configuration folder. */
  folder: string;
  state: "installed" | "partial" | "absent" | "unclear";
  missing: string[];
  /** What is wrong and cannot be corrected by writing the entries again. */
  problems: string[];
  steps: PersonStep[];
  /** Last event from a real agent; null: none yet. */
  lastRealEventAt: string | null;
}

export const setupNotificationsSchema = z.object({
  /** What the agent does by itself, after its name. */
  what: z.string(),
  /** `unclear`: its settings cannot be read, and `how` says why. */
  told_by: z.enum([...NOTIFIERS, "nobody", "unclear"]),
  /** The settings file in which agtmux can switch it off; null: it cannot, and `how` says what the person can do. */
  path: z.string().nullable(),
  how: z.string().nullable(),
});
export type SetupNotifications = z.infer<typeof setupNotificationsSchema>;

/** One agent that was found on a target, and what installing its hooks would change there. */
export interface SetupAgent extends IntegrationSummary {
  /** Of the running agent, else of the program that a shell would find; null where neither says it. */
  version: string | null;
  /** Panes in which it runs now, and how many of them have not sent an event yet. */
  running: number;
  silent: number;
  /** Empty where everything is in place. */
  changes: IntegrationReport["changes"];
  /** Null: it does not notify by itself, as far as is known. */
  notifications: SetupNotifications | null;
}

/** What set-up starts from: what is there, and what is missing. Looks only. */
export interface SetupLook {
  target: string;
  /** `problem`: why it cannot be used, with what to do; null where it can. */
  tmux: { path: string | null; version: string | null; problem: string | null };
  /** Those that were found, in the order of lists. */
  agents: SetupAgent[];
  /** The setting, for this machine; null for another one, whose sleep is not agtmux's business. */
  keep_awake: Config["keep_awake"] | null;
}

/** Everything of agtmux that lies in the settings of a target's agents, and what hooks there need beside their entries. */
export interface RemovalReport {
  target: string;
  changes: IntegrationReport["changes"];
  applied: boolean;
  /** Agents whose settings are left alone, with the reason. */
  refused: { agent: string; problem: string }[];
  /** Backups that are not what the settings are again. */
  keptBackups: string[];
}

/** `line` counts from 1; `path` is the key with dots, empty for the file as a whole. */
export const adapterProblemSchema = z.object({
  file: z.string(),
  line: z.number().int().positive(),
  path: z.string(),
  message: z.string(),
});

/** `patched`: a built-in adapter with a file's rules before its own. */
export const adapterViewSchema = z.object({
  agent_type: z.string(),
  display_name: z.string(),
  version: z.string(),
  /** Whether its agent is recognised in panes. */
  enabled: z.boolean(),
  source: z.enum(["built-in", "patched", "file"]),
  files: z.array(z.string()),
  /** Of the detection pack that is in force; null: none is. */
  pack: z.string().nullable(),
  recorded_versions: z.array(z.string()),
  /** Major versions of the agent that are known from documents alone. */
  unverified_versions: z.array(z.string()),
  verified: z.boolean(),
  has_integration: z.boolean(),
  capabilities: z.record(z.string(), z.boolean()),
  health: z.enum(["ok", "degraded"]),
  /** What the adapter can no longer do, and what fixes that; null while all is well. */
  health_reason: z.string().nullable(),
});
export type AdapterView = z.infer<typeof adapterViewSchema>;

export const adapterListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  contract_version: z.string(),
  items: z.array(adapterViewSchema),
  problems: z.array(adapterProblemSchema),
  /** Agent types that are disabled in config.json and that no adapter has. */
  disabled_unknown: z.array(z.string()),
});
export type AdapterList = z.infer<typeof adapterListSchema>;

/** `changed` false: it already was like this. */
export const adapterSwitchedSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  agent_type: z.string(),
  enabled: z.boolean(),
  changed: z.boolean(),
});
export type AdapterSwitched = z.infer<typeof adapterSwitchedSchema>;

/** `agent_type` null: the file has problems. */
const adapterCheckSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  agent_type: z.string().nullable(),
  problems: z.array(adapterProblemSchema),
});
export type AdapterCheck = z.infer<typeof adapterCheckSchema>;

const ruleMatchSchema = z.object({
  rule: z.string(),
  state: canonicalStateSchema,
  reason_code: z.string(),
  confidence: confidenceSchema,
  matched: z.string(),
  request: requestViewSchema.nullable(),
});
export type RuleMatch = z.infer<typeof ruleMatchSchema>;

/**
 * One adapter against one pane. `identifies`: the process of the pane that is recognised as this agent's, and by which sign.
 */
const adapterTrialSchema = z.object({
  agent_type: z.string(),
  source: z.enum(["built-in", "patched", "file"]),
  identifies: z.object({ pid: z.number().int(), sign: z.string(), confidence: confidenceSchema }).nullable(),
  /** Every rule that matches, in order; the first one decides. */
  matches: z.array(ruleMatchSchema),
});

export const adapterTrySchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  pane_ref: z.string(),
  title: z.string(),
  line_count: z.number().int(),
  /** The agent that is now recognised in the pane. */
  agent: z.string().nullable(),
  trials: z.array(adapterTrialSchema),
});
export type AdapterTry = z.infer<typeof adapterTrySchema>;

/** The three facts of `integrate --verify`. */
export interface IntegrationVerification {
  agent: string;
  entriesPresent: boolean;
  missing: string[];
  problems: string[];
  /** What the person has still to do before the hooks run. */
  steps: PersonStep[];
  deliveryWorks: boolean;
  deliveryDetail: string;
  /** Last event from a real agent (not a test event); null: none yet. */
  lastRealEventAt: string | null;
}
