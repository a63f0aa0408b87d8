// A person has looked at a row, or dismisses it. A finished turn or a crash that was looked at counts as read. A dismissed error
// gets evidence of that; a crashed row leaves the lists.
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import type { States } from "./states.ts";
import type { RuntimeEntry } from "./liveState.ts";
import type { RowViews } from "./rowViews.ts";
import { unreadSince } from "./turnEnds.ts";

export interface DismissDeps {
  unitOfWork: UnitOfWork;
  states: States;
  lifecycle: RuntimeLifecycle;
}

/** A crashed row without a pane stays this long after it was looked at: it must not go from under the eyes. */
const SEEN_CRASH_MS = 60_000;

const dismissError = ({ unitOfWork, states }: DismissDeps, entry: RuntimeEntry): void => {
  const at = unitOfWork.nextIngestedAt();
  const eventId = unitOfWork.deps.ids.next("ev");
  const { runtimeId } = entry.runtime;
  states.addEvidence(
    entry,
    {
      eventId,
      runtimeId,
      source: "reconciler",
      eventType: "dismissal",
      sourceSeq: null,
      eventTime: at,
      ingestedAt: at,
      dedupeKey: eventId,
      signal: { kind: "dismissal" },
    },
    null,
  );
  states.evaluate(entry);
};

/** False when there is nothing to dismiss. */
export const dismiss = (deps: DismissDeps, runtimeId: string): boolean => {
  const { unitOfWork, lifecycle } = deps;
  const entry = unitOfWork.liveState.runtimes.get(runtimeId);
  if (entry === undefined || entry.resolution?.status.state !== "error") return false;
  unitOfWork.commit(() => {
    if (entry.crashedAt !== null) lifecycle.dropCrashed(entry);
    else dismissError(deps, entry);
  });
  return true;
};

/**
 * Somebody has looked at what ended at `until` (epoch ms) or before. False when nothing of that is unread: what has ended
 * since stays so.
 */
export const markSeen = (
  { unitOfWork, rows }: { unitOfWork: UnitOfWork; rows: RowViews },
  runtimeId: string,
  until: number,
): boolean => {
  const entry = unitOfWork.liveState.runtimes.get(runtimeId);
  const since = entry === undefined ? null : unreadSince(entry);
  // Clients know it in whole milliseconds.
  if (entry === undefined || since === null || Math.floor(since) > until) return false;
  const { liveState, deps } = unitOfWork;
  unitOfWork.commit(() => {
    entry.marks = { ...entry.marks, isUnread: false };
    deps.store.putTurnMarks(runtimeId, entry.marks);
    const pane = liveState.paneOf(entry.runtime);
    if (entry.crashedAt === null) {
      if (pane !== undefined) rows.refresh(entry, pane);
      return;
    }
    if (pane === undefined) entry.keptUntil = deps.clock.now() + SEEN_CRASH_MS;
    if (entry.view === null) return;
    entry.view = { ...entry.view, unread_since: null };
    rows.changed(entry.view, entry.view.state, false);
  });
  return true;
};
