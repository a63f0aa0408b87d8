// The only writer of state: everything that is learned comes in here, each call one transaction. This file connects the
// parts and makes the tick; what each kind of input does is in a file of its own beside it.
import { Events } from "./events.ts";
import { LastSeen, UnitOfWork, type DropReason } from "./unitOfWork.ts";
import {
  RuntimeLifecycle,
  endDisabled,
  endMutes,
  renewAdapters,
  dismiss,
  markSeen,
  mute,
  noteAnswered,
  rename,
} from "./runtimeLifecycle.ts";
import { isActivityDue, isProgressDue } from "./activity.ts";
import { RowViews } from "./rowViews.ts";
import { States } from "./states.ts";
import { liveEventIds } from "../engine/facts.ts";
import type { Recognised } from "../engine/epoch.ts";
import type { Place } from "../model/evidence.ts";
import type { Envelope } from "../model/envelope.ts";
import type { PromptRequest } from "../model/request.ts";
import type { PaneKey, Target, TargetHealth, TargetLink } from "../model/runtime.ts";
import type { AccountLimits, AwakeView, FeedChange, PaneView, TargetView } from "../model/view.ts";
import type { WorkspaceView } from "../model/workspace.ts";
import type { AgentAdapter, ToldActivity } from "../ports/agentAdapter.ts";
import { promptWith } from "./view.ts";
import {
  SampledReadings,
  type ReadingSource,
  type ReadingUpdate,
  watchedRuntimeIn,
  watchedRuntimes,
  type WatchedEntry,
} from "./sampledReadings.ts";
import { Targets, ListingApplier, type TopologyUpdate } from "./topology.ts";
import type { Prompt, RuntimeEntry, LiveState } from "./liveState.ts";

/** What time alone changes, in transactions of `size` runtimes, one for each step: between two of them other work may run. */
function* tickInChunks(
  deps: {
    unitOfWork: UnitOfWork;
    rows: RowViews;
    states: States;
    lifecycle: RuntimeLifecycle;
    events: Events;
    lastSeen: LastSeen;
  },
  size: number,
): Generator<undefined> {
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
  const unmuted = [...liveState.liveRuntimes()].filter(
    ({ runtime: { mutedUntil } }) => mutedUntil !== null && mutedUntil <= now,
  );
  const isSeenDue = lastSeen.isDue(now);
  const isNothingDue = due.length + crashed.length + unmuted.length === 0;
  if (isNothingDue && unitOfWork.pending.length === 0 && !isSeenDue) return;
  unitOfWork.commit(() => {
    events.bindAllPending();
    events.expirePending(now);
    for (const entry of due.slice(0, size)) states.evaluate(entry);
    for (const entry of crashed) lifecycle.dropCrashed(entry);
    endMutes(deps, unmuted);
    if (isSeenDue) lastSeen.write(now);
  });
  for (let from = size; from < due.length; from += size) {
    yield;
    // Memory may have been rebuilt in between: then these entries are outdated.
    const rest = due
      .slice(from, from + size)
      .filter((entry) => liveState.runtimes.get(entry.runtime.runtimeId) === entry);
    unitOfWork.commit(() => {
      for (const entry of rest) states.evaluate(entry);
    });
  }
}

interface Parts {
  unitOfWork: UnitOfWork;
  rows: RowViews;
  states: States;
  events: Events;
  lifecycle: RuntimeLifecycle;
  topology: ListingApplier;
  readings: SampledReadings;
  targets: Targets;
  lastSeen: LastSeen;
}

const connectParts = (deps: UnitOfWork["deps"]): Parts => {
  const unitOfWork = new UnitOfWork(deps);
  const rows = new RowViews(unitOfWork);
  const states = new States(unitOfWork, rows);
  const events = new Events(unitOfWork, states);
  const lifecycle = new RuntimeLifecycle({
    unitOfWork,
    rows,
    states,
    onBegin: (targetId) => events.bindPending(targetId),
  });
  const lastSeen = new LastSeen(unitOfWork);
  const topology = new ListingApplier({ unitOfWork, rows, states, lifecycle, lastSeen });
  const readings = new SampledReadings(unitOfWork, states);
  const targets = new Targets({ unitOfWork, rows, states, lifecycle });
  return { unitOfWork, rows, states, events, lifecycle, topology, readings, targets, lastSeen };
};

export class Ingest {
  private readonly parts: Parts;
  private readonly screenListeners = new Set<(runtimeId: string, lines: readonly string[]) => void>();

  constructor(deps: UnitOfWork["deps"]) {
    this.parts = connectParts(deps);
  }

  private get unitOfWork(): UnitOfWork {
    return this.parts.unitOfWork;
  }

  get liveState(): LiveState {
    return this.unitOfWork.liveState;
  }

  /** The prompt that is open in a runtime, as it is shown with the dialog `seen`; null where that is another one's. */
  promptWith(entry: RuntimeEntry, seen: PromptRequest): Prompt | null {
    return promptWith(entry, seen, this.unitOfWork.deps.fingerprintOf);
  }

  /** How many events were not applied, by reason. */
  get dropped(): ReadonlyMap<DropReason, number> {
    return this.unitOfWork.dropped;
  }

  /** Newest version that clients may have seen. */
  get feedVersion(): number {
    return this.unitOfWork.version;
  }

  /** Called after each commit with everything that it changed, in order. Returns the unsubscribe function. */
  onChanges(listener: (changes: readonly FeedChange[]) => void): () => void {
    return this.unitOfWork.onChanges(listener);
  }

  /** Called when memory was rebuilt while the daemon runs: everything must be looked at again, and then reported as done. */
  onRebuilt(listener: () => void): void {
    this.unitOfWork.onRebuilt(listener);
  }

  /** No state is claimed until `resynced`; the health of this machine says why. */
  markStale(reason: string): void {
    this.unitOfWork.markStale(reason);
  }

  /** Everything was looked at since memory was rebuilt, or states were hidden: they are claimed again. */
  resynced(): void {
    this.unitOfWork.resynced();
  }

  /** Why nothing can be stored now, for a person; null: it can. */
  get outage(): string | null {
    return this.unitOfWork.outage.reason;
  }

  /** The store lost its history and is empty: it gets what is known of the present. Outside of a transaction. */
  afterLoss(): void {
    this.unitOfWork.afterLoss();
  }

  rows(all: boolean): PaneView[] {
    return this.parts.rows.list(all);
  }

  targets(): TargetView[] {
    return this.parts.rows.targets();
  }

  // What the collector learns.

  applyTopology(update: TopologyUpdate): void {
    this.parts.topology.apply(update);
  }

  applyRecognised(key: PaneKey, recognised: Recognised | null): void {
    this.parts.lifecycle.applyRecognised(key, recognised);
  }

  applyEnvelopes(targetId: string, envelopes: readonly Envelope[]): void {
    this.parts.events.applyBatch(targetId, envelopes);
  }

  applyReading(runtimeId: string, source: ReadingSource, update: ReadingUpdate): void {
    this.applyReadings(source, new Map([[runtimeId, update]]));
  }

  applyReadings(source: ReadingSource, updates: ReadonlyMap<string, ReadingUpdate>): void {
    this.parts.readings.apply(source, updates);
  }

  noteScreen(runtimeId: string, lines: readonly string[]): void {
    for (const listener of this.screenListeners) listener(runtimeId, lines);
  }

  /** Called with each capture of an agent's screen. Returns the unsubscribe function. */
  onScreens(listener: (runtimeId: string, lines: readonly string[]) => void): () => void {
    this.screenListeners.add(listener);
    return () => this.screenListeners.delete(listener);
  }

  setArmed(runtimeId: string, armed: string | null): void {
    this.parts.readings.setArmed(runtimeId, armed);
  }

  applyProgress(runtimeId: string, text: string | null): void {
    this.parts.readings.applyProgress(runtimeId, text);
  }

  applyTold(runtimeId: string, told: ToldActivity, at: number): void {
    this.parts.readings.applyTold(runtimeId, told, at);
  }

  applyPlace(runtimeId: string, place: Place): void {
    this.parts.readings.applyPlace(runtimeId, place);
  }

  /** False when no such runtime lives. Clients hear of it only when it changed. */
  setWorkspace(runtimeId: string, workspace: WorkspaceView | null): boolean {
    const entry = this.liveState.runtimes.get(runtimeId);
    const pane = entry === undefined ? undefined : this.liveState.paneOf(entry.runtime);
    if (entry === undefined || pane === undefined || entry.runtime.endedAt !== null) return false;
    if (JSON.stringify(entry.workspace) === JSON.stringify(workspace)) return true;
    this.unitOfWork.commit(() => {
      entry.workspace = workspace;
      this.parts.rows.refresh(entry, pane);
    });
    return true;
  }

  /** What keeps this machine awake, as a feature says it; null: nothing does, and nothing need. */
  setAwake(awake: AwakeView | null): void {
    this.unitOfWork.commit(() => this.parts.rows.setAwake(awake));
  }

  /** The version of a newer agtmux, as a feature found it; null: none is known. */
  setNewerRelease(version: string | null): void {
    this.unitOfWork.commit(() => this.parts.rows.setNewerRelease(version));
  }

  /** What agents of a target say of their accounts' limits, as a feature read it. */
  setLimits(targetName: string, limits: readonly AccountLimits[]): void {
    this.unitOfWork.commit(() => this.parts.rows.setLimits(targetName, limits));
  }

  setConfirmRequests(runtimeId: string, confirm: boolean): void {
    const entry = this.liveState.runtimes.get(runtimeId);
    if (entry !== undefined) entry.confirmRequests = confirm;
  }

  setProcessCwd(runtimeId: string, processCwd: string | null): void {
    const entry = this.liveState.runtimes.get(runtimeId);
    if (entry !== undefined) entry.processCwd = processCwd;
  }

  unplacedAgents(targetId: string, envelopes: readonly Envelope[]): ReadonlySet<string> {
    return this.parts.events.unplacedAgents(targetId, envelopes);
  }

  offerScreens(screens: ReadonlyMap<string, string>, readAt: number): void {
    this.parts.events.offerScreens(screens, readAt);
  }

  /** What the collector should watch, and how closely; the closeness is that of the moment in which it is read. */
  watchedRuntimes(
    targetId: string,
    isWanted: (adapter: AgentAdapter) => boolean = () => true,
  ): WatchedEntry[] {
    return watchedRuntimes(this.liveState, targetId, this.unitOfWork.deps.clock.now(), isWanted);
  }

  agentsAt(isMeant: (connectionRef: string) => boolean): ReadonlySet<string> | null {
    const meant = [...this.liveState.targets.values()].filter(
      ({ connectionRef, health }) => connectionRef !== null && health !== "down" && isMeant(connectionRef),
    );
    const live = meant.flatMap(({ targetId }) => [...this.liveState.liveOfTarget(targetId)]);
    return meant.length === 0 ? null : new Set(live.map(({ runtime }) => runtime.agentType));
  }

  watchedRuntimeIn(key: PaneKey): WatchedEntry | null {
    return watchedRuntimeIn(this.liveState, key, this.unitOfWork.deps.clock.now());
  }

  /** `link`: how it is reached now; as before unless given. */
  setHealth(targetId: string, found: TargetHealth, why: string | null, link?: TargetLink): void {
    this.parts.targets.setHealth(targetId, found, why, link);
  }

  // What a person configures.

  /** The adapters in force changed: live runtimes take theirs again; one whose adapter is gone keeps its last state. */
  renewAdapters(): void {
    renewAdapters(this.parts);
  }

  /** Runtimes whose agent is no longer enabled end, which is no crash; their crashed rows go. */
  endDisabled(isEnabled: (agentType: string) => boolean): void {
    endDisabled(this.parts, isEnabled);
  }

  /** Agents of a target without hooks, those that are new among them since `at` (epoch ms): what hooks said before is less sure. */
  setHookless(targetId: string, agentTypes: ReadonlySet<string>, at: number): void {
    const { liveState } = this.unitOfWork;
    if (!liveState.setHookless(targetId, agentTypes, at)) return;
    this.unitOfWork.commit(() => {
      for (const entry of liveState.liveOfTarget(targetId)) this.parts.states.evaluate(entry);
    });
  }

  setTarget(target: Target): void {
    this.parts.targets.set(target);
  }

  /** Only these tmux servers of a target are watched from now on: what was known of the others goes. */
  keepServers(targetId: string, watched: readonly string[]): void {
    this.parts.targets.keepServers(targetId, watched);
  }

  /** A target that is not watched any more: its panes, rows and events go, its history stays until retention takes it. */
  removeTarget(targetId: string): void {
    this.parts.targets.remove(targetId);
  }

  // People and time.

  /** We sent its process a signal that ends it: that end is no crash. False takes it back. */
  markKilled(runtimeId: string, isKilled: boolean): void {
    const entry = this.liveState.runtimes.get(runtimeId);
    if (entry !== undefined) entry.killedByUs = isKilled;
  }

  /**
   * An action on this runtime begins: until the returned function closes it, and `followsForMs` longer, events and
   * transitions of the runtime name the action.
   */
  beginAction(runtimeId: string, actionId: string): (followsForMs: number) => void {
    const { actions, deps } = this.unitOfWork;
    // What follows an action may be shorter than the time to the next ordinary capture.
    const watchUntil = (at: number): void => {
      const entry = this.liveState.runtimes.get(runtimeId);
      if (entry !== undefined) entry.closelyUntil = at;
    };
    actions.begin(runtimeId, actionId);
    watchUntil(Infinity);
    return (followsForMs) => {
      const until = deps.clock.now() + followsForMs;
      actions.close(runtimeId, actionId, until);
      watchUntil(until);
    };
  }

  /** A request was answered on a screen that is gone again. */
  noteAnswered(runtimeId: string, requestId: string): void {
    noteAnswered(this.parts, runtimeId, requestId);
  }

  /** Takes an errored or crashed row out of the lists' attention. False when there is nothing to dismiss. */
  dismiss(runtimeId: string): boolean {
    return dismiss(this.parts, runtimeId);
  }

  /** Nothing is told of it until then, epoch ms, or `UNTIL_IT_ENDS`; null: it is again. False where no such runtime lives. */
  mute(runtimeId: string, until: number | null): boolean {
    return mute(this.parts, runtimeId, until);
  }

  /** What the person calls it; empty: nothing. False where no such runtime lives. */
  rename(runtimeId: string, name: string): boolean {
    return rename(this.parts, runtimeId, name);
  }

  /** Somebody looked at what ended at `until` (epoch ms) or before. False when nothing of that was unread. */
  markSeen(runtimeId: string, until: number): boolean {
    return markSeen(this.parts, runtimeId, until);
  }

  /** What time alone changes: demotion, staleness, pending events, old crashed rows. Call about once a second. */
  tick(): void {
    const chunks = this.tickInChunks(Infinity);
    while (chunks.next().done !== true);
  }

  /** The same in transactions of `size` runtimes, one for each step: between two of them other work may run. */
  tickInChunks(size: number): Generator<undefined> {
    return tickInChunks(this.parts, size);
  }

  /** Retention; events that a live candidate rests on are kept. Returns the number of rows removed. */
  prune(options: { olderThan: number; maxEvents: number }): number {
    const keepEventIds = new Set(
      Array.from(this.liveState.liveRuntimes(), (entry) => liveEventIds(entry.facts)).flat(),
    );
    return this.unitOfWork.deps.store.prune({ ...options, keepEventIds });
  }
}
