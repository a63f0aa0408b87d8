// The targets and their health: what is watched, how it is reached now, and what goes with one that is watched no more.
import type { Target, TargetHealth, TargetLink } from "../model/runtime.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import type { RowViews } from "./rowViews.ts";
import type { States } from "./states.ts";

export interface TargetsDeps {
  unitOfWork: UnitOfWork;
  rows: RowViews;
  states: States;
  lifecycle: RuntimeLifecycle;
}

const MAX_REASON = 1_000;

/** What of a target is told when it changes; when it was last seen goes along with the next change. */
const isSameHealth = (known: Target | undefined, now: Target): boolean =>
  known?.health === now.health &&
  known.healthReason === now.healthReason &&
  JSON.stringify(known.link) === JSON.stringify(now.link);

export class Targets {
  private readonly deps: TargetsDeps;

  constructor(deps: TargetsDeps) {
    this.deps = deps;
  }

  /** A target as it is now, known before or not; the states of its runtimes follow its health. */
  set(target: Target): void {
    const { unitOfWork, rows, states } = this.deps;
    const { liveState } = unitOfWork;
    const known = liveState.targets.get(target.targetId);
    // Known also while it cannot be stored.
    liveState.targets.set(target.targetId, target);
    unitOfWork.commit(() => {
      unitOfWork.deps.store.upsertTarget(target);
      if (!isSameHealth(known, target)) rows.targetChanged(target.targetId);
      for (const entry of liveState.liveRuntimes()) {
        if (entry.runtime.targetId !== target.targetId || entry.liveness.targetHealth === target.health)
          continue;
        entry.liveness = { ...entry.liveness, targetHealth: target.health };
        states.evaluate(entry);
      }
    });
  }

  /** Of a target that is known; others are left alone. `link`: how it is reached now; as before unless given. */
  setHealth(targetId: string, found: TargetHealth, why: string | null, link?: TargetLink): void {
    const { liveState, deps } = this.deps.unitOfWork;
    const target = liveState.targets.get(targetId);
    if (target === undefined) return;
    const note = (link ?? target.link)?.note ?? null;
    // What the remote side and ssh say goes in here: it is listed, stored and logged.
    const clean = why === null ? null : deps.redactText(why, MAX_REASON);
    const [health, reason] = found === "ok" && note !== null ? (["degraded", note] as const) : [found, clean];
    if (target.health === health && target.healthReason === reason && link === undefined) return;
    const now = deps.clock.now();
    const lastSeenAt = health === "down" ? target.lastSeenAt : now;
    this.set({
      ...target,
      health,
      healthReason: reason,
      lastSeenAt,
      updatedAt: now,
      link: link ?? target.link,
    });
  }

  /** Only these of its tmux servers are watched from now on: panes, rows and agents of the others go, as they would with the server. */
  keepServers(targetId: string, watched: readonly string[]): void {
    const { unitOfWork, rows, lifecycle } = this.deps;
    const { liveState } = unitOfWork;
    const others = [...liveState.servers].filter(
      ([, entry]) => entry.targetId === targetId && !watched.includes(entry.server),
    );
    if (others.length === 0) return;
    unitOfWork.commit(() => {
      for (const [key, { server, panes }] of others) {
        for (const entry of liveState.runtimes.values()) {
          const { runtime, crashedAt } = entry;
          if (runtime.targetId === targetId && runtime.server === server && crashedAt !== null)
            lifecycle.dropCrashed(entry);
        }
        for (const pane of panes.values()) {
          const live = liveState.liveOf(pane);
          if (live !== undefined) lifecycle.end(live, "vanished", pane);
          rows.removed(rows.ofPane(pane));
        }
        liveState.servers.delete(key);
        unitOfWork.deps.store.replacePanes(targetId, server, []);
      }
      rows.targetChanged(targetId);
    });
  }

  /** A target that is not watched any more: its panes, rows and events go, its history stays until retention takes it. */
  remove(targetId: string): void {
    const { unitOfWork, rows, lifecycle } = this.deps;
    const { liveState } = unitOfWork;
    unitOfWork.commit(() => {
      for (const entry of liveState.runtimes.values())
        if (entry.runtime.targetId === targetId && entry.crashedAt !== null) lifecycle.dropCrashed(entry);
      for (const pane of [...liveState.panes()].filter((one) => one.targetId === targetId)) {
        const live = liveState.liveOf(pane);
        if (live !== undefined) lifecycle.end(live, "vanished", pane);
        rows.removed(rows.ofPane(pane));
      }
      liveState.removeTarget(targetId);
      unitOfWork.pending = unitOfWork.pending.filter((event) => event.targetId !== targetId);
      unitOfWork.deps.store.removeTarget(targetId);
      unitOfWork.emit({ kind: "target_removed" });
    });
  }
}
