// Jobs of automation: what a person armed, what it waits for, and what came of it. Their texts are the person's own.
import { z } from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";
import { canonicalStateSchema } from "./state.ts";
import { paneIdentitySchema } from "./view.ts";

const MAX_PATTERN = 500;
const DAY_MS = 86_400_000;
/** How long a job stays armed at most. */
export const MAX_ARMED_MS = 7 * DAY_MS;
/** How often a repeated job tells at most. */
export const MAX_RUNS = 200;

/** `quiet`: it works, and for that long nothing on its screen changes and no event comes. `match`: a new line on its screen. */
export const watchConditionSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("quiet"),
    forMs: z.number().min(1_000).max(DAY_MS),
  }),
  z.object({ kind: z.literal("match"), pattern: z.string().min(1).max(MAX_PATTERN) }),
  z.object({ kind: z.literal("state"), state: canonicalStateSchema }),
  z.object({ kind: z.literal("needs-action") }),
  z.object({ kind: z.literal("gone") }),
]);
export type WatchCondition = z.infer<typeof watchConditionSchema>;

/** One agent for its lifetime, or whichever fits the filters at that moment. `identity`: where it was when the job was armed. */
export const watchSubjectSchema = z.union([
  z.object({
    runtimeId: z.string().min(1).max(200),
    identity: paneIdentitySchema,
    agentName: z.string().nullable(),
  }),
  z.object({ filters: z.record(z.string(), z.unknown()) }),
]);
export type WatchSubject = z.infer<typeof watchSubjectSchema>;

/** `armed`: it waits. The others are ends. `stopped`: it cannot go on, and its last run says why. */
export const jobStateSchema = z.enum(["armed", "done", "expired", "cancelled", "stopped"]);
export type JobState = z.infer<typeof jobStateSchema>;

export const jobSchema = z.object({
  jobId: z.string(),
  kind: z.literal("watch"),
  createdAt: z.number(),
  /** Who armed it. */
  surface: z.string().max(40),
  subject: watchSubjectSchema,
  condition: watchConditionSchema,
  /** The name of one channel; null: the app, and every channel in force. */
  channel: z.string().max(100).nullable(),
  state: jobStateSchema,
  expiresAt: z.number(),
  runs: z.number().int().min(0),
  maxRuns: z.number().int().min(1).max(MAX_RUNS),
});
export type Job = z.infer<typeof jobSchema>;

/** What a job did once. `outcome` says it in words of ours; no text of an agent is kept. */
export const jobRunSchema = z.object({
  jobId: z.string(),
  at: z.number(),
  runtimeId: z.string().nullable(),
  outcome: z.string().max(500),
});
export type JobRun = z.infer<typeof jobRunSchema>;

export const jobViewSchema = z.object({
  job_id: z.string(),
  kind: z.literal("watch"),
  state: jobStateSchema,
  /** As a person typed it: `quiet:10m`, `match:FAILED`, `state:idle`, `needs-action`, `gone`. */
  when: z.string(),
  /** Which agents. */
  about: z.string(),
  channel: z.string().nullable(),
  repeated: z.boolean(),
  runs: z.number().int(),
  created_at: z.string(),
  expires_at: z.string(),
  surface: z.string(),
});
export type JobView = z.infer<typeof jobViewSchema>;

/** The jobs, newest first. `paused_at`: since when none of them does anything; null: they do. */
export const jobsViewSchema = z.object({ items: z.array(jobViewSchema), paused_at: z.string().nullable() });
export type JobsView = z.infer<typeof jobsViewSchema>;

/** What `automation pause` and `automation resume` print. */
export const automationSwitchSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  paused_at: z.string().nullable(),
  armed: z.number().int(),
});
export type AutomationSwitch = z.infer<typeof automationSwitchSchema>;

/** What `tell` and `jobs cancel` print. */
export const jobDocumentSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  job: jobViewSchema,
});
export type JobDocument = z.infer<typeof jobDocumentSchema>;

export const jobDetailSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  job: jobViewSchema,
  /** Newest first. */
  told: z.array(z.object({ at: z.string(), runtime_id: z.string().nullable(), outcome: z.string() })),
});
export type JobDetail = z.infer<typeof jobDetailSchema>;
