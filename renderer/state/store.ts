// A value with listeners, from which all stores are made and through which React reads them; and the clock that is such a store.
import { useSyncExternalStore } from "react";

export class Store<T> {
  private value: T;
  private readonly listeners = new Set<() => void>();

  constructor(value: T) {
    this.value = value;
  }

  readonly getState = (): T => this.value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.onListeners();
    return () => {
      this.listeners.delete(listener);
      this.onListeners();
    };
  };

  /** Listeners are called only for changes, in the order in which they subscribed. */
  set(value: T): void {
    if (this.value === value) return;
    this.value = value;
    this.notify();
  }

  /** Changes the value and calls no listener until `notify`. */
  protected setQuietly(value: T): void {
    this.value = value;
  }

  protected notify(): void {
    for (const listener of this.listeners) listener();
  }

  protected get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  /** For stores that work only while somebody listens. */
  protected onListeners(): void {}
}

type Readable<T> = Pick<Store<T>, "getState" | "subscribe">;

/** The value of a store, or the part of it that a component shows; the component is drawn again when that changes. */
export function useStore<T>(store: Readable<T>): T;
export function useStore<T, Part>(store: Readable<T>, select: (state: T) => Part): Part;
export function useStore<T>(store: Readable<T>, select?: (state: T) => unknown): unknown {
  return useSyncExternalStore(store.subscribe, () => {
    const state = store.getState();
    return select === undefined ? state : select(state);
  });
}

const TICK_MS = 1_000;

/** Epoch ms of the last tick, one each full second while the popover is visible: one timer for everything that shows a time. */
export class TickingClock extends Store<number> {
  private readonly deps: ConstructorParameters<typeof TickingClock>[0];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(deps: { now(): number; isVisible(): boolean }) {
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
