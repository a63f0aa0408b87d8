// The rows that clients see: those of one tmux server in the order of lists (`ServerRows`), and reporting when one changed, moved
// or went (`RowViews`). How a row is made from what is known is in view.ts.
import { byPlace, byText } from "../engine/rows.ts";
import type { Pane, Target } from "../model/runtime.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import type { AccountLimits, AwakeView, PaneView, TargetView } from "../model/view.ts";
import type { RuntimeEntry } from "./liveState.ts";
import type { CanonicalState } from "../model/state.ts";
import type { UnitOfWork } from "./unitOfWork.ts";
import { barePaneView, runtimeView, targetView } from "./view.ts";

interface ServerRowsSource {
  targetName: string;
  panes: ReadonlyMap<string, Pane>;
  /** Live runtimes by pane id. */
  live: ReadonlyMap<string, RuntimeEntry>;
  /** The row of a pane as if it had no agent. */
  ofPane: (pane: Pane) => PaneView;
  ofLive: (entry: RuntimeEntry, pane: Pane) => PaneView;
}

interface Live {
  entry: RuntimeEntry;
  pane: Pane;
  /** Where its row stands among those of all panes. */
  at: number;
}

const isSame = <T>(known: readonly T[], now: Iterable<T>): boolean => {
  let at = 0;
  for (const one of now) if (known[at++] !== one) return false;
  return at === known.length;
};

/**
 * Unchanged rows are only compared by reference, not looked up or sorted again: with ten thousand panes the rows no longer fit the
 * processor's caches, and reading each of them costs more than all else.
 */
class ServerRows {
  private targetName: string | null = null;
  private panes: readonly Pane[] = [];
  private entries: readonly RuntimeEntry[] = [];
  /** Rows as if no pane had an agent, in order, and the panes that they are of. */
  private bare: readonly PaneView[] = [];
  private placed: readonly Pane[] = [];
  /** In the order of their rows. */
  private live: readonly Live[] = [];

  /** Rows in order; panes without an agent included when asked for. */
  list(source: ServerRowsSource, all: boolean): PaneView[] {
    const { ofLive } = source;
    this.follow(source);
    if (!all) return this.live.map(({ entry, pane }) => ofLive(entry, pane));
    const rows = this.bare.slice();
    for (const { entry, pane, at } of this.live) rows[at] = ofLive(entry, pane);
    return rows;
  }

  private follow({ targetName, panes, live, ofPane }: ServerRowsSource): void {
    const isPlaced = this.targetName === targetName && isSame(this.panes, panes.values());
    if (isPlaced && isSame(this.entries, live.values())) return;
    if (!isPlaced) {
      this.targetName = targetName;
      this.panes = [...panes.values()];
      const placed = this.panes
        .map((pane) => ({ pane, row: ofPane(pane) }))
        .toSorted((a, b) => byPlace(a.row, b.row));
      this.bare = placed.map(({ row }) => row);
      this.placed = placed.map(({ pane }) => pane);
    }
    this.entries = [...live.values()];
    this.live = this.placed.flatMap((pane, at) => {
      const entry = live.get(pane.paneId);
      return entry === undefined ? [] : [{ entry, pane, at }];
    });
  }
}

const HINDERED_REMEDY =
  "Free some disk space, or make the home writable; the daemon then recovers by itself.";
const UNSEEN_REMEDY = "Nothing to do: it recovers by itself.";
const LOSS_REMEDY = "Nothing to do: what is shown was found again; 'agtmux doctor' names the file.";

const asUnknown = (view: PaneView): PaneView => ({
  ...view,
  state: "unknown",
  reason_code: "stale_signal",
  confidence: "low",
  needs_action: false,
  request: null,
  prompt_fingerprint: null,
  progress: null,
  activity: view.activity === null ? null : { ...view.activity, tool: null, turn_began_at: null },
});

/** Whether two rows show the same. When they were confirmed does not count; nested parts are compared as JSON. */
const isSameRow = (a: PaneView, b: PaneView): boolean => {
  let key: keyof PaneView;
  for (key in a)
    if (key !== "confirmed_at" && a[key] !== b[key]) {
      if (typeof a[key] !== "object" || typeof b[key] !== "object") return false;
      if (JSON.stringify(a[key]) !== JSON.stringify(b[key])) return false;
    }
  return true;
};

export class RowViews {
  private readonly unitOfWork: UnitOfWork;
  /** Panes are replaced, never changed: the row of one without an agent is made once. */
  private readonly bare = new WeakMap<Pane, PaneView>();
  /** By server, as long as it is known. */
  private placed: ReadonlyMap<string, ServerRows> = new Map();
  private awake: AwakeView | null = null;
  private newerRelease: string | null = null;
  /** By the name of the target. */
  private readonly limits = new Map<string, readonly AccountLimits[]>();

  constructor(unitOfWork: UnitOfWork) {
    this.unitOfWork = unitOfWork;
  }

  /** Every row, in the order of lists; panes without an agent included when asked for. */
  list(all: boolean): PaneView[] {
    const { liveState } = this.unitOfWork;
    const servers = [...liveState.servers].map(([key, server]) => ({
      key,
      server,
      targetName: this.unitOfWork.targetName(server.targetId),
      placed: this.placed.get(key) ?? new ServerRows(),
    }));
    this.placed = new Map(servers.map(({ key, placed }) => [key, placed]));
    const ofPane = (pane: Pane): PaneView => this.ofPane(pane);
    const ofLive = (entry: RuntimeEntry, pane: Pane): PaneView =>
      this.shown(entry.view ?? this.ofRuntime(entry, pane));
    const rows = servers
      .toSorted((a, b) => byText(a.targetName, b.targetName) || byText(a.server.server, b.server.server))
      .map(({ server, targetName, placed }) =>
        placed.list(
          { targetName, panes: server.panes, live: liveState.liveOfServer(server), ofPane, ofLive },
          // A session that no pane shows is nothing without its process.
          all && server.server !== BACKGROUND_SERVER,
        ),
      );
    const crashed = [...liveState.runtimes.values()].flatMap(({ crashedAt, view }) =>
      crashedAt === null || view === null ? [] : [view],
    );
    const none: PaneView[] = [];
    return crashed.length === 0 ? none.concat(...rows) : none.concat(...rows, crashed).toSorted(byPlace);
  }

  /** While nothing can be stored, nothing can be decided, and after a while the last decision no longer describes the present. */
  private shown(view: PaneView): PaneView {
    return this.unitOfWork.isStale ? asUnknown(view) : view;
  }

  targets(): TargetView[] {
    return [...this.unitOfWork.liveState.targets.values()].map((target) => this.ofTarget(target));
  }

  private ofTarget(target: Target): TargetView {
    const servers = [...this.unitOfWork.liveState.servers.values()].filter(
      (server) => server.targetId === target.targetId,
    );
    const limits = this.limits.get(target.targetName);
    const bare = targetView(target, servers);
    const remote = limits === undefined ? bare : { ...bare, limits: [...limits] };
    if (target.kind !== "local") return remote;
    const view = { ...remote, awake: this.awake, newer_release: this.newerRelease };
    if (target.health !== "ok") return view;
    const { outage, unseenReason, lossReason } = this.unitOfWork;
    if (outage.reason !== null)
      return { ...view, health: "degraded", health_reason: outage.reason, remedy: HINDERED_REMEDY };
    if (unseenReason !== null)
      return { ...view, health: "degraded", health_reason: unseenReason, remedy: UNSEEN_REMEDY };
    return lossReason === null
      ? view
      : { ...view, health: "degraded", health_reason: lossReason, remedy: LOSS_REMEDY };
  }

  ofPane(pane: Pane): PaneView {
    const name = this.unitOfWork.targetName(pane.targetId);
    const known = this.bare.get(pane);
    if (known?.identity.target === name) return known;
    const view = barePaneView(pane, name);
    this.bare.set(pane, view);
    return view;
  }

  ofRuntime(entry: RuntimeEntry, pane: Pane): PaneView {
    const { liveState } = this.unitOfWork;
    const names = {
      target: this.unitOfWork.targetName(pane.targetId),
      account: liveState.accountName(entry),
    };
    return runtimeView(entry, pane, names);
  }

  // To be called inside a commit.

  changed(pane: PaneView, previousState: CanonicalState | null, isTransition: boolean): void {
    this.unitOfWork.emit({ kind: "pane", pane, previousState, isTransition });
  }

  removed(view: PaneView): void {
    this.unitOfWork.emit({ kind: "removed", identity: view.identity });
  }

  /** A row's reference changes with its session's name: the old one goes first. */
  moved(old: PaneView, now: PaneView): void {
    if (old.identity.pane_ref !== now.identity.pane_ref) this.removed(old);
  }

  targetChanged(targetId: string): void {
    const target = this.unitOfWork.liveState.targets.get(targetId);
    if (target !== undefined) this.unitOfWork.emit({ kind: "target", target: this.ofTarget(target) });
  }

  /** What keeps this machine awake; clients hear of it only when it changed. */
  setAwake(awake: AwakeView | null): void {
    if (JSON.stringify(this.awake) === JSON.stringify(awake)) return;
    this.awake = awake;
    this.hostChanged();
  }

  /** The version of a newer agtmux; clients hear of it only when it changed. */
  setNewerRelease(version: string | null): void {
    if (this.newerRelease === version) return;
    this.newerRelease = version;
    this.hostChanged();
  }

  private hostChanged(): void {
    for (const { targetId, kind } of this.unitOfWork.liveState.targets.values())
      if (kind === "local") this.targetChanged(targetId);
  }

  /** What agents of a target say of their accounts' limits; clients hear of it only when it changed. */
  setLimits(targetName: string, limits: readonly AccountLimits[]): void {
    if (JSON.stringify(this.limits.get(targetName) ?? []) === JSON.stringify(limits)) return;
    if (limits.length === 0) this.limits.delete(targetName);
    else this.limits.set(targetName, limits);
    for (const target of this.unitOfWork.liveState.targets.values())
      if (target.targetName === targetName) this.targetChanged(target.targetId);
  }

  /** Makes a runtime's row again; clients hear of it only when something shown changed (not the moment of confirmation). */
  refresh(entry: RuntimeEntry, pane: Pane): void {
    const view = this.ofRuntime(entry, pane);
    const old = entry.view;
    if (old !== null && isSameRow(old, view)) {
      // The same object is kept where possible, because its JSON text is already written.
      if (old.confirmed_at !== view.confirmed_at) entry.view = view;
      return;
    }
    entry.view = view;
    if (old !== null) this.moved(old, view);
    this.changed(view, view.state, false);
  }
}
