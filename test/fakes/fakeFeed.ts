// The panes and targets that a fake daemon has, changed by the test, and the feed that tells of it. Versions and what a
// client gets that comes back are the daemon's own FeedHub; only what happens is made up.
import {
  type FeedChange,
  rollUp,
  type FeedEntry,
  type PaneView,
  type TargetView,
} from "../../core/model/view.ts";
import type { FeedOptions } from "../../core/api/calls.ts";
import { FeedHub } from "../../core/api/feedHub.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { NewTransition, Transition } from "../../core/ports/store.ts";
import { sampleTransition } from "../../core/store/testkit/samples.ts";
import { makeTarget } from "../factories/view.ts";

/** Older changes are forgotten, as retention does, so that an endurance run does not fill the memory. */
const MAX_HISTORY = 1_000;

const unavailable = () => new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon is gone");

export interface FakeFeedOptions {
  now?: () => number;
  /** True: subscriptions of the feed fail until `resume` is called. */
  startsDown?: boolean;
}

export class FakeFeed {
  /** What the feed was asked for, again and again. */
  readonly feedRequests: FeedOptions[] = [];
  protected readonly now: () => number;
  private readonly paneViews = new Map<string, PaneView>();
  private targetViews: TargetView[] = [makeTarget()];
  /** Of the last change; rows of the beginning bring theirs. */
  private version: number;
  private history: Transition[] = [];
  private readonly listeners = new Set<(changes: readonly FeedChange[]) => void>();
  private readonly hub: FeedHub;
  private life = new AbortController();

  constructor(panes: readonly PaneView[], options: FakeFeedOptions) {
    this.now = options.now ?? (() => Date.now());
    for (const pane of panes) this.paneViews.set(pane.identity.pane_ref, pane);
    this.version = Math.max(1, ...panes.map((pane) => pane.state_version));
    if (options.startsDown === true) this.life.abort();
    this.hub = new FeedHub({
      version: () => this.version,
      now: this.now,
      rows: (all) => this.rows().filter((pane) => all || pane.state !== null),
      targets: () => this.targetViews,
      summary: rollUp,
      transitionsAfter: (version, limit) =>
        this.history.filter((one) => one.version > version).slice(0, limit),
      oldestVersion: () => this.history[0]?.version ?? this.version + 1,
      firstVersionSince: (at) => this.history.find((one) => one.at >= at)?.version ?? null,
      onChanges: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
    });
  }

  get feedClients(): number {
    return this.hub.clientCount;
  }

  /** Adds or changes a row, as an event of an agent does. */
  put(pane: PaneView): void {
    const previousState = this.paneViews.get(pane.identity.pane_ref)?.state ?? null;
    const version = this.remember({ view: pane, previousState });
    const row = { ...pane, state_version: version };
    this.paneViews.set(pane.identity.pane_ref, row);
    this.tell({ kind: "pane", version, at: this.now(), pane: row, previousState, isTransition: true });
  }

  /** A row comes to show more, without a change of state. @throws AgtmuxError E_REF_NOT_FOUND */
  refine(paneRef: string, more: Partial<PaneView>): void {
    const pane = { ...this.find(paneRef), ...more };
    this.paneViews.set(paneRef, pane);
    const { version } = this;
    this.tell({
      kind: "pane",
      version,
      at: this.now(),
      pane,
      previousState: pane.state,
      isTransition: false,
    });
  }

  /** @throws AgtmuxError E_REF_NOT_FOUND */
  remove(paneRef: string): void {
    const pane = this.find(paneRef);
    this.paneViews.delete(paneRef);
    const version = this.remember({
      view: pane,
      previousState: pane.state,
      resolution: null,
      end: "exited",
    });
    this.tell({ kind: "removed", version, at: this.now(), identity: pane.identity });
  }

  /** Tells of these; of those that are no longer there it tells whoever asks again. */
  setTargets(targets: readonly TargetView[]): void {
    this.targetViews = [...targets];
    for (const target of targets)
      this.tell({ kind: "target", version: this.version, at: this.now(), target });
  }

  /** Replaces everything and tells readers with a gap and a snapshot. */
  reset(panes: readonly PaneView[], targets: readonly TargetView[] = this.targetViews): void {
    this.paneViews.clear();
    for (const pane of panes) this.paneViews.set(pane.identity.pane_ref, pane);
    this.targetViews = [...targets];
    this.version += 1;
    this.history = [];
    this.tell({ kind: "reset", version: this.version, at: this.now(), reason: "reset" });
  }

  /** Cuts every feed and refuses new ones until `resume`. */
  goDown(): void {
    this.life.abort();
  }
  resume(): void {
    this.life = new AbortController();
  }

  feed(options: FeedOptions, signal: AbortSignal): AsyncIterable<FeedEntry> {
    this.feedRequests.push(options);
    if (this.life.signal.aborted) throw unavailable();
    return this.follow(options, signal, this.life.signal);
  }

  targets(): TargetView[] {
    return this.targetViews;
  }

  /** Those without an agent too. */
  protected rows(): PaneView[] {
    return [...this.paneViews.values()];
  }

  /** By `pane:` or `runtime:` reference. @throws AgtmuxError E_REF_NOT_FOUND */
  protected find(ref: string): PaneView {
    const pane =
      this.paneViews.get(ref) ?? this.rows().find(({ identity }) => `runtime:${identity.runtime_id}` === ref);
    if (pane === undefined) throw new AgtmuxError("E_REF_NOT_FOUND", `nothing is at ${ref}`);
    return pane;
  }

  private async *follow(
    options: FeedOptions,
    signal: AbortSignal,
    life: AbortSignal,
  ): AsyncGenerator<FeedEntry> {
    yield* this.hub.subscribe(options, AbortSignal.any([signal, life]));
    if (life.aborted && !signal.aborted) throw unavailable();
  }

  private tell(change: FeedChange): void {
    for (const listener of this.listeners) listener([change]);
  }

  /** Gives the version of the change. */
  private remember(change: Pick<NewTransition, "view" | "previousState"> & Partial<NewTransition>): number {
    this.version += 1;
    const runtimeId = change.view.identity.runtime_id ?? "none";
    const transition = sampleTransition({ runtimeId, at: this.now(), ...change });
    this.history.push({ ...transition, version: this.version });
    if (this.history.length > MAX_HISTORY) this.history.shift();
    return this.version;
  }
}
