// Whether somebody can see the popover. Everything that ticks, asks or follows stops while nobody can.

export class Visibility {
  private visible: boolean;
  private readonly listeners = new Set<() => void>();

  constructor(isVisible: boolean) {
    this.visible = isVisible;
  }

  readonly isVisible = (): boolean => this.visible;

  /** Listeners are told of changes only, in the order in which they came. */
  set(isVisible: boolean): void {
    if (this.visible === isVisible) return;
    this.visible = isVisible;
    for (const listener of this.listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}
