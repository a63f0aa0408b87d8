// `config.json`: how one value is put into its text, its schema, what is wrong with its text, and what a surface may set of it.
// Keys are snake_case in the file; all durations are milliseconds. Reading, watching and writing the file is not done here.
import { parseJsonTree, type JsonNode, JsonSyntaxError, lineOf, nodeAt } from "./jsonTree.ts";
import * as z from "zod";
import { channelSchema, MAX_CHANNELS, notificationPolicySchema, checkChannels } from "./notifications.ts";
import { HOST_TARGET, refNameSchema } from "./runtime.ts";
import { TEXT_SIZES, THEMES } from "./words.ts";
import { hasPassword, PASSWORD_IN_ADDRESS } from "./sshAddress.ts";
import type { SettingKey } from "./settingKeys.ts";

// Edit: puts one value into the text and leaves every other byte as the person wrote it.

/** Text of a list or scalar on one line, as a person would write it. */
const renderValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value);

const renderProperty = ([key = "", ...rest]: readonly string[], value: unknown): string =>
  `${JSON.stringify(key)}: ${rest.length === 0 ? renderValue(value) : `{ ${renderProperty(rest, value)} }`}`;

const valueAt = (object: JsonNode, key: string): JsonNode | undefined =>
  object.children.findLast((property) => property.value === key)?.children[0];

const splice = (text: string, start: number, end: number, replacement: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** Adds a property at the end of an object, on its own line if the others have their own lines. */
const appendProperty = (text: string, object: JsonNode, property: string): string => {
  const last = object.children.at(-1);
  if (last === undefined) {
    const inner = object.parent === null ? `{\n  ${property}\n}` : `{ ${property} }`;
    return splice(text, object.start, object.end, inner);
  }
  const before = text.slice(object.start + 1, object.children[0]?.start);
  const lead = /\r?\n[ \t]*$/.exec(before)?.[0] ?? " ";
  return splice(text, last.end, last.end, `,${lead}${property}`);
};

/**
 * `text` null: there is no file yet. `path`: the keys from the top; objects that are missing on the way are created.
 * @throws JsonSyntaxError for text that is not JSON, Error when something on the way is not an object.
 */
export const editConfig = (
  text: string | null,
  path: readonly [string, ...string[]],
  value: unknown,
): string => {
  if (text === null) return `{\n  ${renderProperty(path, value)}\n}\n`;
  let object = parseJsonTree(text);
  for (const [index, key] of path.entries()) {
    if (object.kind !== "object")
      throw new Error(`editConfig: ${path.slice(0, index).join(".")} is no object`);
    const found = valueAt(object, key);
    if (found === undefined) return appendProperty(text, object, renderProperty(path.slice(index), value));
    object = found;
  }
  return splice(text, object.start, object.end, renderValue(value));
};

// Schema.

/** How long what is known counts, and how often it is read again (docs/architecture.md). */
const timingSchema = z
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
const sshTargetConfigSchema = z
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

const agentTypeSchema = z.string().regex(/^[a-z0-9_-]{1,40}$/, "this isn't an agent type");

/** `working_on_power`: only while the machine is known to be on power. */
const keepAwakeSchema = z.enum(["never", "working", "working_on_power"]);

/** Encrypted, or on this machine itself; without a password, which would be shown. */
const releaseAddressSchema = z
  .string()
  .max(1_000)
  .regex(
    /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])[\w.:/~%+-]+$/,
    "an address of releases begins with https:// and has no password",
  );

export const configSchema = z
  .object({
    $schema: z.string().optional(),
    tmux_servers: tmuxServersSchema,
    tmux_path: z.string().startsWith("/").nullable().default(null),
    targets: z
      .array(sshTargetConfigSchema)
      .refine(
        (targets) => new Set(targets.map(({ name }) => name)).size === targets.length,
        "two machines have the same name",
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
    /**
     * By agent type. `programs`: names or paths that stand for the agent beside its own, as of a wrapper around a container.
     * `folders`: its configuration folders beside the usual one, as its own variable names them.
     */
    agents: z
      .record(
        agentTypeSchema,
        z
          .object({
            programs: z.array(z.string().min(1).max(1_000)).max(50).default([]),
            folders: z
              .array(
                z
                  .string()
                  .regex(/^(~\/|\/)[^\p{Cc}]+$/u, "a folder begins with / or ~/")
                  .max(1_000),
              )
              .max(20)
              .default([]),
          })
          .strict(),
      )
      .default({}),
    adapters: z
      .object({
        /** Agent types that are not recognised: their panes count as panes without an agent. */
        disabled: z.array(agentTypeSchema).default([]),
      })
      .strict()
      .prefault({}),
    /** Whether worktrees of one repository are compared for conflicts while agents work in them. */
    conflicts: z.boolean().default(false),
    /** Of the popover, in the app and in a browser. */
    appearance: z
      .object({ theme: z.enum(THEMES).default("system"), text_size: z.literal([...TEXT_SIZES]).default(100) })
      .strict()
      .prefault({}),
    /** Whether the popover offers to install hooks where an agent has none. */
    setup_offer: z.boolean().default(true),
    /** Whether `gh` and `glab` are asked for the pull requests of branches that agents work on. */
    pull_requests: z.boolean().default(false),
    /** Whether what agents say of their accounts' limits is read while rows are shown. */
    limits: z.boolean().default(false),
    /** Whether this machine is kept from falling asleep while an agent of it works or a text for later is due. */
    keep_awake: keepAwakeSchema.default("never"),
    releases: z
      .object({
        /** Whether it is asked once a day if there is a newer agtmux. */
        check: z.boolean().default(false),
        /** Where; null: as this installation says. */
        address: releaseAddressSchema.nullable().default(null),
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
    const message = "an object where a text or a list belongs";
    return { config: null, issues: [{ code: "custom", path: [], message, input: json }] };
  }
};
export const DEFAULT_CONFIG: Config = configSchema.parse({});
export const DEFAULT_TIMING: Timing = DEFAULT_CONFIG.timing;

// Problems of the text, by line, for the person who has to find the place. The daemon keeps the last good configuration.

/** `line` counts from 1; `path` is the key with dots, empty for the file as a whole. */
export interface ConfigProblem {
  line: number;
  path: string;
  message: string;
}

/** The problem is one channel's: that channel alone is not in force. */
export const isOfChannel = ({ path }: ConfigProblem): boolean => /^channels\.\d/.test(path);

/** Nobody reads a longer list, and finding each line takes a pass through the file. */
const MAX_PROBLEMS = 100;

/** Where the issues of a schema are; issues beyond a hundred are only counted. */
export const placesOf = (
  issues: readonly z.core.$ZodIssue[],
): { path: (string | number)[]; message: string }[] => {
  const places = issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    return issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: [...path, key], message: "unknown key" }))
      : [{ path, message: issue.message }];
  });
  const left = places.length - MAX_PROBLEMS;
  return left <= 0
    ? places
    : [...places.slice(0, MAX_PROBLEMS), { path: [], message: `and ${left} more problems` }];
};

/** Channels that are wrong are not in force, whatever the rest of the file is. */
const channelPlaces = (json: unknown): ReturnType<typeof placesOf> => {
  const channels: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "channels") : [];
  if (!Array.isArray(channels)) return [];
  return checkChannels(channels.slice(0, MAX_CHANNELS)).refused.flatMap(({ index, issues }) =>
    placesOf(issues).map(({ path, message }) => ({ path: ["channels", index, ...path], message })),
  );
};

/**
 * The problems in the order of the file's schema, then those of each channel, at most a hundred of each and one that counts the
 * others; none for a good file. Never throws on content.
 */
export const configProblems = (text: string): ConfigProblem[] => {
  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [{ line: lineOf(text, error.offset), path: "", message: "this is not JSON" }];
  }
  const json: unknown = JSON.parse(text);
  const checked = checkConfig(json);
  const problemAt = (path: readonly (string | number)[], message: string): ConfigProblem => ({
    line: lineOf(text, nodeAt(root, path).start),
    path: path.join("."),
    message,
  });
  const places = [...(checked.config === null ? placesOf(checked.issues) : []), ...channelPlaces(json)];
  return places.map(({ path, message }) => problemAt(path, message));
};

// Settings: the keys that a surface may set, with their allowed values. A closed list; all else is the person's own to edit.

const notices = notificationPolicySchema.shape;
const durationMs = (least: number, mostDays: number) =>
  z
    .number()
    .int()
    .min(least)
    .max(mostDays * 86_400_000);

/** Dots lead from section to key. The bounds limit what a surface offers; the file may hold more. */
export const SETTING_SCHEMAS = {
  "notifications.waiting_approval": notices.waiting_approval.unwrap(),
  "notifications.waiting_input": notices.waiting_input.unwrap(),
  "notifications.error": notices.error.unwrap(),
  "notifications.completed": notices.completed.unwrap(),
  "notifications.sounds.waiting_approval": notices.sounds.unwrap().shape.waiting_approval.unwrap(),
  "notifications.sounds.waiting_input": notices.sounds.unwrap().shape.waiting_input.unwrap(),
  "notifications.sounds.error": notices.sounds.unwrap().shape.error.unwrap(),
  "notifications.sounds.completed": notices.sounds.unwrap().shape.completed.unwrap(),
  "notifications.muted_targets": notices.muted_targets.unwrap().max(1_000),
  "notifications.muted_agents": notices.muted_agents.unwrap().max(1_000),
  "notifications.quiet_hours": notices.quiet_hours.unwrap(),
  "notifications.cooldown_ms": notices.cooldown_ms.unwrap(),
  "notifications.stalled_after_ms": notices.stalled_after_ms.unwrap(),
  "notifications.group_from": notices.group_from.unwrap(),
  "retention.max_age_days": z.number().int().min(1).max(3_650),
  "retention.max_events": z.number().int().min(1_000).max(50_000_000),
  "timing.completed_demotion_ms": durationMs(1_000, 7),
  "timing.crashed_visible_ms": durationMs(1_000, 90),
  conflicts: z.boolean(),
  "appearance.theme": z.enum(THEMES),
  "appearance.text_size": z.literal([...TEXT_SIZES]),
  setup_offer: z.boolean(),
  pull_requests: z.boolean(),
  limits: z.boolean(),
  keep_awake: keepAwakeSchema,
  "releases.check": z.boolean(),
  "releases.address": releaseAddressSchema.nullable(),
  idle_shutdown_ms: durationMs(60_000, 30),
} as const satisfies Record<SettingKey, z.ZodType>;
export type SettingValues = { [K in SettingKey]: z.output<(typeof SETTING_SCHEMAS)[K]> };

/** `values` are in force; `problem` says what is wrong with the file now, which prevents writing to it. */
export interface Settings {
  path: string;
  problem: string | null;
  values: SettingValues;
  defaults: SettingValues;
}

export const settingsOf = ({
  notifications,
  retention,
  timing,
  conflicts,
  appearance,
  setup_offer,
  pull_requests,
  limits,
  keep_awake,
  releases,
  idle_shutdown_ms,
}: Config): SettingValues => ({
  "notifications.waiting_approval": notifications.waiting_approval,
  "notifications.waiting_input": notifications.waiting_input,
  "notifications.error": notifications.error,
  "notifications.completed": notifications.completed,
  "notifications.sounds.waiting_approval": notifications.sounds.waiting_approval,
  "notifications.sounds.waiting_input": notifications.sounds.waiting_input,
  "notifications.sounds.error": notifications.sounds.error,
  "notifications.sounds.completed": notifications.sounds.completed,
  "notifications.muted_targets": notifications.muted_targets,
  "notifications.muted_agents": notifications.muted_agents,
  "notifications.quiet_hours": notifications.quiet_hours,
  "notifications.cooldown_ms": notifications.cooldown_ms,
  "notifications.stalled_after_ms": notifications.stalled_after_ms,
  "notifications.group_from": notifications.group_from,
  "retention.max_age_days": retention.max_age_days,
  "retention.max_events": retention.max_events,
  "timing.completed_demotion_ms": timing.completed_demotion_ms,
  "timing.crashed_visible_ms": timing.crashed_visible_ms,
  conflicts,
  "appearance.theme": appearance.theme,
  "appearance.text_size": appearance.text_size,
  setup_offer,
  pull_requests,
  limits,
  keep_awake,
  "releases.check": releases.check,
  "releases.address": releases.address,
  idle_shutdown_ms,
});
