// The feed of a daemon as one client receives it: when a row that is waited for arrives.
import type { FeedEntry, PaneView } from "../core/model/view.ts";
import type { DaemonClient } from "../core/rpc/socketClient.ts";

const LIMIT_MS = 15_000;

/** Follows the whole feed of a daemon until it is closed. */
export class FeedWatch {
  private readonly waiting = new Set<(entry: FeedEntry, at: number) => void>();
  private readonly abort = new AbortController();
  private readonly done: Promise<void>;

  constructor(client: Pick<DaemonClient, "feed">) {
    this.done = this.follow(client);
    // A feed that breaks is reported when it is closed, and by rows that do not arrive.
    this.done.catch(() => {});
  }

  private async follow(client: Pick<DaemonClient, "feed">): Promise<void> {
    for await (const entry of client.feed({ since: null, sinceTime: null, all: true }, this.abort.signal)) {
      const at = performance.now();
      for (const listener of this.waiting) listener(entry, at);
    }
  }

  /** Resolves with the time (performance.now) at which the first matching row arrived. Call it before the cause. */
  next(isWanted: (pane: PaneView) => boolean): Promise<number> {
    return this.nextEntry((entry) => entry.kind === "state" && isWanted(entry.pane));
  }

  /** The same for a pane that is left without its agent. */
  nextGone(paneId: string): Promise<number> {
    return this.nextEntry(
      (entry) =>
        entry.kind === "state" &&
        entry.pane.identity.pane_id === paneId &&
        entry.pane.identity.runtime_id === null,
    );
  }

  private nextEntry(isWanted: (entry: FeedEntry) => boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.waiting.delete(listener);
        reject(new Error(`nothing arrived within ${LIMIT_MS} ms`));
      }, LIMIT_MS);
      const listener = (entry: FeedEntry, at: number): void => {
        if (!isWanted(entry)) return;
        clearTimeout(limit);
        this.waiting.delete(listener);
        resolve(at);
      };
      this.waiting.add(listener);
    });
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.done;
  }
}
