// Targets (`Targets`): what is watched, how it is reached, and what is removed with it. Panes (`ListingApplier`): those of one tmux
// server are made equal to its listing.
import type { Target, TargetHealth, TargetLink, Pane, ServerInstance } from "../model/runtime.ts";
import type { UnitOfWork, LastSeen } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import type { RowViews } from "./rowViews.ts";
import type { States } from "./states.ts";
import { isRespawned } from "../engine/epoch.ts";
import { noteTitle } from "./activity.ts";
import type { ServerEntry } from "./liveState.ts";

const MAX_REASON = 1_000;

/** What of a target is reported when it changes; when it was last seen goes along with the next change. */
const isSameHealth = (known: Target | undefined, now: Target): boolean =>
  known?.health === now.health &&
  known.healthReason === now.healthReason &&
  JSON.stringify(known.link) === JSON.stringify(now.link);

export class Targets {
  private readonly deps: ConstructorParameters<typeof Targets>[0];

  constructor(deps: { unitOfWork: UnitOfWork; rows: RowViews; states: States; lifecycle: RuntimeLifecycle }) {
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
    // It holds what the remote side and ssh say, and is listed, stored and logged.
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

  /** Only these of its tmux servers are watched from now on: panes, rows and agents of the others go, as when a server ends. */
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

export interface TopologyUpdate {
  targetId: string;
  server: string;
  status: ServerEntry["status"];
  mode: ServerEntry["mode"];
  problem: string | null;
  instance: ServerInstance | null;
  panes: readonly Pane[];
}

/** Everything of a pane that is shown or stored; activity and cursor change all the time and matter only to the collector. */
const isSamePane = (a: Pane, b: Pane): boolean =>
  a.sessionName === b.sessionName &&
  a.windowId === b.windowId &&
  a.windowIndex === b.windowIndex &&
  a.windowName === b.windowName &&
  a.paneIndex === b.paneIndex &&
  a.panePid === b.panePid &&
  a.title === b.title &&
  a.isDead === b.isDead &&
  a.alsoIn.length === b.alsoIn.length &&
  a.alsoIn.every(
    ({ sessionName, windowIndex }, index) =>
      sessionName === b.alsoIn[index]?.sessionName && windowIndex === b.alsoIn[index].windowIndex,
  );

const isSameTopology = (a: ReadonlyMap<string, Pane> | undefined, b: ReadonlyMap<string, Pane>): boolean => {
  if (a === undefined || a.size !== b.size) return false;
  for (const [paneId, pane] of b) {
    const old = a.get(paneId);
    if (old !== pane && (old === undefined || !isSamePane(old, pane))) return false;
  }
  return true;
};

/** Pane ids start again with another run of the server. */
const isOtherLife = (before: ServerInstance | null | undefined, now: ServerInstance | null): boolean =>
  before !== null &&
  before !== undefined &&
  now !== null &&
  (before.pid !== now.pid || before.startedAt !== now.startedAt);

const isSameServer = (before: ServerEntry | undefined, now: TopologyUpdate): boolean =>
  before !== undefined &&
  before.status === now.status &&
  before.mode === now.mode &&
  before.problem === now.problem;

/** Makes the panes of one tmux server equal to its listing, and ends the runtimes of panes that are gone or were replaced. */
export class ListingApplier {
  private readonly deps: ConstructorParameters<typeof ListingApplier>[0];

  constructor(deps: {
    unitOfWork: UnitOfWork;
    rows: RowViews;
    states: States;
    lifecycle: RuntimeLifecycle;
    lastSeen: LastSeen;
  }) {
    this.deps = deps;
  }

  apply(update: TopologyUpdate): void {
    const { unitOfWork, rows } = this.deps;
    const { targetId, server } = update;
    const before = unitOfWork.liveState.serverOf(targetId, server);
    if (update.status === "error") {
      // A listing that failed says nothing about the panes: the last known ones stay.
      unitOfWork.liveState.setServer({
        ...update,
        instance: before?.instance ?? null,
        panes: before?.panes ?? new Map(),
      });
      if (!isSameServer(before, update)) unitOfWork.commit(() => rows.targetChanged(targetId));
      return;
    }
    this.deps.lastSeen.sawTarget(targetId);
    const panes = new Map(update.panes.map((pane) => [pane.paneId, pane]));
    const isNewLife = isOtherLife(before?.instance, update.instance);
    unitOfWork.liveState.setServer({ ...update, panes });
    if (!isNewLife && isSameTopology(before?.panes, panes) && isSameServer(before, update)) return;
    unitOfWork.commit(() => {
      unitOfWork.deps.store.replacePanes(targetId, server, update.panes);
      for (const old of before?.panes.values() ?? []) this.compare(old, panes.get(old.paneId), isNewLife);
      for (const pane of panes.values())
        this.changed(pane, isNewLife ? undefined : before?.panes.get(pane.paneId));
      if (!isSameServer(before, update)) rows.targetChanged(targetId);
    });
  }

  private compare(old: Pane, now: Pane | undefined, isNewLife: boolean): void {
    const { unitOfWork, rows, lifecycle } = this.deps;
    if (now !== undefined && !isNewLife && !isRespawned(old, now)) return;
    const live = unitOfWork.liveState.liveOf(old);
    if (live !== undefined) lifecycle.end(live, now === undefined ? "vanished" : "replaced", old);
    if (now === undefined) rows.removed(rows.ofPane(old));
  }

  private changed(pane: Pane, old: Pane | undefined): void {
    const { unitOfWork, rows, states } = this.deps;
    if (old !== undefined && isSamePane(old, pane)) return;
    const live = unitOfWork.liveState.liveOf(pane);
    if (live !== undefined) {
      if (pane.title !== old?.title) {
        const now = unitOfWork.deps.clock.now();
        states.keepAlive(live, now);
        noteTitle(live, pane.title, now, unitOfWork.deps.redactText);
      }
      rows.refresh(live, pane);
      return;
    }
    const view = rows.ofPane(pane);
    if (old !== undefined) rows.moved(rows.ofPane(old), view);
    rows.changed(view, null, false);
  }
}
