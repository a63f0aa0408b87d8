// Keeps one feed open: subscribes, passes entries on, and after a failure tries again with growing pauses. While the
// popover is hidden nothing is retried; showing it tries at once.

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
  /** `retryInMs` null: waits until the popover is shown. */
  onLost: (error: unknown, retryInMs: number | null) => void;
  /** Calls back once; returns a cancel function. */
  setTimer(delayMs: number, callback: () => void): () => void;
  isVisible(): boolean;
}

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 15_000;

export class FeedConnection<T> {
  private readonly deps: FeedConnectionDeps<T>;
  private subscription: FeedSubscription | null = null;
  private cancelTimer: (() => void) | null = null;
  private failures = 0;
  private isWaiting = false;
  private isClosed = false;

  constructor(deps: FeedConnectionDeps<T>) {
    this.deps = deps;
  }

  open(): void {
    if (this.isClosed || this.subscription !== null) return;
    this.isWaiting = false;
    this.cancelTimer?.();
    this.cancelTimer = null;
    // An attempt has one end: whatever it reports after that is ignored.
    let isOver = false;
    const end = (error: unknown) => {
      if (isOver) return;
      isOver = true;
      this.subscription = null;
      this.handleLoss(error);
    };
    const subscription = this.deps.subscribe({
      onData: (value) => {
        if (isOver) return;
        this.failures = 0;
        this.deps.onEntry(value);
      },
      onError: end,
      onComplete: () => end(new Error("The daemon ended the connection")),
    });
    if (isOver) subscription.unsubscribe();
    else this.subscription = subscription;
  }

  /** Tells that the popover was shown or the person asked: a pause under way ends now. */
  retryNow(): void {
    if (this.isWaiting) this.open();
  }

  close(): void {
    this.isClosed = true;
    this.cancelTimer?.();
    this.subscription?.unsubscribe();
    this.subscription = null;
  }

  private handleLoss(error: unknown): void {
    if (this.isClosed) return;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.failures, LAST_DELAY_MS);
    this.failures += 1;
    this.isWaiting = true;
    if (!this.deps.isVisible()) {
      this.deps.onLost(error, null);
      return;
    }
    this.cancelTimer = this.deps.setTimer(delayMs, () => this.open());
    this.deps.onLost(error, delayMs);
  }
}
