// What a person wants to be told: the `notifications` part of config.json. core/api/notifications decides whether a
// notification is shown now.
import * as z from "zod";
import type { CanonicalState } from "./state.ts";

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
export const quietHoursSchema = z
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
    quiet_hours: quietHoursSchema.nullable().default(null),
    /** The shortest time between two notifications about the same agent. */
    cooldown_ms: z.number().min(0).max(3_600_000).default(10_000),
    /** An agent that works and shows nothing new for this long is told of; null: never. */
    stalled_after_ms: z.number().min(60_000).max(86_400_000).nullable().default(900_000),
    /** This many at once are grouped into one. */
    group_from: z.number().int().min(2).max(100).default(4),
  })
  .strict();
export type NotificationPolicy = z.infer<typeof notificationPolicySchema>;
