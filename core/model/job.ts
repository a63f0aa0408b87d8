// Jobs of automation: what a person armed, what it waits for, and what came of it. Their texts are the person's own.
import * as z from "zod";
import { MAX_TEXT } from "./action.ts";
import { SCHEMA_VERSION } from "./schemaVersion.ts";
import { canonicalStateSchema } from "./state.ts";
import { paneIdentitySchema } from "./view.ts";

const MAX_PATTERN = 500;
const DAY_MS = 86_400_000;
/** How long a job stays armed at most. */
export const MAX_ARMED_MS = 7 * DAY_MS;
/** How often a repeated job reports or sends at most. */
export const MAX_RUNS = 200;

/**
 * `quiet`: it works, and for that long nothing on its screen changes and no event comes. `match`: a new line on its screen. `done`:
 * its turn is over, however it ended. `conflict`: with the worktree of another agent. `checks`, `pr`: of its branch's pull request.
 */
export const watchConditionSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("quiet"),
    forMs: z.number().min(1_000).max(DAY_MS),
  }),
  z.object({ kind: z.literal("match"), pattern: z.string().min(1).max(MAX_PATTERN) }),
  z.object({ kind: z.literal("state"), state: canonicalStateSchema }),
  z.object({ kind: z.literal("needs-action") }),
  z.object({ kind: z.literal("gone") }),
  z.object({ kind: z.literal("done") }),
  z.object({ kind: z.literal("conflict") }),
  z.object({ kind: z.literal("checks"), are: z.enum(["failed", "passed"]) }),
  z.object({ kind: z.literal("pr"), is: z.literal("approved") }),
]);
export type WatchCondition = z.infer<typeof watchConditionSchema>;

/** One agent for its lifetime. `identity`: where it was when the job was armed. */
const agentSchema = z.object({
  runtimeId: z.string().min(1).max(200),
  identity: paneIdentitySchema,
  agentName: z.string().nullable(),
});

/** One agent, or whichever fits the filters at that moment. */
export const watchSubjectSchema = z.union([
  agentSchema,
  z.object({ filters: z.record(z.string(), z.unknown()) }),
]);
export type WatchSubject = z.infer<typeof watchSubjectSchema>;

/** `ready`: once the agent rests and nobody types. `at`, `cron`: the same, from a time on (epoch ms; local time). */
export const sendTriggerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("at"), at: z.number() }),
  z.object({ kind: z.literal("cron"), expression: z.string().min(1).max(200) }),
]);

/** What tmux says of a pane that stays the same as long as the pane does: ids of panes return when a server starts again. */
export const PANE_LIFE_FORMAT = "#{pid} #{start_time} #{pane_pid}";

/** A pane that was just made for an agent. */
const newPaneSchema = z.object({
  /** The agent that was started there; another one never gets its text. */
  agentType: z.string().min(1).max(100),
  target: z.string().min(1).max(64),
  server: z.string().min(1).max(64),
  paneId: z.string().regex(/^%\d+$/),
  /** As tmux said for `PANE_LIFE_FORMAT`. */
  life: z.string().regex(/^\d+ \d+ \d+$/),
});
export type NewAgentPane = z.infer<typeof newPaneSchema>;

/** `armed`: it waits. `held`: it rests until the person releases it. The others are ends; `stopped`: its last run says why. */
export const jobStateSchema = z.enum(["armed", "held", "done", "expired", "cancelled", "stopped"]);
export type JobState = z.infer<typeof jobStateSchema>;

const shared = {
  jobId: z.string(),
  createdAt: z.number(),
  /** Who armed it. */
  surface: z.string().max(40),
  state: jobStateSchema,
  expiresAt: z.number(),
  runs: z.number().int().min(0),
  maxRuns: z.number().int().min(1).max(MAX_RUNS),
};

export const watchJobSchema = z.object({
  ...shared,
  kind: z.literal("watch"),
  subject: watchSubjectSchema,
  condition: watchConditionSchema,
  /** The name of one channel; null: the app, and every channel in force. */
  channel: z.string().max(100).nullable(),
});
export type WatchJob = z.infer<typeof watchJobSchema>;

/** A text that is typed to one session of one agent while nobody watches. */
export const sendJobSchema = z.object({
  ...shared,
  kind: z.literal("send"),
  agent: agentSchema,
  /** Of the agent, as its events name it; null: none was known yet. Another session is another conversation. */
  sessionId: z.string().nullable(),
  trigger: sendTriggerSchema,
  /** Null once the job has ended, and while the text is kept in memory alone. */
  text: z.string().max(MAX_TEXT).nullable(),
  isVolatile: z.boolean(),
  /** The first text of an agent that was just started: there is no draft in its box yet. */
  isFirst: z.boolean().default(false),
  /** When it is due, epoch ms; null for `ready`. */
  nextAt: z.number().nullable(),
});
export type SendJob = z.infer<typeof sendJobSchema>;

/** The first text of an agent that nobody has seen yet. Once it is seen, this becomes a send of that agent. */
export const firstJobSchema = z.object({
  ...shared,
  kind: z.literal("first"),
  place: newPaneSchema,
  /** As of a send. */
  text: z.string().max(MAX_TEXT).nullable(),
  isVolatile: z.boolean(),
});
export type FirstJob = z.infer<typeof firstJobSchema>;

export const jobSchema = z.discriminatedUnion("kind", [watchJobSchema, sendJobSchema, firstJobSchema]);
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
  kind: z.enum(["watch", "send"]),
  state: jobStateSchema,
  /** As a person typed it: `quiet:10m`, `match:FAILED`, `state:idle`, `needs-action`, `gone`; `ready`, `at …`, `cron …`. */
  when: z.string(),
  /** Which agents. */
  about: z.string(),
  runtime_id: z.string().nullable(),
  channel: z.string().nullable(),
  repeated: z.boolean(),
  runs: z.number().int(),
  /** When a text is due; null where no time is set. */
  next_at: z.string().nullable(),
  /** The first line of a text that waits to be sent; null without one. */
  text: z.string().nullable(),
  /** Why a text that is due is not sent now; null where nothing keeps it. */
  waits_for: z.string().nullable(),
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

/** What `tell`, `send` with a time, and `jobs cancel|hold|release` print. */
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
  /** What it reported or sent, newest first. */
  told: z.array(z.object({ at: z.string(), runtime_id: z.string().nullable(), outcome: z.string() })),
});
export type JobDetail = z.infer<typeof jobDetailSchema>;
