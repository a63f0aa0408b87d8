// Folds the change feed into what the popover shows. Pure: the same entries give the same state, in whatever batches.
import type { FeedEntry, PaneView, TargetView } from "../../core/model/view.ts";

export type Connection =
  | { kind: "loading" }
  | { kind: "live" }
  /** `retryAt`: epoch ms on the browser's clock; null while nothing is planned. */
  | { kind: "lost"; message: string; retryAt: number | null };

export interface FeedState {
  /** By pane reference. */
  readonly panes: ReadonlyMap<string, PaneView>;
  readonly targets: ReadonlyMap<string, TargetView>;
  readonly connection: Connection;
  /** False until the first snapshot: nothing is known yet, which is not the same as nothing there. */
  readonly hasSnapshot: boolean;
  /** Daemon's clock minus the browser's, in milliseconds: ages are right behind `ssh -L` too. */
  readonly clockOffsetMs: number;
  /** Panes that began to need a person since the last batch; for the live region. */
  readonly newWaits: readonly PaneView[];
}

export const INITIAL_FEED_STATE: FeedState = {
  panes: new Map(),
  targets: new Map(),
  connection: { kind: "loading" },
  hasSnapshot: false,
  clockOffsetMs: 0,
  newWaits: [],
};

interface Draft {
  panes: Map<string, PaneView>;
  targets: Map<string, TargetView>;
  hasSnapshot: boolean;
}

const applyEntry = (draft: Draft, entry: FeedEntry): void => {
  switch (entry.kind) {
    case "snapshot":
      draft.panes = new Map(entry.panes.map((pane) => [pane.identity.pane_ref, pane]));
      draft.targets = new Map(entry.targets.map((target) => [target.target, target]));
      draft.hasSnapshot = true;
      return;
    case "state":
      draft.panes.set(entry.pane.identity.pane_ref, entry.pane);
      return;
    case "removed": {
      const shown = draft.panes.get(entry.pane_ref);
      // A newer agent may have taken the pane over before the end of the older one was told.
      if (entry.runtime_id === null || shown?.identity.runtime_id === entry.runtime_id)
        draft.panes.delete(entry.pane_ref);
      return;
    }
    case "target":
      draft.targets.set(entry.target.target, entry.target);
      return;
    case "gap":
      // A snapshot follows.
      return;
  }
};

const findNewWaits = (before: FeedState, panes: ReadonlyMap<string, PaneView>): PaneView[] =>
  before.hasSnapshot
    ? [...panes.values()].filter(
        (pane) => pane.needs_action && before.panes.get(pane.identity.pane_ref)?.needs_action !== true,
      )
    : [];

/** Applies a batch. `receivedAt` is epoch ms on the browser's clock. */
export const applyEntries = (
  state: FeedState,
  entries: readonly FeedEntry[],
  receivedAt: number,
): FeedState => {
  const last = entries.at(-1);
  if (last === undefined) return state;
  const draft: Draft = {
    panes: new Map(state.panes),
    targets: new Map(state.targets),
    hasSnapshot: state.hasSnapshot,
  };
  for (const entry of entries) applyEntry(draft, entry);
  return {
    ...draft,
    connection: { kind: "live" },
    clockOffsetMs: last.at - receivedAt,
    newWaits: findNewWaits(state, draft.panes),
  };
};

/** The connection broke: what is shown stays, marked as old. */
export const markLost = (state: FeedState, message: string, retryAt: number | null): FeedState => ({
  ...state,
  connection: { kind: "lost", message, retryAt },
  newWaits: [],
});
