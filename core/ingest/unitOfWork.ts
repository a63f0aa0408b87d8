// Commits: one transaction each (`UnitOfWork`), and the listeners hear after it what it changed. When a transaction fails, memory
// is rebuilt from the store, because it must never be ahead of it. Also the outage of a store that cannot be written, the action
// that a runtime is under, and the write-back of when things were last seen. What an input means is decided in the files beside.
import { AgtmuxError } from "../model/errors.ts";
import {
  describeOutage,
  type PendingEvent,
  type StateRow,
  type Store,
  storeFailureOf,
} from "../ports/store.ts";
import { applyEvidence, EMPTY_FACTS, type Facts } from "../engine/facts.ts";
import type { Timing } from "../model/config.ts";
import type { FeedChange } from "../model/view.ts";
import { isWaiting } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import { onScreenAlone } from "../ports/screenAlone.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { restoreActivity, isoUnreadSince, restoreTurn } from "./activity.ts";
import { UNKNOWN_UNENDED, newRuntimeEntry, LiveState } from "./liveState.ts";
import { promptOf, type NamePrompt, runtimeView, toIso, confirmedAt } from "./view.ts";

const RETRY_MS = 1_000;
/** Shorter than any freshness limit of a state: until then the last decision still holds. */
const STALE_AFTER_MS = 5_000;
/**
 * On an almost full disk a small commit succeeds now and then: if writing fails again so soon, the store was unavailable all
 * the time.
 */
const RELAPSE_MS = 10_000;

/** A store that cannot be written (full disk, read-only folder): since when, why, when to retry, and when states become stale. */
class StoreOutage {
  private since: number | null = null;
  private last: { since: number; endedAt: number } | null = null;
  private triedAt = 0;
  private isTold = false;
  private why = "";
  private cause: unknown = null;

  /** A sentence for a person; null: nothing is in the way. */
  get reason(): string | null {
    return this.since === null ? null : `nothing can be stored: ${this.why}`;
  }

  /** Fails at once when it was tried a moment ago. `now`: epoch ms. */
  check(now: number): void {
    if (this.since === null || now - this.triedAt >= RETRY_MS) return;
    throw new AgtmuxError("E_INTERNAL", this.reason ?? "", { cause: this.cause });
  }

  note(error: unknown, now: number): void {
    const before = this.last !== null && now - this.last.endedAt <= RELAPSE_MS ? this.last.since : null;
    this.since ??= before ?? now;
    this.triedAt = now;
    this.why = describeOutage(error);
    this.cause = error;
  }

  /** True when the store was unavailable until now. */
  end(now: number): boolean {
    if (this.since === null) return false;
    this.last = { since: this.since, endedAt: now };
    this.since = null;
    this.isTold = false;
    return true;
  }

  isDue(now: number): boolean {
    return this.since !== null && now - this.triedAt >= RETRY_MS;
  }

  isStale(now: number): boolean {
    return this.since !== null && now - this.since > STALE_AFTER_MS;
  }

  /** True once for each outage. */
  becameStale(now: number): boolean {
    if (this.isTold || !this.isStale(now)) return false;
    this.isTold = true;
    return true;
  }
}

/** Which action a runtime is under: then, and a moment longer, what is learned of it names the action. It decides nothing. */
export class ActionWindows {
  private readonly open = new Map<string, { actionId: string; until: number }>();

  /** Of two actions on one runtime the one that began last counts. */
  begin(runtimeId: string, actionId: string): void {
    this.open.set(runtimeId, { actionId, until: Number.POSITIVE_INFINITY });
  }

  /** The window closes at `until` (epoch ms). */
  close(runtimeId: string, actionId: string, until: number): void {
    if (this.open.get(runtimeId)?.actionId === actionId) this.open.set(runtimeId, { actionId, until });
  }

  actionOf(runtimeId: string, now: number): string | null {
    const window = this.open.get(runtimeId);
    if (window === undefined) return null;
    if (now <= window.until) return window.actionId;
    this.open.delete(runtimeId);
    return null;
  }
}

export type DropReason =
  | "older_runtime"
  | "agent_mismatch"
  | "other_server_life"
  | "no_pane"
  | "unknown_agent"
  | "duplicate"
  | "dropped_unbound"
  | "failed";

type NewChange = FeedChange extends infer C
  ? C extends FeedChange
    ? Omit<C, "version" | "at">
    : never
  : never;

const LOSS_SHOWN_MS = 3_600_000;

export class UnitOfWork {
  readonly deps: {
    store: Store;
    clock: Clock;
    ids: IdSource;
    logger: Logger;
    timing: () => Timing;
    adapterOf: (agentType: string) => AgentAdapter | null;
    /** Deterministic id of a runtime from its identity, so that the same process keeps its id over a daemon restart. */
    runtimeIdOf: (identity: readonly string[]) => string;
    /** Takes secrets out of a line of text that no event carries, and cuts it to `maxLength`. Events lose theirs in the store. */
    redactText: (text: string, maxLength: number) => string;
    fingerprintOf: NamePrompt;
  };
  readonly liveState = new LiveState();
  readonly actions = new ActionWindows();
  readonly dropped = new Map<DropReason, number>();
  pending: PendingEvent[] = [];
  /** Newest version that clients may have seen. */
  version = 0;
  private changes: FeedChange[] = [];
  private needsRestore = false;
  private lastIngestedAt: number;
  readonly outage = new StoreOutage();
  /** Why no state is claimed now: memory was rebuilt, and the resync is not over. */
  unseenReason: string | null = null;
  /** Since when pending events can find their runtime again: a start or a rebuild is followed by a resync. */
  rebuiltAt: number;
  private lostAt: number | null = null;
  private isLossTold = false;
  private readonly rebuiltListeners: (() => void)[] = [];
  private readonly listeners = new Set<(changes: readonly FeedChange[]) => void>();

  constructor(deps: UnitOfWork["deps"]) {
    this.deps = deps;
    this.lastIngestedAt = deps.store.lastIngestedAt();
    this.rebuiltAt = deps.clock.now();
    this.restore();
  }

  onChanges(listener: (changes: readonly FeedChange[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Not to be nested. An unavailable store is tried only about once a second; in between this fails at once. */
  commit(work: () => void): void {
    this.outage.check(this.deps.clock.now());
    this.changes = [];
    try {
      this.deps.store.transaction(work);
    } catch (error) {
      this.changes = [];
      if (storeFailureOf(error) === "unavailable") this.outage.note(error, this.deps.clock.now());
      this.restore();
      throw error;
    }
    const changes = this.changes;
    this.changes = [];
    if (this.outage.end(this.deps.clock.now())) {
      // Parts of what was seen during the outage reached memory alone.
      this.rebuild("the database can be written again");
      return;
    }
    if (this.needsRestore) this.restore();
    this.tell(changes);
  }

  private tell(changes: readonly FeedChange[]): void {
    if (changes.length > 0) for (const listener of this.listeners) listener(changes);
  }

  /**
   * Called when memory was rebuilt from the store while others went on: everything is to be looked at again, and then `resynced`
   * to be called. Until then no state is claimed.
   */
  onRebuilt(listener: () => void): void {
    this.rebuiltListeners.push(listener);
  }

  private tellReset(reason: string): void {
    this.tell([{ kind: "reset", version: this.version, at: this.deps.clock.now(), reason }]);
  }

  private rebuild(reason: string): void {
    this.restore();
    this.rebuiltAt = this.deps.clock.now();
    this.unseenReason = reason;
    for (const listener of this.rebuiltListeners) listener();
    if (this.rebuiltListeners.length === 0) this.resynced();
  }

  markStale(reason: string): void {
    this.unseenReason = reason;
    this.tellReset(reason);
  }

  resynced(): void {
    const reason = this.unseenReason;
    // What was seen could not be stored: another resync follows once it can be.
    if (reason === null || this.outage.reason !== null) return;
    this.unseenReason = null;
    this.tellReset(reason);
  }

  /** Whether the states in memory are no claim about now. */
  get isStale(): boolean {
    return this.unseenReason !== null || this.outage.isStale(this.deps.clock.now());
  }

  /**
   * The store was replaced by an empty one: it gets what is known of the present (targets, panes, processes, pending events),
   * which a first collection would find again. What was decided from lost events is not claimed any longer.
   */
  afterLoss(): void {
    const { liveState, deps } = this;
    const { store } = deps;
    store.transaction(() => {
      for (const target of liveState.targets.values()) store.upsertTarget(target);
      for (const { targetId, server, panes } of liveState.servers.values())
        store.replacePanes(targetId, server, [...panes.values()]);
      for (const { runtime } of liveState.liveRuntimes()) store.insertRuntime(runtime);
      for (const event of this.pending) store.addPending(event);
    });
    this.rebuild("the database was damaged: the history before is lost");
  }

  /** For an hour after the history was lost; after that only the doctor reports it. */
  get lossReason(): string | null {
    const { lostAt } = this;
    if (lostAt === null || this.deps.clock.now() - lostAt > LOSS_SHOWN_MS) return null;
    return `the database was damaged: the history before ${toIso(lostAt)} is lost`;
  }

  /** True once, when it has become old news. */
  isLossOver(): boolean {
    const isOver = this.isLossTold && this.lossReason === null;
    if (isOver) this.isLossTold = false;
    return isOver;
  }

  /** To be called about once a second: reports when states become stale, and tries whether the store works again. */
  reviewOutage(): void {
    const now = this.deps.clock.now();
    if (this.outage.becameStale(now)) this.tellReset(this.outage.reason ?? "");
    if (!this.outage.isDue(now)) return;
    this.commit(() => {
      for (const target of this.liveState.targets.values()) this.deps.store.upsertTarget(target);
    });
  }

  /** A part of the commit was rolled back alone: memory is rebuilt after the commit. */
  restoreAfterCommit(): void {
    this.needsRestore = true;
  }

  /** To be called inside a commit. */
  emit(change: NewChange): void {
    this.changes.push({ ...change, version: this.version, at: this.deps.clock.now() });
  }

  drop(reason: DropReason): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + 1);
  }

  /** Never lower than the last one stored, whatever the wall clock does. */
  nextIngestedAt(): number {
    this.lastIngestedAt = Math.max(this.lastIngestedAt, this.deps.clock.now());
    return this.lastIngestedAt;
  }

  /** What is in force for it; null where that adapter is gone, or cannot know it by what is seen of it. */
  adapterOf({ agentType, inside }: Runtime): AgentAdapter | null {
    const adapter = this.deps.adapterOf(agentType);
    return adapter === null || inside === null ? adapter : onScreenAlone(adapter, inside);
  }

  targetName(targetId: string): string {
    return this.liveState.targets.get(targetId)?.targetName ?? targetId;
  }

  /**
   * Rebuilds memory from the store; the next collection verifies topology and processes. Targets keep what memory knows of
   * them, because their health is no history.
   */
  private restore(): void {
    const { store } = this.deps;
    const { liveState } = this;
    this.needsRestore = false;
    const version = store.transitionRange().last;
    const targets = [...store.listTargets(), ...liveState.targets.values()];
    const panes = store.listPanes();
    const states = new Map(store.listStates().map((row) => [row.runtimeId, row]));
    const live = store
      .listLiveRuntimes()
      .map((runtime) => ({ runtime, ...this.storedFacts(runtime.runtimeId) }));
    const pending = store.listPending();
    this.lostAt = store.lostAt();
    this.isLossTold = this.lossReason !== null;
    // The folders of a process do not change, and are not stored.
    const accounts = new Map([...liveState.runtimes].map(([id, { account }]) => [id, account]));
    liveState.clear();
    this.version = version;
    for (const target of targets) liveState.targets.set(target.targetId, target);
    liveState.restorePanes(panes);
    for (const { runtime, facts, eventHorizon } of live) {
      const entry = newRuntimeEntry(runtime, this.adapterOf(runtime));
      entry.facts = facts;
      entry.asked = { ...entry.asked, unended: UNKNOWN_UNENDED };
      entry.eventHorizon = eventHorizon;
      const state = states.get(runtime.runtimeId);
      if (state !== undefined) {
        entry.resolution = { ...state.resolution, nextCheckAt: 0 };
        entry.isRestored = true;
        entry.activity = restoreActivity(state.activity, state.updatedAt);
        entry.storedWait = isWaiting(state.resolution.status.state) ? entry.resolution : null;
        entry.marks = state.marks;
        restoreTurn(entry);
        entry.prompt = promptOf(entry, this.deps.clock.now(), this.deps.fingerprintOf);
        entry.stateVersion = state.stateVersion;
      }
      liveState.addRuntime(entry);
      liveState.setAccount(entry, accounts.get(runtime.runtimeId) ?? null);
    }
    for (const state of states.values()) this.restoreCrashed(state);
    this.pending = pending;
  }

  private storedFacts(runtimeId: string): { facts: Facts; eventHorizon: number } {
    let [facts, eventHorizon] = [EMPTY_FACTS, 0];
    this.deps.store.eachEvidence(runtimeId, (evidence, row) => {
      facts = applyEvidence(facts, evidence);
      eventHorizon = Math.max(eventHorizon, row);
    });
    return { facts, eventHorizon };
  }

  /** A crashed row outlives its runtime, and the daemon, until it is dismissed. */
  private restoreCrashed(state: StateRow): void {
    const runtime = this.deps.store.getRuntime(state.runtimeId);
    const pane = this.liveState.paneOf(state);
    if (runtime === null || runtime.endedAt === null) return;
    const entry = newRuntimeEntry(runtime, this.adapterOf(runtime));
    entry.resolution = state.resolution;
    entry.stateVersion = state.stateVersion;
    entry.crashedAt = runtime.endedAt;
    entry.marks = state.marks;
    entry.activity = restoreActivity(state.activity, state.updatedAt);
    if (pane === undefined) {
      // Its pane is gone: the row is the one that was reported last.
      const [last] = this.deps.store.listTransitionsOf(runtime.runtimeId, 1);
      if (last === undefined) return;
      entry.view = {
        ...last.view,
        state_version: state.stateVersion,
        activity: state.activity,
        unread_since: isoUnreadSince(entry),
        name: runtime.name,
      };
    } else entry.view = runtimeView(entry, pane, { target: this.targetName(pane.targetId), account: null });
    this.liveState.runtimes.set(runtime.runtimeId, entry);
  }
}

const WRITE_MS = 60_000;

/** When targets and states were last seen, for the store: memory knows the exact moment, the disk is updated once a minute. */
export class LastSeen {
  private readonly unitOfWork: UnitOfWork;
  private writtenAt: number;

  constructor(unitOfWork: UnitOfWork) {
    this.unitOfWork = unitOfWork;
    this.writtenAt = unitOfWork.deps.clock.now();
  }

  /** A collection of the target succeeded. */
  sawTarget(targetId: string): void {
    const { liveState, deps } = this.unitOfWork;
    const target = liveState.targets.get(targetId);
    if (target !== undefined) liveState.targets.set(targetId, { ...target, lastSeenAt: deps.clock.now() });
  }

  isDue(now: number): boolean {
    return now - this.writtenAt >= WRITE_MS;
  }

  /** Inside a commit. What was not seen since the last time is left as it is. */
  write(now: number): void {
    const { liveState, deps } = this.unitOfWork;
    const since = this.writtenAt;
    this.writtenAt = now;
    for (const target of liveState.targets.values())
      if ((target.lastSeenAt ?? 0) > since) deps.store.upsertTarget(target);
    deps.store.seeStates(
      [...liveState.liveRuntimes()].flatMap((entry) => {
        const pane = liveState.paneOf(entry.runtime);
        const lastSeenAt = pane === undefined ? null : confirmedAt(entry, pane);
        return lastSeenAt === null || lastSeenAt <= since
          ? []
          : [{ runtimeId: entry.runtime.runtimeId, lastSeenAt }];
      }),
    );
  }
}
