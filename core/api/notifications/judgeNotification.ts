// Decides whether a person is notified now, later or not at all, and what is grouped into one notification. Pure: the scheduler
// brings the facts and the time.
import {
  type QuietHours,
  NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationPolicy,
} from "../../model/notifications.ts";
import type { CanonicalState } from "../../model/state.ts";

// Quiet hours: only the time on the person's wall clock counts, so the hour that daylight saving time skips or repeats needs no
// special care.

const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** `minuteOfDay`: local, 0 to 1439. The minute `from` belongs to the quiet hours, the minute `to` does not. */
export const isQuiet = (hours: QuietHours | null, minuteOfDay: number): boolean => {
  if (hours === null) return false;
  const [from, to] = [toMinutes(hours.from), toMinutes(hours.to)];
  return from < to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
};

/** The wall clock of `timeZone`, or of the system where it is left out. `at`: epoch ms. */
export const minuteOfDay = (at: number, timeZone?: string): number => {
  if (timeZone === undefined) {
    const local = new Date(at);
    return local.getHours() * 60 + local.getMinutes();
  }
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(at);
  return toMinutes(parts);
};

/**
 * A wait that ends sooner than this was answered automatically, or was nothing. Waits that arrive within this time count as
 * simultaneous.
 */
export const SETTLE_MS = 300;
/** A permission is shown with its options. They are read from the screen, which may lag behind the event by this much. */
const COMPLETE_MS = 1_500;
/**
 * A state that is older than this when it first becomes known is backlog: it must be seen on the screen before anybody is
 * notified.
 */
const FRESH_MS = 10_000;
/** Within this time, fewer than `group_from` notifications are shown one by one. */
export const BURST_MS = 10_000;

export interface NotificationFacts {
  readonly kind: NotificationKind;
  readonly target: string;
  /** Its type; null where the row has no agent. */
  readonly agent: string | null;
  /** The person wants to be told nothing of this one agent; what still holds when that ends is told then. */
  readonly isMuted: boolean;
  readonly now: number;
  /** Local, 0 to 1439. */
  readonly minuteOfDay: number;
  readonly heardAt: number;
  /** When the machine woke up, if it slept since this was first heard; else null. */
  readonly wokeAt: number | null;
  /** When the state began; null: not known. */
  readonly since: number | null;
  /** It was seen on the screen since the daemon's start, and since the machine woke up. */
  readonly isConfirmed: boolean;
  /** Nothing more is expected to become known about the request. */
  readonly isComplete: boolean;
  /** When this agent last caused a notification; null: never. */
  readonly toldAt: number | null;
}

type NotificationVerdict =
  | { readonly kind: "tell" }
  | {
      readonly kind: "hold";
      readonly because: "settling" | "incomplete" | "muted" | "backlog" | "quiet_hours" | "cooldown";
    }
  | { readonly kind: "drop"; readonly because: "switched_off" | "muted_target" | "muted_agent" };

/** Null for a state that never causes a notification, whatever the policy. */
export const notificationKindOf = (state: CanonicalState | null): NotificationKind | null =>
  NOTIFICATION_KINDS.find((kind) => kind === state) ?? null;

export const judgeNotification = (
  facts: NotificationFacts,
  policy: NotificationPolicy,
): NotificationVerdict => {
  const { kind, now, heardAt, since } = facts;
  if (!policy[kind]) return { kind: "drop", because: "switched_off" };
  if (policy.muted_targets.includes(facts.target)) return { kind: "drop", because: "muted_target" };
  if (facts.agent !== null && policy.muted_agents.includes(facts.agent))
    return { kind: "drop", because: "muted_agent" };
  if (facts.isMuted) return { kind: "hold", because: "muted" };
  const isBacklog = facts.wokeAt !== null || (since !== null && heardAt - since > FRESH_MS);
  if (isBacklog && !facts.isConfirmed) return { kind: "hold", because: "backlog" };
  if (now - heardAt < SETTLE_MS) return { kind: "hold", because: "settling" };
  if (!facts.isComplete && now - heardAt < COMPLETE_MS) return { kind: "hold", because: "incomplete" };
  if (isQuiet(policy.quiet_hours, facts.minuteOfDay)) return { kind: "hold", because: "quiet_hours" };
  if (facts.toldAt !== null && now - facts.toldAt < policy.cooldown_ms)
    return { kind: "hold", because: "cooldown" };
  return { kind: "tell" };
};

/**
 * What is shown now, the most urgent first; what is in neither list waits for the next review. `recent`: notifications of the last
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
