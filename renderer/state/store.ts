// A value that changes, for those who listen: the one helper that all stores are made of, and how React reads it.
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

  /** Listeners are told of changes only, in the order in which they came. */
  set(value: T): void {
    if (this.value === value) return;
    this.value = value;
    this.notify();
  }

  /** Changes the value and tells nobody until `notify`. */
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

/** What a store holds, or the part of it that a component shows: it is drawn again when that is another one. */
export function useStore<T>(store: Readable<T>): T;
export function useStore<T, Part>(store: Readable<T>, select: (state: T) => Part): Part;
export function useStore<T>(store: Readable<T>, select?: (state: T) => unknown): unknown {
  return useSyncExternalStore(store.subscribe, () => {
    const state = store.getState();
    return select === undefined ? state : select(state);
  });
}
