// Holds keys back after something refused an input: whoever types on means what was refused, and each letter is the key of
// something else. They count again once the person moves on purpose.

/** Keys that no text has in it. */
const MOVES: ReadonlySet<string> = new Set([
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "Tab",
  "Escape",
]);

export class KeyHold {
  private held = false;
  private readonly listeners = new Set<() => void>();

  readonly isHeld = (): boolean => this.held;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly hold = (): void => this.set(true);
  readonly release = (): void => this.set(false);

  /** Whether the key may do what it is for; one that moves lets go. */
  lets(key: string): boolean {
    if (MOVES.has(key)) this.release();
    return !this.held;
  }

  private set(held: boolean): void {
    if (this.held === held) return;
    this.held = held;
    for (const listener of this.listeners) listener();
  }
}
