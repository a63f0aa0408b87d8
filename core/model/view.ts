// The documents about targets, panes and their roll-ups that leave the daemon (CLI's --json, popover; snake_case on the wire), the
// changes that the feed reports of them, a pane's claimed document, and the totals over rows.
import * as z from "zod";
import {
  activityEvidenceSchema,
  activityViewSchema,
  evidenceSourceSchema,
  MAX_PROGRESS,
} from "./evidence.ts";
import { requestViewSchema } from "./request.ts";
import { SCHEMA_VERSION } from "./schemaVersion.ts";
import { targetHealthSchema } from "./runtime.ts";
import { canonicalStateSchema, confidenceSchema, type CanonicalState } from "./state.ts";
import { workspaceViewSchema } from "./workspace.ts";
import { countStates, needsAction } from "./needs.ts";

export { SCHEMA_VERSION };

const iso = z.string();

export const paneIdentitySchema = z.object({
  target: z.string(),
  tmux_server: z.string(),
  session_name: z.string(),
  window_id: z.string(),
  /** Null: a session of an agent that no pane shows (`background`). */
  pane_id: z.string().nullable(),
  pane_ref: z.string(),
  runtime_id: z.string().nullable(),
});

/** Of a name that a person gives an agent, in characters. */
export const MAX_NAME = 80;

/** A row of `list panes` and of the popover. `state` null: a pane without an agent (only with --all). */
export const paneViewSchema = z.object({
  identity: paneIdentitySchema,
  /** The same pane for a person to type: `host/%12`, `host/bg-1a2b3c4d` for a session that no pane shows. */
  short_ref: z.string(),
  /**
   * A session that no pane shows, by the agent's own name for it; null: a pane. `is_answered_elsewhere`: what it asks is not drawn
   * again in a terminal that opens it.
   */
  background: z
    .object({ id: z.string(), is_answered_elsewhere: z.boolean().default(false) })
    .nullable()
    .default(null),
  also_in: z.array(z.string()),
  window_index: z.number().int(),
  window_name: z.string(),
  pane_index: z.number().int(),
  title: z.string(),
  agent: z.string().nullable(),
  /** With that of its account, where agents of its kind use several. */
  agent_name: z.string().nullable(),
  /** The name of its configuration folder, in the same case; else null. */
  account: z.string().nullable().default(null),
  state: canonicalStateSchema.nullable(),
  reason_code: z.string().nullable(),
  confidence: confidenceSchema.nullable(),
  state_version: z.number().int(),
  needs_action: z.boolean(),
  /** When the fact behind the state began; age = now - since. */
  since: iso.nullable(),
  /** When the turn finished, or the agent crashed, that nobody has looked at yet; null: nothing is unread. */
  unread_since: iso.nullable().default(null),
  /** The last evidence that confirmed the state. */
  confirmed_at: iso.nullable(),
  request: requestViewSchema.nullable(),
  prompt_fingerprint: z.string().nullable(),
  /** What the agent says of its work beside the state: it changes rarely, is cleaned, and is never a reason to act. */
  progress: z.string().max(MAX_PROGRESS).nullable().default(null),
  /** What a person armed for it, in a few words: `2 queued`; null: nothing. */
  armed: z.string().max(60).nullable().default(null),
  /** What the agent is doing, as far as any source reports it; null where none does. */
  activity: activityViewSchema.nullable().default(null),
  agent_session_id: z.string().nullable(),
  /** The worktree that it works in; null where nothing is known of it. */
  workspace: workspaceViewSchema.nullable().default(null),
  /** The program behind which it runs unseen, as `ssh`: only its screen is known. Null: its process is seen. */
  inside: z.string().nullable().default(null),
  /** The person wants to be told nothing of it. `until` null: until it ends. */
  muted: z.object({ until: iso.nullable() }).nullable().default(null),
  /** What the person calls it, in place of a title; null: nothing. */
  name: z.string().max(MAX_NAME).nullable().default(null),
});
export type PaneView = z.infer<typeof paneViewSchema>;

/** What a row says where nothing is known: of a pane without an agent, and of what is null and so not stored. */
export const NO_AGENT = {
  agent: null,
  agent_name: null,
  account: null,
  state: null,
  reason_code: null,
  confidence: null,
  state_version: 0,
  needs_action: false,
  since: null,
  unread_since: null,
  confirmed_at: null,
  request: null,
  prompt_fingerprint: null,
  progress: null,
  armed: null,
  activity: null,
  agent_session_id: null,
  workspace: null,
  inside: null,
  muted: null,
  name: null,
} as const satisfies Partial<PaneView>;

export const countsSchema = z.object({
  total: z.number().int(),
  needs_action: z.number().int(),
  by_state: z.record(canonicalStateSchema, z.number().int()),
  by_agent: z.record(z.string(), z.number().int()),
  by_target: z.record(z.string(), z.number().int()),
});
export type Counts = z.infer<typeof countsSchema>;

export const windowViewSchema = z.object({
  identity: z.object({
    target: z.string(),
    tmux_server: z.string(),
    session_name: z.string(),
    window_id: z.string(),
  }),
  window_index: z.number().int(),
  window_name: z.string(),
  pane_count: z.number().int(),
  agent_count: z.number().int(),
  top_state: canonicalStateSchema.nullable(),
  waiting_count: z.number().int(),
  running_count: z.number().int(),
  by_state: z.record(canonicalStateSchema, z.number().int()),
});
export type WindowView = z.infer<typeof windowViewSchema>;

/** `identity.target` is null when sessions are merged across targets by name; `targets` then breaks the counts down. */
export const sessionViewSchema = z.object({
  identity: z.object({
    target: z.string().nullable(),
    tmux_server: z.string().nullable(),
    session_name: z.string(),
  }),
  window_count: z.number().int(),
  pane_count: z.number().int(),
  agent_count: z.number().int(),
  top_state: canonicalStateSchema.nullable(),
  waiting_count: z.number().int(),
  running_count: z.number().int(),
  by_state: z.record(canonicalStateSchema, z.number().int()),
  by_agent: z.record(z.string(), z.number().int()),
  targets: z.array(
    z.object({
      target: z.string(),
      tmux_server: z.string(),
      agent_count: z.number().int(),
      by_state: z.record(canonicalStateSchema, z.number().int()),
    }),
  ),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

/**
 * What keeps this machine from falling asleep (`keep_awake`): agents of it that work, and when the next text for later is due, if that
 * is within the hour. `problem`: why it may fall asleep all the same.
 */
const awakeViewSchema = z.object({
  is_on: z.boolean(),
  working: z.number().int(),
  text_due_at: iso.nullable(),
  problem: z.string().nullable(),
});
export type AwakeView = z.infer<typeof awakeViewSchema>;

/**
 * What an agent's own files say of the limits of one account, as long as it counts: a window whose end has passed is not in it.
 * `reached_until`: when the limit at which an agent of the account stopped ends, as that agent says.
 */
const accountLimitsSchema = z.object({
  agent: z.string(),
  agent_name: z.string(),
  /** As rows name it; null: the only one. */
  account: z.string().nullable(),
  /** Where it says so, in words, and when that was written; null: only by its screen or its events. */
  source: z.string().nullable(),
  said_at: iso.nullable(),
  windows: z.array(
    z.object({
      minutes: z.number().int().nullable(),
      used_percent: z.number(),
      resets_at: iso,
    }),
  ),
  reached_until: iso.nullable(),
});
export type AccountLimits = z.infer<typeof accountLimitsSchema>;

/** What `agtmux usage --limits` prints; without an item nothing says it. */
export const limitListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: iso,
  problems: z.array(z.string()),
  items: z.array(
    accountLimitsSchema.extend({
      identity: z.object({ target: z.string(), agent: z.string(), account: z.string().nullable() }),
    }),
  ),
});
export type LimitList = z.infer<typeof limitListSchema>;

export const targetViewSchema = z.object({
  target: z.string(),
  kind: z.enum(["local", "ssh"]),
  health: targetHealthSchema,
  health_reason: z.string().nullable(),
  last_seen_at: iso.nullable(),
  /** The name of the SSH configuration; null for this machine. */
  connection_ref: z.string().nullable(),
  enabled: z.boolean(),
  transport: z.enum(["ssh2", "openssh"]).nullable(),
  rtt_ms: z.number().nullable(),
  /** What to do about `health_reason`, where that is known. */
  remedy: z.string().nullable(),
  next_attempt_at: iso.nullable(),
  /** Null: it is not kept awake, and need not be. */
  awake: awakeViewSchema.nullable().default(null),
  /** Of agtmux, where `releases.check` is on and one was found; null: none is known. */
  newer_release: z.string().nullable().default(null),
  /** Of the agents' accounts there; empty unless `limits` is on in the configuration. */
  limits: z.array(accountLimitsSchema).default([]),
  servers: z.array(
    z.object({
      tmux_server: z.string(),
      status: z.enum(["ok", "no_server", "error"]),
      mode: z.enum(["direct", "polling", "none"]),
      problem: z.string().nullable(),
      pane_count: z.number().int(),
    }),
  ),
});
export type TargetView = z.infer<typeof targetViewSchema>;

/** Frame of every list. `filters` repeats what was asked, for sessions also their grouping; `problems` names what is missing. */
const listDocument = <T extends z.ZodType>(item: T) =>
  z.object({
    schema_version: z.literal(SCHEMA_VERSION),
    generated_at: iso,
    filters: z.record(z.string(), z.unknown()),
    summary: countsSchema,
    problems: z.array(z.string()),
    /** What was left out though it fits, and how to ask for it. */
    hints: z.array(z.string()).default([]),
    items: z.array(item),
  });
export const paneListSchema = listDocument(paneViewSchema);
export const windowListSchema = listDocument(windowViewSchema);
export const sessionListSchema = listDocument(sessionViewSchema);
export type PaneList = z.infer<typeof paneListSchema>;
export type WindowList = z.infer<typeof windowListSchema>;
export type SessionList = z.infer<typeof sessionListSchema>;

/**
 * What a client of the feed receives. `version` grows with every change and survives restarts, so that a client resumes
 * with the last one it saw. After `gap` comes a `snapshot`. `state` carries the whole row: new or changed.
 */
export const feedEntrySchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("snapshot"),
    version: z.number().int(),
    at: z.number(),
    panes: z.array(paneViewSchema),
    targets: z.array(targetViewSchema),
    summary: countsSchema,
  }),
  z.object({
    kind: z.literal("state"),
    version: z.number().int(),
    at: z.number(),
    pane: paneViewSchema,
    previous_state: canonicalStateSchema.nullable(),
  }),
  z.object({
    kind: z.literal("removed"),
    version: z.number().int(),
    at: z.number(),
    pane_ref: z.string(),
    runtime_id: z.string().nullable(),
    identity: paneIdentitySchema,
  }),
  z.object({
    kind: z.literal("target"),
    version: z.number().int(),
    at: z.number(),
    target: targetViewSchema,
  }),
  z.object({ kind: z.literal("gap"), version: z.number().int(), at: z.number(), reason: z.string() }),
]);
export type FeedEntry = z.infer<typeof feedEntrySchema>;

export const explanationSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: iso,
  pane: paneViewSchema,
  rule: z.string(),
  evidence: z.array(
    z.object({
      source: evidenceSourceSchema,
      event_type: z.string(),
      lane: z.string(),
      state: canonicalStateSchema,
      reason_code: z.string(),
      confidence: confidenceSchema,
      at: iso,
      outcome: z.enum(["won", "lost", "retired", "contested", "stale", "unconfirmed"]),
      rule: z.string(),
      matched: z.string().nullable(),
    }),
  ),
  /** The source of each part of the row's activity, and when it reported it. */
  activity: z.array(activityEvidenceSchema).default([]),
  /** The current screen as the agent's rules read it; null without an agent or where it cannot be read. */
  screen: z
    .object({
      /** Null: nothing on the screen is recognised. */
      state: canonicalStateSchema.nullable(),
      reason_code: z.string().nullable(),
      matched: z.string().nullable(),
      /** The rows that matched, with those around them; rows count from 1 at the top. */
      lines: z.array(z.object({ row: z.number().int(), text: z.string(), is_match: z.boolean() })),
    })
    .nullable(),
  timeline: z.array(
    z.object({
      state_version: z.number().int(),
      at: iso,
      state: canonicalStateSchema,
      reason_code: z.string(),
      duration_ms: z.number().nullable(),
      /** The action that it followed (see 'agtmux audit'); null without one. */
      action_id: z.string().nullable(),
    }),
  ),
});
export type Explanation = z.infer<typeof explanationSchema>;

/** What a commit changed in the rows, for the feed and for notifications. `version`: of the stored transitions; `at`: epoch ms. */
export type FeedChange =
  | {
      kind: "pane";
      version: number;
      at: number;
      pane: PaneView;
      previousState: CanonicalState | null;
      isTransition: boolean;
    }
  | { kind: "removed"; version: number; at: number; identity: PaneView["identity"] }
  | { kind: "target"; version: number; at: number; target: TargetView }
  | { kind: "target_removed"; version: number; at: number }
  /** Everything may have changed: clients must discard what they know. */
  | { kind: "reset"; version: number; at: number; reason: string };

/** A document that was claimed for a pane, as it leaves the daemon. Names and texts are as they are in files: hostile. */
export const paneDocumentSchema = z.object({
  /** The document's own id. */
  id: z.string(),
  /** From the project's folder. */
  file: z.string(),
  path: z.string(),
  /** It holds something that its agent has not been shown. */
  has_unsent: z.boolean(),
  /** The last line that says something; null where none does. */
  tail: z.string().nullable(),
  /** What, typed to the agent, makes it answer. */
  trigger: z.string(),
});
export type PaneDocument = z.infer<typeof paneDocumentSchema>;

// Totals (spec 7.6) over the rows that surfaces show: counts by state, agent and target.

/** How often each key occurs, in the order of the keys. */
export const countEach = (keys: Iterable<string>): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** Counts over rows with an agent; panes without one are not counted. */
export const rollUp = (rows: readonly PaneView[]): Counts => {
  const panes = rows.filter((pane) => pane.state !== null);
  return {
    total: panes.length,
    needs_action: panes.filter((pane) => pane.state !== null && needsAction(pane.state)).length,
    by_state: countStates(panes),
    by_agent: countEach(panes.map((pane) => pane.agent ?? "")),
    by_target: countEach(panes.map((pane) => pane.identity.target)),
  };
};
