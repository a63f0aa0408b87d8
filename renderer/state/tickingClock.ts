// A clock that ticks with every full second while somebody looks: one timer for everything that shows a time; only visible
// parts listen to it.
import { Store } from "./store.ts";

export interface TickingClockDeps {
  now(): number;
  isVisible(): boolean;
}

const TICK_MS = 1_000;

/** Epoch ms of the last tick. */
export class TickingClock extends Store<number> {
  private readonly deps: TickingClockDeps;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(deps: TickingClockDeps) {
    super(deps.now());
    this.deps = deps;
  }

  /** True while a timer runs. */
  get isTicking(): boolean {
    return this.timer !== null;
  }

  /** To be called when the visibility changed: starts or stops ticking. */
  update(): void {
    const shouldTick = this.hasListeners && this.deps.isVisible();
    if (shouldTick && this.timer === null) this.tick();
    if (!shouldTick && this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
    }
  }

  protected override onListeners(): void {
    this.update();
  }

  private tick(): void {
    const now = this.deps.now();
    this.timer = setTimeout(() => this.tick(), TICK_MS - (now % TICK_MS));
    this.set(now);
  }
}
