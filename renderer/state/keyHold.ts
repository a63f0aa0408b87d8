// Holds keys back after something refused an input: whoever types on means what was refused, and each letter is the key of
// something else. They count again once the person moves on purpose.
import { Store } from "./store.ts";

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

export class KeyHold extends Store<boolean> {
  constructor() {
    super(false);
  }

  readonly isHeld = this.getState;
  readonly hold = (): void => this.set(true);
  readonly release = (): void => this.set(false);

  /** Whether the key may do what it is for; one that moves lets go. */
  lets(key: string): boolean {
    if (MOVES.has(key)) this.release();
    return !this.isHeld();
  }
}
