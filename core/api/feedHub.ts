// The change feed (`FeedHub`): a snapshot first, or the stored transitions since a version, then every change. Versions are those
// of the state_transitions table, so that a client resumes after a restart of either end. Also what it is made of: a bounded queue,
// and which rows changed since a version. No state is decided here.
import type { FeedChange, PaneView, Counts, FeedEntry, TargetView } from "../model/view.ts";
import type { Transition } from "../ports/store.ts";
import type { FeedOptions } from "./calls.ts";

/** From callbacks to one async consumer. A slow one gets 'overflow' instead of what waited, so that memory stays bounded. */
export class AsyncQueue<T> implements AsyncIterable<T | "overflow"> {
  private items: T[] = [];
  private isOverflown = false;
  private wake: (() => void) | null = null;
  private readonly signal: AbortSignal;
  private readonly limit: number;

  constructor(options: { signal: AbortSignal; limit: number }) {
    this.signal = options.signal;
    this.limit = options.limit;
    this.signal.addEventListener("abort", () => this.wake?.(), { once: true });
  }

  push(item: T): void {
    if (this.items.length >= this.limit) {
      this.items = [];
      this.isOverflown = true;
    }
    if (!this.isOverflown) this.items.push(item);
    this.wake?.();
  }

  /** Ends when the signal aborts. Yields "overflow" where items were lost. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T | "overflow"> {
    while (!this.signal.aborted) {
      if (this.isOverflown) {
        this.isOverflown = false;
        this.items = [];
        yield "overflow";
        continue;
      }
      const item = this.items.shift();
      if (item !== undefined) {
        yield item;
        continue;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wake = null;
    }
  }
}

/** Rows that are gone are remembered too: this many in all. */
const MAX_ROWS = 10_000;

/** `identity`: the row's identity at that change. */
export interface RecentChange {
  readonly version: number;
  readonly identity: PaneView["identity"];
}

/** For clients that were away: the rows that changed since a version, by place and without content. Null beyond its memory. */
export class RecentChanges {
  /** Rows by reference. */
  private readonly changes = new Map<string, RecentChange>();
  /** Changes up to and including this version are not known individually. */
  private floor: number;

  /** `version`: the version from which on it receives changes. */
  constructor(version: number) {
    this.floor = version;
  }

  note(changes: readonly FeedChange[]): void {
    for (const change of changes) this.noteOne(change);
  }

  /**
   * The rows that may have changed after a client saw `version`, in the order of their last change; null when that is not
   * known. A row of that very version is included, because a change without a transition keeps the version before it.
   */
  since(version: number): readonly RecentChange[] | null {
    if (version <= this.floor) return null;
    return [...this.changes.values()].filter((change) => change.version >= version);
  }

  private noteOne(change: FeedChange): void {
    switch (change.kind) {
      case "pane":
        this.put(change.pane.identity, change.version);
        return;
      case "removed":
        this.put(change.identity, change.version);
        return;
      case "target":
        // A client that comes back gets all targets anyway.
        return;
      case "target_removed":
      case "reset":
        this.forget(change.version);
        return;
    }
  }

  private put(identity: PaneView["identity"], version: number): void {
    const ref = identity.pane_ref;
    if (this.changes.size >= MAX_ROWS && !this.changes.has(ref)) this.forget(version);
    // Moved to the end, so that the order is that of the changes.
    this.changes.delete(ref);
    this.changes.set(ref, { version, identity });
  }

  private forget(version: number): void {
    this.floor = version;
    this.changes.clear();
  }
}

/** Where the feed takes its rows and its history from. */
interface FeedSource {
  version(): number;
  now(): number;
  rows(all: boolean): PaneView[];
  targets(): TargetView[];
  summary(rows: readonly PaneView[]): Counts;
  transitionsAfter(version: number, limit: number): Transition[];
  oldestVersion(): number;
  firstVersionSince(at: number): number | null;
  onChanges(listener: (changes: readonly FeedChange[]) => void): () => void;
}

const QUEUE_LIMIT = 5_000;
const PAGE = 500;
/** If more rows than this changed, a snapshot is sent, which is shorter. */
const MAX_LATEST = 100;

type EntryChange = Exclude<FeedChange, { kind: "target_removed" | "reset" }>;

const removal = (version: number, at: number, identity: PaneView["identity"]): FeedEntry => ({
  kind: "removed",
  version,
  at,
  pane_ref: identity.pane_ref,
  runtime_id: identity.runtime_id,
  identity,
});

const toEntry = (change: EntryChange): FeedEntry => {
  switch (change.kind) {
    case "pane":
      return {
        kind: "state",
        version: change.version,
        at: change.at,
        pane: change.pane,
        previous_state: change.previousState,
      };
    case "removed":
      return removal(change.version, change.at, change.identity);
    case "target":
      return { kind: "target", version: change.version, at: change.at, target: change.target };
  }
};

/** `now`: the present rows by their version. A stored prompt cannot be answered; the one in the present row can. */
const fromTransition = (transition: Transition, now: ReadonlyMap<number, PaneView>): FeedEntry => {
  const { view, version, at } = transition;
  const present = now.get(version);
  if (present !== undefined && transition.resolution !== null)
    return { kind: "state", version, at, pane: present, previous_state: transition.previousState };
  return transition.resolution === null
    ? removal(version, at, { ...view.identity, runtime_id: transition.runtimeId })
    : {
        kind: "state",
        version,
        at,
        pane: { ...view, state_version: version },
        previous_state: transition.previousState,
      };
};

/** Counts the surfaces that draw rows for a person just now. */
class ShownRows {
  private readonly listeners = new Set<(areShown: boolean) => void>();
  private surfaces = 0;

  onChange(listener: (areShown: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  show(): () => void {
    this.count(1);
    return () => this.count(-1);
  }

  private count(more: 1 | -1): void {
    const wereShown = this.surfaces > 0;
    this.surfaces += more;
    const areShown = this.surfaces > 0;
    if (areShown !== wereShown) for (const listener of this.listeners) listener(areShown);
  }
}

export class FeedHub {
  private readonly source: FeedSource;
  private readonly recent: RecentChanges;
  private clients = 0;
  private readonly showing = new ShownRows();

  constructor(source: FeedSource) {
    this.source = source;
    this.recent = new RecentChanges(source.version());
    source.onChanges((changes) => this.recent.note(changes));
  }

  get clientCount(): number {
    return this.clients;
  }

  /** Called when the first surface begins to draw rows for a person, and when the last ends. Returns the unsubscribe function. */
  onShown(listener: (areShown: boolean) => void): () => void {
    return this.showing.onChange(listener);
  }

  private snapshot(all: boolean): FeedEntry {
    const panes = this.source.rows(all);
    return {
      kind: "snapshot",
      version: this.source.version(),
      at: this.source.now(),
      panes,
      targets: this.source.targets(),
      summary: this.source.summary(panes),
    };
  }

  private *history(since: number): Generator<FeedEntry> {
    const now = new Map(this.source.rows(false).map((pane) => [pane.state_version, pane]));
    let version = since;
    for (;;) {
      const page = this.source.transitionsAfter(version, PAGE);
      for (const transition of page) yield fromTransition(transition, now);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      version = last.version;
    }
  }

  /** A `since` older than the stored history gives a `gap` and a snapshot. Rows without an agent come only with `all`. */
  async *subscribe(options: FeedOptions, signal: AbortSignal): AsyncGenerator<FeedEntry> {
    const queue = new AsyncQueue<FeedEntry>({ signal, limit: QUEUE_LIMIT });
    const isWanted = (change: EntryChange) =>
      options.all || change.kind !== "pane" || change.pane.state !== null;
    const unsubscribe = this.source.onChanges((changes) => {
      for (const change of changes) {
        if (change.kind !== "target_removed" && change.kind !== "reset") {
          if (isWanted(change)) queue.push(toEntry(change));
          continue;
        }
        const { version, at } = change;
        const reason = change.kind === "reset" ? change.reason : "a target was removed";
        queue.push({ kind: "gap", version, at, reason });
        queue.push(this.snapshot(options.all));
      }
    });
    this.clients += 1;
    const hide = options.shown === true ? this.showing.show() : () => {};
    try {
      yield* this.opening(options);
      for await (const entry of queue) {
        if (entry !== "overflow") {
          yield entry;
          continue;
        }
        yield {
          kind: "gap",
          version: this.source.version(),
          at: this.source.now(),
          reason: "the client was too slow",
        };
        yield this.snapshot(options.all);
      }
    } finally {
      this.clients -= 1;
      hide();
      unsubscribe();
    }
  }

  /** The rows that changed since, then the targets, so that a client for whom nothing changed also gets an entry. */
  private *latest(since: number, all: boolean): Generator<FeedEntry> {
    const version = this.source.version();
    const changed = since > version ? null : this.recent.since(since);
    if (changed === null || changed.length > MAX_LATEST) {
      yield this.snapshot(all);
      return;
    }
    const rows = new Map(this.source.rows(all).map((pane) => [pane.identity.pane_ref, pane]));
    const at = this.source.now();
    for (const { version: changedAt, identity } of changed) {
      const pane = rows.get(identity.pane_ref);
      // Whichever agent was in the pane, there is none now.
      yield pane === undefined
        ? removal(changedAt, at, { ...identity, runtime_id: null })
        : { kind: "state", version: changedAt, at, pane, previous_state: null };
    }
    for (const target of this.source.targets()) yield { kind: "target", version, at, target };
  }

  private *opening(options: FeedOptions): Generator<FeedEntry> {
    if (options.latest === true && options.since !== null) {
      yield* this.latest(options.since, options.all);
      return;
    }
    const byTime =
      options.sinceTime === null
        ? null
        : (this.source.firstVersionSince(options.sinceTime) ?? this.source.version() + 1) - 1;
    const since = options.since ?? byTime;
    if (since === null) {
      yield this.snapshot(options.all);
      return;
    }
    const oldest = this.source.oldestVersion();
    if (since > this.source.version() || (oldest > 0 && since < oldest - 1)) {
      yield {
        kind: "gap",
        version: this.source.version(),
        at: this.source.now(),
        reason:
          since > this.source.version()
            ? "the version is newer than this history"
            : "older changes are no longer stored",
      };
      yield this.snapshot(options.all);
      return;
    }
    yield* this.history(since);
  }
}
