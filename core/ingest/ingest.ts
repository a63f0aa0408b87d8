// The only writer of state: everything that is learned comes in here, each call one transaction. This file connects the
// parts and holds what people and time do; topology, lives, events and readings have a file each.
import { liveEventIds } from "../engine/facts.ts";
import type { Recognised } from "../engine/epoch.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Pane, PaneKey, Runtime, Target, TargetHealth, TargetLink } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { PaneView, TargetView } from "../model/view.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import { Events } from "./events.ts";
import { Ledger, type DropReason, type IngestChange, type IngestDeps } from "./ledger.ts";
import { Lives } from "./lives.ts";
import { isProgressDue } from "./progress.ts";
import {
  hasOpenRequest,
  hasUnconfirmed,
  isUnsustained,
  Readings,
  type ReadingSource,
  type ReadingUpdate,
} from "./readings.ts";
import { Rows } from "./rows.ts";
import { States } from "./states.ts";
import { Topology, type TopologyUpdate } from "./topology.ts";
import type { RuntimeEntry, World } from "./world.ts";

/** A live runtime as the collector needs it (see `WatchedRuntime` there). */
export interface WatchedEntry {
  runtime: Runtime;
  adapter: AgentAdapter;
  pane: Pane;
  attention: "unconfirmed" | "waiting" | "active" | "quiet";
  isUnsustained: boolean;
  cwd: string | null;
  transcriptPath: string | null;
  processCwd: string | null | undefined;
}

const attentionOf = (entry: RuntimeEntry): WatchedEntry["attention"] => {
  const state = entry.resolution?.status.state ?? "unknown";
  if (hasUnconfirmed(entry)) return "unconfirmed";
  if (isWaiting(state) || hasOpenRequest(entry)) return "waiting";
  return state === "running" || state === "unknown" ? "active" : "quiet";
};

/** What takes counting is counted when it is asked for: of most entries nobody does. */
class Watched implements WatchedEntry {
  readonly runtime: Runtime;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  readonly processCwd: string | null | undefined;
  private readonly entry: RuntimeEntry;
  readonly adapter: AgentAdapter;
  readonly pane: Pane;
  private readonly now: number;

  constructor(entry: RuntimeEntry, adapter: AgentAdapter, pane: Pane, now: number) {
    this.entry = entry;
    this.adapter = adapter;
    this.pane = pane;
    this.now = now;
    this.runtime = entry.runtime;
    this.cwd = entry.cwd;
    this.transcriptPath = entry.transcriptPath;
    this.processCwd = entry.processCwd;
  }

  get attention(): WatchedEntry["attention"] {
    return attentionOf(this.entry);
  }

  get isUnsustained(): boolean {
    return isUnsustained(this.entry, this.now);
  }
}

export class Ingest {
  private readonly ledger: Ledger;
  private readonly rowsPart: Rows;
  private readonly states: States;
  private readonly lives: Lives;
  private readonly topology: Topology;
  private readonly events: Events;
  private readonly readings: Readings;

  constructor(deps: IngestDeps) {
    const ledger = new Ledger(deps);
    const rows = new Rows(ledger);
    const states = new States(ledger, rows);
    const events = new Events(ledger, states);
    const lives = new Lives({ ledger, rows, states, onBegin: () => events.bindPending() });
    this.ledger = ledger;
    this.rowsPart = rows;
    this.states = states;
    this.events = events;
    this.lives = lives;
    this.topology = new Topology({ ledger, rows, states, lives });
    this.readings = new Readings(ledger, states);
  }

  get world(): World {
    return this.ledger.world;
  }

  /** How many events were not applied, by reason. */
  get dropped(): ReadonlyMap<DropReason, number> {
    return this.ledger.dropped;
  }

  /** Newest version that clients may have seen. */
  get feedVersion(): number {
    return this.ledger.version;
  }

  /** Called after each commit with everything that it changed, in order. Returns the unsubscribe function. */
  onChanges(listener: (changes: readonly IngestChange[]) => void): () => void {
    return this.ledger.onChanges(listener);
  }

  /** Called when memory was rebuilt while the daemon runs: whoever looks at things has to look anew and then say so. */
  onRebuilt(listener: () => void): void {
    this.ledger.onRebuilt(listener);
  }

  /** States are no claim until `lookedAnew`; the health of this machine says why. */
  hideStates(reason: string): void {
    this.ledger.hideStates(reason);
  }

  /** Everything was looked at since memory was rebuilt, or states were hidden: they are claimed again. */
  lookedAnew(): void {
    this.ledger.lookedAnew();
  }

  /** Why nothing can be stored now, for a person; null: it can. */
  get hindrance(): string | null {
    return this.ledger.hindrance.reason;
  }

  /** The store lost its history and is empty: it gets what is known of the present. Outside of a transaction. */
  afterLoss(): void {
    this.ledger.afterLoss();
  }

  rows(all: boolean): PaneView[] {
    return this.rowsPart.list(all);
  }

  targets(): TargetView[] {
    return this.rowsPart.targets();
  }

  // --- what the collector learns ---------------------------------------------------------------------------------------

  applyTopology(update: TopologyUpdate): void {
    this.topology.apply(update);
  }

  applyRecognised(key: PaneKey, recognised: Recognised | null): void {
    this.lives.applyRecognised(key, recognised);
  }

  applyEnvelopes(targetId: string, envelopes: readonly Envelope[]): void {
    this.events.applyBatch(targetId, envelopes);
  }

  applyReading(runtimeId: string, source: ReadingSource, update: ReadingUpdate): void {
    this.readings.apply(runtimeId, source, update);
  }

  applyProgress(runtimeId: string, text: string | null): void {
    this.readings.applyProgress(runtimeId, text);
  }

  setConfirmRequests(runtimeId: string, confirm: boolean): void {
    const entry = this.world.runtimes.get(runtimeId);
    if (entry !== undefined) entry.confirmRequests = confirm;
  }

  setProcessCwd(runtimeId: string, processCwd: string | null): void {
    const entry = this.world.runtimes.get(runtimeId);
    if (entry !== undefined) entry.processCwd = processCwd;
  }

  unplacedAgents(targetId: string, envelopes: readonly Envelope[]): ReadonlySet<string> {
    return this.events.unplacedAgents(targetId, envelopes);
  }

  offerScreens(screens: ReadonlyMap<string, string>, readAt: number): void {
    this.ledger.commit(() => {
      for (const [runtimeId, text] of screens) {
        const entry = this.world.runtimes.get(runtimeId);
        if (entry !== undefined) entry.screen = { text, readAt };
      }
      this.events.bindPending();
    });
  }

  /** The adapters in force changed: live runtimes take theirs anew; one whose adapter is gone keeps its last state. */
  renewAdapters(): void {
    this.ledger.commit(() => {
      for (const entry of this.world.liveRuntimes()) {
        entry.adapter = this.ledger.deps.adapterOf(entry.runtime.agentType);
        const pane = this.world.paneOf(entry.runtime);
        if (pane !== undefined) this.rowsPart.refresh(entry, pane);
      }
    });
  }

  /** Runtimes whose agent is no longer enabled end, which is no crash; their crashed rows go. */
  endDisabled(isEnabled: (agentType: string) => boolean): void {
    const due = [...this.world.runtimes.values()].filter(({ runtime }) => !isEnabled(runtime.agentType));
    if (due.length === 0) return;
    this.ledger.commit(() => {
      for (const entry of due) this.lives.endDisabled(entry);
    });
  }

  setTarget(target: Target): void {
    const { ledger } = this;
    const known = this.world.targets.get(target.targetId);
    // Known also while it cannot be stored.
    this.world.targets.set(target.targetId, target);
    ledger.commit(() => {
      ledger.deps.store.upsertTarget(target);
      if (
        known?.health !== target.health ||
        known.healthReason !== target.healthReason ||
        JSON.stringify(known.link) !== JSON.stringify(target.link)
      )
        this.rowsPart.targetChanged(target.targetId);
      for (const entry of this.world.liveRuntimes()) {
        if (entry.runtime.targetId !== target.targetId || entry.pulse.targetHealth === target.health)
          continue;
        entry.pulse = { ...entry.pulse, targetHealth: target.health };
        this.states.evaluate(entry);
      }
    });
  }

  /** `link`: how it is reached now; as before unless given. */
  setHealth(targetId: string, found: TargetHealth, why: string | null, link?: TargetLink): void {
    const target = this.world.targets.get(targetId);
    if (target === undefined) return;
    const note = (link ?? target.link)?.note ?? null;
    const [health, reason] = found === "ok" && note !== null ? (["degraded", note] as const) : [found, why];
    if (target.health === health && target.healthReason === reason && link === undefined) return;
    const now = this.ledger.deps.clock.now();
    const lastSeenAt = health === "down" ? target.lastSeenAt : now;
    this.setTarget({
      ...target,
      health,
      healthReason: reason,
      lastSeenAt,
      updatedAt: now,
      link: link ?? target.link,
    });
  }

  /** A target that is not watched any more: its panes, rows and events go, its history stays until retention takes it. */
  removeTarget(targetId: string): void {
    const { world } = this;
    this.ledger.commit(() => {
      for (const entry of world.runtimes.values())
        if (entry.runtime.targetId === targetId && entry.crashedAt !== null) this.lives.dropCrashed(entry);
      for (const pane of [...world.panes()].filter((one) => one.targetId === targetId)) {
        const live = world.liveOf(pane);
        if (live !== undefined) this.lives.end(live, "vanished", pane);
        this.rowsPart.removed(this.rowsPart.ofPane(pane));
      }
      world.removeTarget(targetId);
      this.ledger.pending = this.ledger.pending.filter((event) => event.targetId !== targetId);
      this.ledger.deps.store.removeTarget(targetId);
      this.ledger.emit({ kind: "target_removed" });
    });
  }

  /** What the collector should watch, and how closely; the closeness is that of the moment in which it is read. */
  watchedRuntimes(targetId: string): WatchedEntry[] {
    const now = this.ledger.deps.clock.now();
    const watched: WatchedEntry[] = [];
    for (const entry of this.world.liveRuntimes()) {
      const { runtime, adapter } = entry;
      if (runtime.targetId !== targetId || adapter === null) continue;
      const pane = this.world.paneOf(runtime);
      if (pane !== undefined) watched.push(new Watched(entry, adapter, pane, now));
    }
    return watched;
  }

  // --- people and time -------------------------------------------------------------------------------------------------

  /** We sent its process a signal that ends it: that end is no crash. False takes it back. */
  markKilled(runtimeId: string, isKilled: boolean): void {
    const entry = this.world.runtimes.get(runtimeId);
    if (entry !== undefined) entry.killedByUs = isKilled;
  }

  /**
   * An action on this runtime begins: until the returned function closes it, and `followsForMs` longer, events and
   * transitions of the runtime name the action.
   */
  beginAction(runtimeId: string, actionId: string): (followsForMs: number) => void {
    const { actions, deps } = this.ledger;
    actions.begin(runtimeId, actionId);
    return (followsForMs) => actions.close(runtimeId, actionId, deps.clock.now() + followsForMs);
  }

  /** Takes an errored or crashed row out of the lists' attention. False when there is nothing to dismiss. */
  dismiss(runtimeId: string): boolean {
    const entry = this.world.runtimes.get(runtimeId);
    if (entry === undefined || entry.resolution?.status.state !== "error") return false;
    this.ledger.commit(() => {
      if (entry.crashedAt !== null) this.lives.dropCrashed(entry);
      else this.dismissError(entry);
    });
    return true;
  }

  private dismissError(entry: RuntimeEntry): void {
    const at = this.ledger.nextIngestedAt();
    const eventId = this.ledger.deps.ids.next("ev");
    const { runtimeId } = entry.runtime;
    this.states.addEvidence(
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
    this.states.evaluate(entry);
  }

  /** What time alone changes: demotion, staleness, pending events, old crashed rows. Call about once a second. */
  tick(): void {
    const pieces = this.tickInPieces(Infinity);
    while (pieces.next().done !== true);
  }

  /** The same in transactions of so many runtimes, one for each step: between two of them others may have their turn. */
  *tickInPieces(size: number): Generator<undefined> {
    this.ledger.reviewHindrance();
    if (this.ledger.isLossOver())
      this.ledger.commit(() => {
        for (const targetId of this.world.targets.keys()) this.rowsPart.targetChanged(targetId);
      });
    const now = this.ledger.deps.clock.now();
    const due = [...this.world.liveRuntimes()].filter(
      (entry) => this.states.isDue(entry) || isProgressDue(entry, now),
    );
    const crashed = this.lives.expiredCrashes(now);
    if (due.length === 0 && crashed.length === 0 && this.ledger.pending.length === 0) return;
    this.ledger.commit(() => {
      this.events.bindPending();
      this.events.expirePending(now);
      for (const entry of due.slice(0, size)) this.states.evaluate(entry);
      for (const entry of crashed) this.lives.dropCrashed(entry);
    });
    for (let from = size; from < due.length; from += size) {
      yield;
      // Memory may have been rebuilt in between: then these are nobody's any more.
      const rest = due
        .slice(from, from + size)
        .filter((entry) => this.world.runtimes.get(entry.runtime.runtimeId) === entry);
      this.ledger.commit(() => {
        for (const entry of rest) this.states.evaluate(entry);
      });
    }
  }

  /** Retention; events that a live candidate rests on are kept. Returns the number of rows removed. */
  prune(options: { olderThan: number; maxEvents: number }): number {
    const keepEventIds = new Set(
      Array.from(this.world.liveRuntimes(), (entry) => liveEventIds(entry.facts)).flat(),
    );
    return this.ledger.deps.store.prune({ ...options, keepEventIds });
  }
}
