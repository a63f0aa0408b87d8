// Whether somebody can see the popover. Everything that ticks, asks or follows stops while nobody can.
import { Store } from "./store.ts";

export class Visibility extends Store<boolean> {
  readonly isVisible = this.getState;
}
