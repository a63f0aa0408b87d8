// The documents about adapters that leave the daemon: which are in force, and what the rules say about one pane.
import * as z from "zod";
import { requestViewSchema } from "./request.ts";
import { canonicalStateSchema, confidenceSchema } from "./state.ts";
import { SCHEMA_VERSION } from "./view.ts";

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
  recorded_versions: z.array(z.string()),
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
export const adapterCheckSchema = z.object({
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
export const adapterTrialSchema = z.object({
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
