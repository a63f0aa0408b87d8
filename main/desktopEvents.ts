// Events from the app to its page: whether it is visible, and which view to show. A page that does not listen yet gets the last
// request as soon as it does. If a page ends while a request is on its way to it, the next page gets it.
import type { DesktopEvent, DesktopViewName } from "../core/model/desktop.ts";

export class DesktopEvents {
  private isVisible = false;
  private wish: DesktopViewName | null = null;
  private readonly listeners = new Set<(event: DesktopEvent) => void>();

  setVisible(isVisible: boolean): void {
    if (this.isVisible === isVisible) return;
    this.isVisible = isVisible;
    this.emit({ kind: "visibility", isVisible });
  }

  get isPageVisible(): boolean {
    return this.isVisible;
  }

  go(view: DesktopViewName): void {
    if (this.listeners.size === 0) this.wish = view;
    else this.emit({ kind: "go", view });
  }

  /** Begins with the present visibility; ends with the signal. */
  async *subscribe(signal: AbortSignal): AsyncGenerator<DesktopEvent> {
    const waiting: DesktopEvent[] = [{ kind: "visibility", isVisible: this.isVisible }];
    if (this.wish !== null) waiting.push({ kind: "go", view: this.wish });
    this.wish = null;
    let wake: () => void = () => {};
    const listener = (event: DesktopEvent): void => {
      waiting.push(event);
      wake();
    };
    // Stops listening at once, because a request after the end is for the next page.
    const leave = (): void => {
      if (!this.listeners.delete(listener)) return;
      for (const event of waiting.splice(0)) if (event.kind === "go") this.go(event.view);
      wake();
    };
    this.listeners.add(listener);
    signal.addEventListener("abort", leave, { once: true });
    try {
      while (!signal.aborted) {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
        if (signal.aborted) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      leave();
    }
  }

  private emit(event: DesktopEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
