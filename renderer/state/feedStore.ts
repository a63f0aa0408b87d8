// The feed of the page: `FeedConnection` keeps one subscription open while the popover is visible, `FeedStore` holds its state for
// React. Entries are shown together at the next frame, so that a storm of changes costs one rendering; while the popover is hidden
// nothing is rendered and no frame is requested.
import type { FeedEntry } from "../../core/model/view.ts";
import { applyEntries, INITIAL_FEED_STATE, markLost, type FeedState } from "../../ui/lists/feedReducer.ts";
import { Store } from "./store.ts";

export interface FeedSubscription {
  unsubscribe(): void;
}

export interface FeedConnectionDeps<T> {
  subscribe(handlers: {
    onData: (value: T) => void;
    onError: (error: unknown) => void;
    onComplete: () => void;
  }): FeedSubscription;
  onEntry: (entry: T) => void;
  onLost: (error: unknown, retryInMs: number) => void;
  /** Calls back once; returns a cancel function. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

interface Attempt {
  /** After this, its reports are ignored. */
  isOver: boolean;
  subscription: FeedSubscription | null;
}

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 15_000;

/** Passes entries on; subscribes again after a failure, with growing pauses. Hidden, it has neither subscription nor timer. */
export class FeedConnection<T> {
  private readonly deps: FeedConnectionDeps<T>;
  private attempt: Attempt | null = null;
  private cancelTimer: (() => void) | null = null;
  private failures = 0;

  constructor(deps: FeedConnectionDeps<T>) {
    this.deps = deps;
  }

  /** To be called when the popover is shown, and when the person asks: a pause under way ends now. */
  open(): void {
    if (this.attempt !== null) return;
    this.stopWaiting();
    const attempt: Attempt = { isOver: false, subscription: null };
    this.attempt = attempt;
    const end = (error: unknown) => {
      if (attempt.isOver) return;
      attempt.isOver = true;
      this.attempt = null;
      this.handleLoss(error);
    };
    const subscription = this.deps.subscribe({
      onData: (value) => {
        if (attempt.isOver) return;
        this.failures = 0;
        this.deps.onEntry(value);
      },
      onError: end,
      onComplete: () => end(new Error("The daemon ended the connection")),
    });
    // The attempt may have failed already.
    if (attempt.isOver) subscription.unsubscribe();
    else attempt.subscription = subscription;
  }

  /** Ends the pause before the next attempt, if there is one. */
  retryNow(): void {
    if (this.cancelTimer !== null) this.open();
  }

  /** To be called when the popover is hidden: closes everything and plans nothing. It can be opened again. */
  close(): void {
    this.stopWaiting();
    const { attempt } = this;
    this.attempt = null;
    if (attempt === null) return;
    attempt.isOver = true;
    attempt.subscription?.unsubscribe();
  }

  private stopWaiting(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }

  private handleLoss(error: unknown): void {
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.failures, LAST_DELAY_MS);
    this.failures += 1;
    this.cancelTimer = this.deps.setTimer(delayMs, () => this.open());
    this.deps.onLost(error, delayMs);
  }
}

/** More entries than this are folded without waiting for a frame, which may never come. */
const PENDING_LIMIT = 500;

export class FeedStore extends Store<FeedState> {
  private readonly deps: ConstructorParameters<typeof FeedStore>[0];
  private pending: FeedEntry[] = [];
  private cancelFrame: (() => void) | null = null;
  private lastVersion: number | null = null;

  constructor(deps: {
    now(): number;
    isVisible(): boolean;
    /** Runs the callback soon, once; returns a cancel function. */
    schedule(callback: () => void): () => void;
  }) {
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
