// Holds the feed's state for React. Entries are gathered and shown together at the next frame, so that a storm of changes
// costs one rendering; while the popover is hidden nothing is rendered at all, and no frame is asked for.
import type { FeedEntry } from "../../core/model/view.ts";
import { applyEntries, INITIAL_FEED_STATE, markLost, type FeedState } from "../../ui/lists/feedReducer.ts";
import { Store } from "./store.ts";

export interface FeedStoreDeps {
  now(): number;
  isVisible(): boolean;
  /** Runs the callback soon, once; returns a cancel function. */
  schedule(callback: () => void): () => void;
}

/** More entries than this are folded without waiting for a frame, which may never come. */
const PENDING_LIMIT = 500;

export class FeedStore extends Store<FeedState> {
  private readonly deps: FeedStoreDeps;
  private pending: FeedEntry[] = [];
  private cancelFrame: (() => void) | null = null;
  private lastVersion: number | null = null;

  constructor(deps: FeedStoreDeps) {
    super(INITIAL_FEED_STATE);
    this.deps = deps;
  }

  /** Feed version of the last entry; null before the first. A gap does not count: what follows it may not have arrived. */
  get version(): number | null {
    return this.lastVersion;
  }

  push(entry: FeedEntry): void {
    if (entry.kind !== "gap") this.lastVersion = entry.version;
    // A snapshot replaces everything before it.
    if (entry.kind === "snapshot") this.pending = [];
    this.pending.push(entry);
    if (this.pending.length > PENDING_LIMIT) this.fold();
    this.scheduleFlush();
  }

  lose(message: string, retryAt: number | null): void {
    this.fold();
    this.setQuietly(markLost(this.getState(), message, retryAt));
    this.scheduleFlush();
  }

  /** Shows the waiting entries without waiting for a frame. To be called when the popover was shown, and when it was hidden. */
  readonly flush = (): void => {
    this.cancelFrame?.();
    this.cancelFrame = null;
    this.fold();
    this.notify();
  };

  private fold(): void {
    this.setQuietly(applyEntries(this.getState(), this.pending, this.deps.now()));
    this.pending = [];
  }

  private scheduleFlush(): void {
    if (this.cancelFrame !== null || !this.deps.isVisible()) return;
    this.cancelFrame = this.deps.schedule(this.flush);
  }
}
