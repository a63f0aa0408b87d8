// Ignores keys after an input was refused. The person may still be typing into what was refused, and each letter is also the
// key of an action. Keys work again once the person moves on purpose.
import { Store } from "./store.ts";

/** Keys that are no part of a text. */
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

  /** Whether the key may act; a key that moves ends the hold. */
  lets(key: string): boolean {
    if (MOVES.has(key)) this.release();
    return !this.isHeld();
  }
}
