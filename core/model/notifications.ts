// What a person wants to be notified of, and where beside the desktop: the `notifications` and `channels` parts of config.json.
// Whether a notification is shown now is decided in core/api/notifications.
import * as z from "zod";
import type { CanonicalState } from "./state.ts";
import { SCHEMA_VERSION } from "./schemaVersion.ts";
import type { PaneView } from "./view.ts";

/** States that can cause a notification, the most urgent first. */
export const NOTIFICATION_KINDS = [
  "waiting_approval",
  "waiting_input",
  "error",
  "completed",
] as const satisfies readonly CanonicalState[];
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** `default`: the system's. `none`: silent. Else the name of a sound of the system, never a path. */
const soundSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/, "this is 'default', 'none' or the name of a system sound");

const timeOfDaySchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "this is a time of day, as in 22:30");

/** Local wall-clock times; `to` before `from` goes over midnight. */
const quietHoursSchema = z
  .object({ from: timeOfDaySchema, to: timeOfDaySchema })
  .strict()
  .refine(({ from, to }) => from !== to, "'from' and 'to' are the same time");
export type QuietHours = z.infer<typeof quietHoursSchema>;

export const notificationPolicySchema = z
  .object({
    waiting_approval: z.boolean().default(true),
    waiting_input: z.boolean().default(true),
    error: z.boolean().default(false),
    completed: z.boolean().default(false),
    sounds: z
      .object({
        waiting_approval: soundSchema.default("default"),
        waiting_input: soundSchema.default("default"),
        error: soundSchema.default("default"),
        completed: soundSchema.default("none"),
      })
      .strict()
      .prefault({}),
    /** Names of targets that cause no notifications; "host" is this machine. */
    muted_targets: z.array(z.string().min(1).max(64)).default([]),
    /** Agent types that cause none here, because they notify by themselves; channels are not muted by it. */
    muted_agents: z.array(z.string().min(1).max(64)).default([]),
    quiet_hours: quietHoursSchema.nullable().default(null),
    /** The shortest time between two notifications about the same agent. */
    cooldown_ms: z.number().min(0).max(3_600_000).default(10_000),
    /** An agent that works and shows nothing new for this long is reported; null: never. */
    stalled_after_ms: z.number().min(60_000).max(86_400_000).nullable().default(900_000),
    /** This many at once are grouped into one. */
    group_from: z.number().int().min(2).max(100).default(4),
  })
  .strict();
export type NotificationPolicy = z.infer<typeof notificationPolicySchema>;

// Channels: where notifications go beside the desktop. Each is judged by itself: one that is wrong is not in force, and the others
// are. Also what `agtmux channel` shows of them.

export const MAX_CHANNELS = 20;

const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "a channel's name is up to 40 letters, digits, '-' and '_'");

// oxlint-disable-next-line no-control-regex -- a path with a control character is a mistake or an attack
const PATH = /^(?:\/|~\/)[^\u0000-\u001f\u007f]{1,4000}$/;

/** Written in full, so that nobody reads an address in another way than we do: no password, no escapes in the host. */
const ADDRESS =
  /^(https?):\/\/([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?(\/[\x21-\x5b\x5d-\x7e]*)?$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const TOPIC = /^[A-Za-z0-9_-]{1,64}$/;

const findAddressProblem = (address: string): string | null => {
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(address))
    return "an address must not hold a password: put the secret into a file and name it as secret_file";
  const [, scheme, host] = ADDRESS.exec(address) ?? [];
  if (scheme === undefined || host === undefined)
    return "this isn't an address such as https://example.org/hook";
  if (scheme === "http" && !LOOPBACK.test(host))
    return "what leaves this machine goes over https; http is for 127.0.0.1, [::1] and localhost";
  return null;
};

const addressSchema = z
  .string()
  .max(2_000)
  .superRefine((address, context) => {
    const message = findAddressProblem(address);
    if (message !== null) context.addIssue({ code: "custom", message });
  });

/** The topic of an ntfy address: its last part. */
export const topicOf = (address: string): string => address.slice(address.lastIndexOf("/") + 1);

const common = {
  name: nameSchema,
  enabled: z.boolean().default(true),
  /** What is reported; everything else of `notifications` in config.json counts here too. */
  events: z.array(z.enum(NOTIFICATION_KINDS)).max(10).default(["waiting_approval", "waiting_input"]),
  /** Absent: the quiet hours of `notifications`. Null: none. */
  quiet: quietHoursSchema.nullable().optional(),
  /** `state`: who needs what, and where. `request`: what the app's notification says. */
  include: z.enum(["state", "request"]).default("state"),
};
const secretFileSchema = z
  .string()
  .regex(PATH, "this is an absolute path, or one that begins with ~/")
  .nullable()
  .default(null);

const commandChannelSchema = z
  .object({
    ...common,
    kind: z.literal("command"),
    argv: z
      .array(
        z
          .string()
          .min(1)
          .max(4_000)
          .refine((word) => !word.includes("\u0000"), "this has a null character"),
      )
      .min(1, "name a program, and its arguments")
      .max(50)
      .refine(
        ([program = ""]) => program.startsWith("/") || !program.includes("/"),
        "the program is an absolute path, or a name that PATH finds",
      ),
  })
  .strict();

const webhookChannelSchema = z
  .object({ ...common, kind: z.literal("webhook"), url: addressSchema, secret_file: secretFileSchema })
  .strict();

const ntfyChannelSchema = z
  .object({
    ...common,
    kind: z.literal("ntfy"),
    url: addressSchema.refine(
      (address) => TOPIC.test(topicOf(address)) && address.split("/").length > 3,
      "the address ends with the topic, as in https://ntfy.sh/my-topic",
    ),
    secret_file: secretFileSchema,
    /** Its messages carry buttons, and what they publish is an answer. */
    answers: z.boolean().default(false),
  })
  .strict();

export const channelSchema = z.discriminatedUnion(
  "kind",
  [commandChannelSchema, webhookChannelSchema, ntfyChannelSchema],
  { error: ({ code }) => (code === "invalid_union" ? "kind is command, webhook or ntfy" : undefined) },
);
export type Channel = z.infer<typeof channelSchema>;

/** `issues`: where in its own value a channel is wrong. */
interface RefusedChannel {
  readonly index: number;
  readonly issues: readonly z.core.$ZodIssue[];
}

/** The channels that are right, in order, and what is wrong with the others. Never throws. */
export const checkChannels = (
  values: readonly unknown[],
): { channels: Channel[]; refused: RefusedChannel[] } => {
  const channels: Channel[] = [];
  const refused: RefusedChannel[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = parseChannel(value);
    if (!parsed.success) refused.push({ index, issues: parsed.error.issues });
    else if (channels.some(({ name }) => name === parsed.data.name))
      refused.push({
        index,
        issues: [{ code: "custom", path: ["name"], message: "another channel has this name", input: value }],
      });
    else channels.push(parsed.data);
  }
  return { channels, refused };
};

/** zod itself throws when an object whose `length` is not a number stands in place of a text or a list. */
const parseChannel = (value: unknown): ReturnType<typeof channelSchema.safeParse> => {
  try {
    return channelSchema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return channelSchema.safeParse(null);
  }
};

/** How the last message went. `detail` says why one did not arrive; it never holds what was sent. */
const channelResultSchema = z.object({
  at: z.string(),
  outcome: z.enum(["delivered", "not_delivered"]),
  detail: z.string(),
});
export type ChannelResult = z.infer<typeof channelResultSchema>;

/** Whether what comes back over a channel is taken as an answer. */
const channelAnswersSchema = z.object({
  /** `unreachable`: no buttons are sent now. `paused`: after too many answers that were none, until a person lets it go on. */
  state: z.enum(["on", "unreachable", "paused"]),
  /** Why it is not on; empty while it is. */
  detail: z.string(),
  /** Answers and texts that were passed on to an agent since the daemon's start. */
  taken: z.number().int(),
  /** What came and was no answer: wrong, repeated, late, or from elsewhere. */
  ignored: z.number().int(),
});
export type ChannelAnswers = z.infer<typeof channelAnswersSchema>;

export const channelViewSchema = z.object({
  name: z.string(),
  kind: z.enum(["command", "webhook", "ntfy"]),
  enabled: z.boolean(),
  /** The program, or the host: an address may hold a secret. */
  to: z.string(),
  events: z.array(z.string()),
  include: z.enum(["state", "request"]),
  quiet: quietHoursSchema.nullable(),
  /** Messages that wait for their turn. */
  waiting: z.number().int(),
  /** Messages that were dropped because too many waited. */
  dropped: z.number().int(),
  last: channelResultSchema.nullable(),
  /** Null: it takes none. */
  answers: channelAnswersSchema.nullable(),
});
export type ChannelView = z.infer<typeof channelViewSchema>;

export interface ChannelList {
  items: ChannelView[];
  /** Of config.json, by line: what is wrong with channels that are not in force. */
  problems: { line: number; path: string; message: string }[];
}

export const channelTestSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  channel: z.string(),
  outcome: channelResultSchema.shape.outcome,
  detail: z.string(),
});
export type ChannelTest = z.infer<typeof channelTestSchema>;

export const channelResumedSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  channel: z.string(),
  /** False: it takes none, or was not paused. */
  was_paused: z.boolean(),
});
export type ChannelResumed = z.infer<typeof channelResumedSchema>;

/** What can be done from a notification, through the same gate as everywhere. */
export type NotificationAction =
  | { kind: "approve" | "deny" | "attach"; label: string }
  | { kind: "option"; number: number; label: string };

/** A text answers the prompt (`answer`), or is typed to the agent (`send`). */
export type NotificationReply = "answer" | "send";

export interface AgentNotification {
  id: string;
  /** `watch`: something that the person asked to be notified of. */
  kind: NotificationKind | "watch";
  title: string;
  body: string;
  /**
   * The row at the time when the notification was made: its runtime, version and prompt guard the actions. Of many rows, the
   * most urgent.
   */
  pane: PaneView;
  /** How many panes it stands for; if more than one, it leads to the list. */
  count: number;
  /** `default`, `none`, or the name of a system sound. */
  sound: string;
  actions: NotificationAction[];
  /** Null: nothing can be written. */
  reply: NotificationReply | null;
}
export type NotificationEvent =
  | { kind: "show"; notice: AgentNotification }
  | { kind: "withdraw"; id: string };
