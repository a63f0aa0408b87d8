// A value with listeners: all stores are made from this one helper, and React reads them through it.
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

  /** Listeners are told only of changes, in the order in which they subscribed. */
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

/** The value of a store, or the part of it that a component shows; the component is drawn again when that changes. */
export function useStore<T>(store: Readable<T>): T;
export function useStore<T, Part>(store: Readable<T>, select: (state: T) => Part): Part;
export function useStore<T>(store: Readable<T>, select?: (state: T) => unknown): unknown {
  return useSyncExternalStore(store.subscribe, () => {
    const state = store.getState();
    return select === undefined ? state : select(state);
  });
}
