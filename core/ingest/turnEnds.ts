// Done is unread until somebody has looked: which ends of turns count as done. Pure. The state is decided elsewhere and never
// follows from this.
import type { Resolution } from "../model/resolution.ts";
import type { TurnMarks } from "../model/turnMarks.ts";
import type { RuntimeEntry } from "./liveState.ts";

/** Two sources give the end of one turn slightly different times. */
const SAME_END_MS = 1_000;

/** The fact behind the state is that a turn finished, though it may be old by now. */
const isFinished = ({ facts }: RuntimeEntry, { status, verdicts }: Resolution): boolean => {
  if (status.state === "completed") return true;
  if (status.reasonCode !== "demoted") return false;
  const winner = verdicts.find(({ outcome }) => outcome === "won")?.eventId;
  return [...facts.turns.values(), ...facts.observations.values()].some(
    ({ eventId, signal }) => eventId === winner && signal.status?.state === "completed",
  );
};

const done = (doneAt: number): TurnMarks => ({ isInTurn: false, beganAt: null, doneAt, isUnread: true });

/** The marks with which the entry enters the state of `resolution`. */
export const marksAfter = (entry: RuntimeEntry, resolution: Resolution): TurnMarks => {
  const { marks, activity } = entry;
  const { status, since } = resolution;
  const isOlder = marks.doneAt !== null && since <= marks.doneAt;
  switch (status.state) {
    case "running":
    case "waiting_approval":
    case "waiting_input": {
      // Whoever asked for the next turn has no use for the end of the one before.
      const beganAt = activity.turn_began_at === null ? null : Date.parse(activity.turn_began_at.value ?? "");
      return { ...marks, isInTurn: true, beganAt: Number.isNaN(beganAt) ? null : beganAt, isUnread: false };
    }
    case "completed":
      return isOlder ? { ...marks, isInTurn: false } : done(since);
    case "idle":
      // It ended while nobody was looking.
      if (marks.isInTurn && !isOlder && isFinished(entry, resolution)) return done(since);
      return { ...marks, isInTurn: false, isUnread: marks.isUnread && status.reasonCode === "demoted" };
    case "error":
      return status.reasonCode === "crashed" ? done(since) : { ...marks, isInTurn: false, isUnread: false };
    case "unknown":
      return marks;
  }
};

/** One finished turn may follow another without anything seen in between: the state is the same, and its age is not. */
export const marksWhileSame = ({ marks }: RuntimeEntry, { status, since }: Resolution): TurnMarks =>
  status.state === "completed" && marks.doneAt !== null && since - marks.doneAt > SAME_END_MS
    ? done(since)
    : marks;

/** Since when something is unread, epoch ms; null: nothing is. */
export const unreadSince = ({ marks }: Pick<RuntimeEntry, "marks">): number | null =>
  marks.isUnread ? marks.doneAt : null;

/** The same as clients see it. */
export const isoUnreadSince = (entry: Pick<RuntimeEntry, "marks">): string | null => {
  const at = unreadSince(entry);
  return at === null ? null : new Date(at).toISOString();
};

/** A crashed row that was looked at and whose pane is gone: there is nothing left to do about it. */
export const isSettledCrash = (entry: RuntimeEntry, hasPane: boolean, now: number): boolean =>
  entry.crashedAt !== null && !entry.marks.isUnread && !hasPane && now >= entry.keptUntil;

/** A turn that nobody was sure of when the daemon ended keeps its age; where the row told it, that is known already. */
export const restoreTurn = (entry: RuntimeEntry): void => {
  const { beganAt, isInTurn } = entry.marks;
  if (!isInTurn || beganAt === null || entry.activity.turn_began_at !== null) return;
  const value = new Date(beganAt).toISOString();
  entry.activity = { ...entry.activity, turn_began_at: { value, source: "reconciler", at: beganAt } };
};
