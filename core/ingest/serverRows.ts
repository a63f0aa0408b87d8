// The rows of one tmux server, in the order of lists. Rows that did not change since the last list are only compared by
// reference, not looked up or sorted again: with ten thousand panes the rows themselves no longer fit the processor's caches,
// and every look into each of them costs more than all else.
import { byPlace } from "../engine/byPlace.ts";
import type { Pane } from "../model/runtime.ts";
import type { PaneView } from "../model/view.ts";
import type { RuntimeEntry } from "./liveState.ts";

export interface ServerRowsSource {
  targetName: string;
  panes: ReadonlyMap<string, Pane>;
  /** Live runtimes by pane id. */
  live: ReadonlyMap<string, RuntimeEntry>;
  /** The row of a pane as if it had no agent. */
  ofPane: (pane: Pane) => PaneView;
  ofLive: (entry: RuntimeEntry, pane: Pane) => PaneView;
}

interface Live {
  entry: RuntimeEntry;
  pane: Pane;
  /** Where its row stands among those of all panes. */
  at: number;
}

const isSame = <T>(known: readonly T[], now: Iterable<T>): boolean => {
  let at = 0;
  for (const one of now) if (known[at++] !== one) return false;
  return at === known.length;
};

export class ServerRows {
  private targetName: string | null = null;
  private panes: readonly Pane[] = [];
  private entries: readonly RuntimeEntry[] = [];
  /** Rows as if no pane had an agent, in order. */
  private bare: readonly PaneView[] = [];
  /** In the order of their rows. */
  private live: readonly Live[] = [];

  /** Rows in order; panes without an agent included when asked for. */
  list(source: ServerRowsSource, all: boolean): PaneView[] {
    const { ofLive } = source;
    this.follow(source);
    if (!all) return this.live.map(({ entry, pane }) => ofLive(entry, pane));
    const rows = this.bare.slice();
    for (const { entry, pane, at } of this.live) rows[at] = ofLive(entry, pane);
    return rows;
  }

  private follow({ targetName, panes, live, ofPane }: ServerRowsSource): void {
    const isPlaced = this.targetName === targetName && isSame(this.panes, panes.values());
    if (isPlaced && isSame(this.entries, live.values())) return;
    if (!isPlaced) {
      this.targetName = targetName;
      this.panes = [...panes.values()];
      this.bare = this.panes.map(ofPane).toSorted(byPlace);
    }
    this.entries = [...live.values()];
    this.live = this.bare.flatMap(({ identity: { pane_id } }, at) => {
      const [entry, pane] = [live.get(pane_id), panes.get(pane_id)];
      return entry === undefined || pane === undefined ? [] : [{ entry, pane, at }];
    });
  }
}
