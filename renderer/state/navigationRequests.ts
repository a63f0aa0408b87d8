// Where the app's menu leads, until somebody goes there: a request that comes before the page has drawn anything is kept.
import type { DesktopViewName } from "../../core/model/desktop.ts";

export class NavigationRequests {
  private waiting: DesktopViewName | null = null;
  private listener: ((view: DesktopViewName) => void) | null = null;

  put(view: DesktopViewName): void {
    if (this.listener === null) this.waiting = view;
    else this.listener(view);
  }

  /** The one that goes there; it is told the last request that waits. Returns the function that stops it. */
  follow(listener: (view: DesktopViewName) => void): () => void {
    this.listener = listener;
    const { waiting } = this;
    this.waiting = null;
    if (waiting !== null) listener(waiting);
    return () => {
      if (this.listener === listener) this.listener = null;
    };
  }
}
