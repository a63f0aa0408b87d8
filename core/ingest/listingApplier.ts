// Makes the panes of one tmux server equal to its listing, and ends the runtimes of panes that are gone or were replaced.
import { isRespawned } from "../engine/epoch.ts";
import type { Pane, ServerInstance } from "../model/runtime.ts";
import { noteTitle } from "./activity.ts";
import type { LastSeen } from "./lastSeen.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import type { RowViews } from "./rowViews.ts";
import type { States } from "./states.ts";
import type { ServerEntry } from "./liveState.ts";

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

/** Pane ids start again with another life of the server. */
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

export interface ListingApplierDeps {
  unitOfWork: UnitOfWork;
  rows: RowViews;
  states: States;
  lifecycle: RuntimeLifecycle;
  lastSeen: LastSeen;
}

export class ListingApplier {
  private readonly deps: ListingApplierDeps;

  constructor(deps: ListingApplierDeps) {
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
