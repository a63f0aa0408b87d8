// One tick: what time alone changes. Demotion, staleness, pending events, old crashed rows, and whether the store works again.
import type { Events } from "./events.ts";
import type { LastSeen } from "./lastSeen.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import { isActivityDue } from "./activity.ts";
import { isProgressDue } from "./progress.ts";
import type { RowViews } from "./rowViews.ts";
import type { States } from "./states.ts";

export interface TickDeps {
  unitOfWork: UnitOfWork;
  rows: RowViews;
  states: States;
  lifecycle: RuntimeLifecycle;
  events: Events;
  lastSeen: LastSeen;
}

/** In transactions of `size` runtimes, one for each step: between two of them others may have their turn. */
export function* tickInChunks(deps: TickDeps, size: number): Generator<undefined> {
  const { unitOfWork, rows, states, lifecycle, events, lastSeen } = deps;
  const { liveState } = unitOfWork;
  unitOfWork.reviewOutage();
  if (unitOfWork.isLossOver())
    unitOfWork.commit(() => {
      for (const targetId of liveState.targets.keys()) rows.targetChanged(targetId);
    });
  const now = unitOfWork.deps.clock.now();
  const due = [...liveState.liveRuntimes()].filter(
    (entry) => states.isDue(entry) || isProgressDue(entry, now) || isActivityDue(entry, now),
  );
  const crashed = lifecycle.expiredCrashes(now);
  const isSeenDue = lastSeen.isDue(now);
  if (due.length === 0 && crashed.length === 0 && unitOfWork.pending.length === 0 && !isSeenDue) return;
  unitOfWork.commit(() => {
    events.bindAllPending();
    events.expirePending(now);
    for (const entry of due.slice(0, size)) states.evaluate(entry);
    for (const entry of crashed) lifecycle.dropCrashed(entry);
    if (isSeenDue) lastSeen.write(now);
  });
  for (let from = size; from < due.length; from += size) {
    yield;
    // Memory may have been rebuilt in between: then these are nobody's any more.
    const rest = due
      .slice(from, from + size)
      .filter((entry) => liveState.runtimes.get(entry.runtime.runtimeId) === entry);
    unitOfWork.commit(() => {
      for (const entry of rest) states.evaluate(entry);
    });
  }
}
