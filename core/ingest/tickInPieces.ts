// One tick: what time alone changes. Demotion, staleness, pending events, old crashed rows, and whether the store works again.
import type { Events } from "./events.ts";
import type { LastSeen } from "./lastSeen.ts";
import type { Ledger } from "./ledger.ts";
import type { Lives } from "./lives.ts";
import { isProgressDue } from "./progress.ts";
import type { Rows } from "./rows.ts";
import type { States } from "./states.ts";

export interface TickDeps {
  ledger: Ledger;
  rows: Rows;
  states: States;
  lives: Lives;
  events: Events;
  lastSeen: LastSeen;
}

/** In transactions of `size` runtimes, one for each step: between two of them others may have their turn. */
export function* tickInPieces(deps: TickDeps, size: number): Generator<undefined> {
  const { ledger, rows, states, lives, events, lastSeen } = deps;
  const { world } = ledger;
  ledger.reviewHindrance();
  if (ledger.isLossOver())
    ledger.commit(() => {
      for (const targetId of world.targets.keys()) rows.targetChanged(targetId);
    });
  const now = ledger.deps.clock.now();
  const due = [...world.liveRuntimes()].filter((entry) => states.isDue(entry) || isProgressDue(entry, now));
  const crashed = lives.expiredCrashes(now);
  const isSeenDue = lastSeen.isDue(now);
  if (due.length === 0 && crashed.length === 0 && ledger.pending.length === 0 && !isSeenDue) return;
  ledger.commit(() => {
    events.bindAllPending();
    events.expirePending(now);
    for (const entry of due.slice(0, size)) states.evaluate(entry);
    for (const entry of crashed) lives.dropCrashed(entry);
    if (isSeenDue) lastSeen.write(now);
  });
  for (let from = size; from < due.length; from += size) {
    yield;
    // Memory may have been rebuilt in between: then these are nobody's any more.
    const rest = due
      .slice(from, from + size)
      .filter((entry) => world.runtimes.get(entry.runtime.runtimeId) === entry);
    ledger.commit(() => {
      for (const entry of rest) states.evaluate(entry);
    });
  }
}
