// Commits: one transaction each, and the listeners hear after it what it changed. When a transaction fails, memory is
// rebuilt from the store, because it must never be ahead of it.
import { foldEvidence } from "../engine/facts.ts";
import type { Timing } from "../model/config.ts";
import type { Evidence } from "../model/evidence.ts";
import type { Resolution } from "../model/resolution.ts";
import type { CanonicalState } from "../model/state.ts";
import type { PaneView, TargetView } from "../model/view.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { PendingEvent, StateRow, Store } from "../ports/store.ts";
import { ActionWindows } from "./actionWindows.ts";
import { runtimeView } from "./view.ts";
import { newRuntimeEntry, World } from "./world.ts";

export interface IngestDeps {
  store: Store;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  timing: () => Timing;
  adapterOf: (agentType: string) => AgentAdapter | null;
  /** Deterministic id of a runtime from its identity, so that the same process keeps its id over a daemon restart. */
  runtimeIdOf: (identity: readonly string[]) => string;
  /** Takes secrets out of the texts of evidence, before anybody sees them. */
  redact: (evidence: Evidence) => Evidence;
  /** The same for a line of text. */
  redactText: (text: string) => string;
  /** Prompt fingerprint of what is asked, or null when nothing is asked. */
  fingerprintOf: (runtimeId: string, resolution: Resolution) => string | null;
}

export type IngestChange =
  | {
      kind: "pane";
      version: number;
      at: number;
      pane: PaneView;
      previousState: CanonicalState | null;
      isTransition: boolean;
    }
  | { kind: "removed"; version: number; at: number; paneRef: string; runtimeId: string | null }
  | { kind: "target"; version: number; at: number; target: TargetView }
  | { kind: "target_removed"; version: number; at: number };

export type DropReason =
  | "older_runtime"
  | "agent_mismatch"
  | "other_server_life"
  | "no_pane"
  | "unknown_agent"
  | "duplicate"
  | "dropped_unbound"
  | "failed";

type NewChange = IngestChange extends infer C
  ? C extends IngestChange
    ? Omit<C, "version" | "at">
    : never
  : never;

export class Ledger {
  readonly deps: IngestDeps;
  readonly world = new World();
  readonly actions = new ActionWindows();
  readonly dropped = new Map<DropReason, number>();
  pending: PendingEvent[] = [];
  /** Newest version that clients may have seen. */
  version = 0;
  private changes: IngestChange[] = [];
  private needsRestore = false;
  private lastIngestedAt: number;
  private readonly listeners = new Set<(changes: readonly IngestChange[]) => void>();

  constructor(deps: IngestDeps) {
    this.deps = deps;
    this.lastIngestedAt = deps.store.lastIngestedAt();
    this.restore();
  }

  onChanges(listener: (changes: readonly IngestChange[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Not to be nested. */
  commit(work: () => void): void {
    this.changes = [];
    try {
      this.deps.store.transaction(work);
    } catch (error) {
      this.changes = [];
      this.restore();
      throw error;
    }
    const changes = this.changes;
    this.changes = [];
    if (this.needsRestore) this.restore();
    if (changes.length > 0) for (const listener of this.listeners) listener(changes);
  }

  /** A part of the commit was rolled back alone: memory is rebuilt when the rest is through. */
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

  targetName(targetId: string): string {
    return this.world.targets.get(targetId)?.targetName ?? targetId;
  }

  /** Rebuilds the memory from the store: topology and processes are verified by the next collection. */
  private restore(): void {
    const { store, adapterOf } = this.deps;
    const { world } = this;
    this.needsRestore = false;
    world.clear();
    this.version = store.transitionRange().last;
    for (const target of store.listTargets()) world.targets.set(target.targetId, target);
    for (const pane of store.listPanes()) world.restorePane(pane);
    const states = new Map(store.listStates().map((row) => [row.runtimeId, row]));
    for (const runtime of store.listLiveRuntimes()) {
      const entry = newRuntimeEntry(runtime, adapterOf(runtime.agentType));
      const evidence = store.listEvidence(runtime.runtimeId);
      entry.facts = foldEvidence(evidence.map((stored) => stored.evidence));
      entry.eventHorizon = evidence.reduce((highest, stored) => Math.max(highest, stored.row), 0);
      const state = states.get(runtime.runtimeId);
      if (state !== undefined) {
        entry.resolution = { ...state.resolution, nextCheckAt: 0 };
        entry.fingerprint = state.fingerprint;
        entry.stateVersion = state.stateVersion;
      }
      world.addRuntime(entry);
    }
    for (const state of states.values()) this.restoreCrashed(state);
    this.pending = store.listPending();
  }

  /** A crashed row outlives its runtime, and the daemon, until it is dismissed. */
  private restoreCrashed(state: StateRow): void {
    const runtime = this.deps.store.getRuntime(state.runtimeId);
    const pane = this.world.paneOf(state);
    if (runtime === null || runtime.endedAt === null || pane === undefined) return;
    const entry = newRuntimeEntry(runtime, this.deps.adapterOf(runtime.agentType));
    entry.resolution = state.resolution;
    entry.stateVersion = state.stateVersion;
    entry.crashedAt = runtime.endedAt;
    entry.view = runtimeView(entry, pane, this.targetName(pane.targetId));
    this.world.runtimes.set(runtime.runtimeId, entry);
  }
}
