// `config.json`: everything that the daemon obeys. Keys are snake_case in the file; all durations are milliseconds.
import * as z from "zod";
import { channelSchema, MAX_CHANNELS } from "./channel.ts";
import { notificationPolicySchema } from "./notificationPolicy.ts";
import { HOST_TARGET, refNameSchema } from "./runtime.ts";
import { hasPassword, PASSWORD_IN_ADDRESS } from "./sshAddress.ts";

/** How long what is known counts, and how often it is looked at (docs/architecture.md). */
export const timingSchema = z
  .object({
    running_ttl_ms: z.number().positive().default(45_000),
    waiting_unconfirmed_ttl_ms: z.number().positive().default(600_000),
    process_verified_ttl_ms: z.number().positive().default(10_000),
    completed_demotion_ms: z.number().positive().default(120_000),
    pending_bind_local_ms: z.number().positive().default(30_000),
    pending_bind_ssh_ms: z.number().positive().default(120_000),
    contest_ms: z.number().positive().default(500),
    crashed_visible_ms: z.number().positive().default(86_400_000),
    topology_interval_ms: z.number().min(100).default(900),
    waiting_read_interval_ms: z.number().min(100).default(500),
    screen_read_interval_ms: z.number().min(100).default(1_000),
    snapshot_ttl_ms: z.number().positive().default(5_000),
  })
  .strict();
export type Timing = z.infer<typeof timingSchema>;

/** A screen that rests without activity is read again after this long; until then what it showed counts as still there. */
export const QUIET_RECHECK_MS = 60_000;

/** Servers beside the user's default one: a `-L` name, or a name with the path of a socket. */
const tmuxServersSchema = z
  .array(
    z.union([
      refNameSchema,
      z.object({ name: refNameSchema, socket_path: z.string().startsWith("/") }).strict(),
    ]),
  )
  .default([]);

/** A machine behind SSH. Nothing secret belongs here: `ssh_target` is a name of the person's own SSH configuration. */
export const sshTargetConfigSchema = z
  .object({
    name: refNameSchema.refine((name) => name !== HOST_TARGET, "this is the name of this machine"),
    ssh_target: z
      .string()
      .min(1)
      .max(255)
      .refine((address) => !hasPassword(address), PASSWORD_IN_ADDRESS),
    enabled: z.boolean().default(true),
    transport: z.enum(["auto", "ssh2", "openssh"]).default("auto"),
    tmux_path: z.string().startsWith("/").nullable().default(null),
    tmux_servers: tmuxServersSchema,
  })
  .strict();
export type SshTargetConfig = z.infer<typeof sshTargetConfigSchema>;

const agentTypeSchema = z.string().regex(/^[a-z0-9_-]{1,40}$/, "this is no agent type");

export const configSchema = z
  .object({
    $schema: z.string().optional(),
    tmux_servers: tmuxServersSchema,
    tmux_path: z.string().startsWith("/").nullable().default(null),
    targets: z
      .array(sshTargetConfigSchema)
      .refine(
        (targets) => new Set(targets.map(({ name }) => name)).size === targets.length,
        "two targets have the same name",
      )
      .default([]),
    timing: timingSchema.prefault({}),
    retention: z
      .object({
        max_age_days: z.number().positive().default(14),
        /** Bounds transitions as well: a quarter of a million of each take less than a gigabyte. */
        max_events: z.number().int().positive().default(250_000),
      })
      .strict()
      .prefault({}),
    notifications: notificationPolicySchema.prefault({}),
    /** Judged one by one (checkChannels): a channel that is wrong must not hold back the rest of the file. */
    channels: z.array(z.unknown()).max(MAX_CHANNELS).default([]),
    /** By agent type. `programs`: names or paths that stand for the agent beside its own, as of a wrapper around a container. */
    agents: z
      .record(
        agentTypeSchema,
        z.object({ programs: z.array(z.string().min(1).max(1_000)).max(50).default([]) }).strict(),
      )
      .default({}),
    adapters: z
      .object({
        /** Agent types that are not recognised: their panes count as panes without an agent. */
        disabled: z.array(agentTypeSchema).default([]),
      })
      .strict()
      .prefault({}),
    idle_shutdown_ms: z.number().positive().default(1_800_000),
  })
  .strict();
export type Config = z.infer<typeof configSchema>;

/** The file as a person should write it, for editors: with the form of the channels. */
export const writtenConfigSchema = configSchema.extend({
  channels: z.array(channelSchema).max(MAX_CHANNELS).default([]),
});
type CheckedConfig = { config: Config } | { config: null; issues: readonly z.core.$ZodIssue[] };

/** Never throws. zod itself throws when an object whose `length` is not a number stands in place of a text or a list. */
export const checkConfig = (json: unknown): CheckedConfig => {
  try {
    const parsed = configSchema.safeParse(json);
    return parsed.success ? { config: parsed.data } : { config: null, issues: parsed.error.issues };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = "an object stands where a text or a list belongs";
    return { config: null, issues: [{ code: "custom", path: [], message, input: json }] };
  }
};
export const DEFAULT_CONFIG: Config = configSchema.parse({});
export const DEFAULT_TIMING: Timing = DEFAULT_CONFIG.timing;
