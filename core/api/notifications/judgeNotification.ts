// Whether a person is told of something now, later or not at all, and which things are told as one. Pure: the scheduler
// brings the facts and the time.
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationPolicy,
} from "../../model/notificationPolicy.ts";
import type { CanonicalState } from "../../model/state.ts";
import { isQuiet } from "./quietHours.ts";

/**
 * What is over sooner than this was answered automatically, or was nothing. What arrives within this time counts as arriving
 * at once.
 */
export const SETTLE_MS = 300;
/** A permission is told with its options; they are read off the screen, which may lag behind the event by so much. */
const COMPLETE_MS = 1_500;
/**
 * A state that is older than this when it first becomes known is backlog: it must be seen on the screen before anybody is
 * told.
 */
const FRESH_MS = 10_000;
/** In this time no more are told one by one than fit below `group_from`. */
export const BURST_MS = 10_000;

export interface NotificationFacts {
  readonly kind: NotificationKind;
  readonly target: string;
  readonly now: number;
  /** Local, 0 to 1439. */
  readonly minuteOfDay: number;
  readonly heardAt: number;
  /** When the state began; null: not known. */
  readonly since: number | null;
  /** Seen on the screen since the daemon's start. */
  readonly isConfirmed: boolean;
  /** No more is expected to be learned about what is asked. */
  readonly isComplete: boolean;
  /** When this agent was told of last; null: never. */
  readonly toldAt: number | null;
}

export type NotificationVerdict =
  | { readonly kind: "tell" }
  | {
      readonly kind: "hold";
      readonly because: "settling" | "incomplete" | "backlog" | "quiet_hours" | "cooldown";
    }
  | { readonly kind: "drop"; readonly because: "switched_off" | "muted_target" };

/** Null for a state that nobody is told of, whatever the policy. */
export const notificationKindOf = (state: CanonicalState | null): NotificationKind | null =>
  NOTIFICATION_KINDS.find((kind) => kind === state) ?? null;

export const judgeNotification = (
  facts: NotificationFacts,
  policy: NotificationPolicy,
): NotificationVerdict => {
  const { kind, now, heardAt, since } = facts;
  if (!policy[kind]) return { kind: "drop", because: "switched_off" };
  if (policy.muted_targets.includes(facts.target)) return { kind: "drop", because: "muted_target" };
  const isBacklog = since !== null && heardAt - since > FRESH_MS;
  if (isBacklog && !facts.isConfirmed) return { kind: "hold", because: "backlog" };
  if (now - heardAt < SETTLE_MS) return { kind: "hold", because: "settling" };
  if (!facts.isComplete && now - heardAt < COMPLETE_MS) return { kind: "hold", because: "incomplete" };
  if (isQuiet(policy.quiet_hours, facts.minuteOfDay)) return { kind: "hold", because: "quiet_hours" };
  if (facts.toldAt !== null && now - facts.toldAt < policy.cooldown_ms)
    return { kind: "hold", because: "cooldown" };
  return { kind: "tell" };
};

/**
 * What is told now, the most urgent first; what is in neither list waits for the next look. `recent`: notices of the last
 * BURST_MS.
 */
export const planBatch = <T extends { readonly kind: NotificationKind; readonly since: number | null }>(
  ready: readonly T[],
  { recent, groupFrom }: { recent: number; groupFrom: number },
): { singles: T[]; group: T[] } => {
  const ordered = ready.toSorted(
    (a, b) =>
      NOTIFICATION_KINDS.indexOf(a.kind) - NOTIFICATION_KINDS.indexOf(b.kind) ||
      (a.since ?? 0) - (b.since ?? 0),
  );
  if (ordered.length >= groupFrom) return { singles: [], group: ordered };
  return { singles: ordered.slice(0, Math.max(0, groupFrom - 1 - recent)), group: [] };
};
