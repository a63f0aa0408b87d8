// The keys of `config.json` that a surface may set: a closed list. It needs nothing, because the help and the completions of the
// command line name them; what each may be stands in `SETTING_SCHEMAS` of config.ts.
export const SETTING_KEYS = [
  "notifications.waiting_approval",
  "notifications.waiting_input",
  "notifications.error",
  "notifications.completed",
  "notifications.sounds.waiting_approval",
  "notifications.sounds.waiting_input",
  "notifications.sounds.error",
  "notifications.sounds.completed",
  "notifications.muted_targets",
  "notifications.muted_agents",
  "notifications.quiet_hours",
  "notifications.cooldown_ms",
  "notifications.stalled_after_ms",
  "notifications.group_from",
  "retention.max_age_days",
  "retention.max_events",
  "timing.completed_demotion_ms",
  "timing.crashed_visible_ms",
  "conflicts",
  "appearance.theme",
  "appearance.text_size",
  "setup_offer",
  "pull_requests",
  "limits",
  "keep_awake",
  "releases.check",
  "releases.address",
  "idle_shutdown_ms",
] as const;
export type SettingKey = (typeof SETTING_KEYS)[number];

export const isSettingKey = (key: string): key is SettingKey => SETTING_KEYS.some((known) => known === key);
