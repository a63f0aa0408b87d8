// A clock that ticks with every full second while somebody looks: one timer for everything that shows a time, and only what
// is drawn listens to it.

export interface TickingClockDeps {
  now(): number;
  isVisible(): boolean;
}

const TICK_MS = 1_000;

export class TickingClock {
  private readonly deps: TickingClockDeps;
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private at: number;

  constructor(deps: TickingClockDeps) {
    this.deps = deps;
    this.at = deps.now();
  }

  /** Epoch ms of the last tick. */
  readonly getNow = (): number => this.at;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.update();
    return () => {
      this.listeners.delete(listener);
      this.update();
    };
  };

  /** True while a timer runs. */
  get isTicking(): boolean {
    return this.timer !== null;
  }

  /** To be called when the visibility changed: starts or stops ticking. */
  update(): void {
    const shouldTick = this.listeners.size > 0 && this.deps.isVisible();
    if (shouldTick && this.timer === null) this.tick();
    if (!shouldTick && this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
    }
  }

  private tick(): void {
    this.at = this.deps.now();
    this.timer = setTimeout(() => this.tick(), TICK_MS - (this.at % TICK_MS));
    for (const listener of this.listeners) listener();
  }
}
