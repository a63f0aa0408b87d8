// The keys of `config.json` that a surface may set, each with its allowed values: a closed list. Everything else in that file
// is the person's own to edit.
import * as z from "zod";
import type { Config } from "./config.ts";
import { notificationPolicySchema } from "./notificationPolicy.ts";
import type { SettingKey } from "./settingKeys.ts";

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
  "notifications.quiet_hours": notices.quiet_hours.unwrap(),
  "notifications.cooldown_ms": notices.cooldown_ms.unwrap(),
  "notifications.stalled_after_ms": notices.stalled_after_ms.unwrap(),
  "notifications.group_from": notices.group_from.unwrap(),
  "retention.max_age_days": z.number().int().min(1).max(3_650),
  "retention.max_events": z.number().int().min(1_000).max(50_000_000),
  "timing.completed_demotion_ms": durationMs(1_000, 7),
  "timing.crashed_visible_ms": durationMs(1_000, 90),
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
  "notifications.quiet_hours": notifications.quiet_hours,
  "notifications.cooldown_ms": notifications.cooldown_ms,
  "notifications.stalled_after_ms": notifications.stalled_after_ms,
  "notifications.group_from": notifications.group_from,
  "retention.max_age_days": retention.max_age_days,
  "retention.max_events": retention.max_events,
  "timing.completed_demotion_ms": timing.completed_demotion_ms,
  "timing.crashed_visible_ms": timing.crashed_visible_ms,
  idle_shutdown_ms,
});
