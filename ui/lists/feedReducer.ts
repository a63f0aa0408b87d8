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
  /** False until the first snapshot: nothing is known yet, which is different from an empty list. */
  readonly hasSnapshot: boolean;
  /** Daemon's clock minus the browser's, in milliseconds: ages are right behind `ssh -L` too. */
  readonly clockOffsetMs: number;
  /** Panes that began to need a person with the last batch; for the live region. */
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
  /** References of rows that came with this batch. */
  told: Set<string>;
  /** Replaced, never changed: it stays the same object while no target changes. */
  targets: ReadonlyMap<string, TargetView>;
  hasSnapshot: boolean;
}

const applyEntry = (draft: Draft, entry: FeedEntry): void => {
  switch (entry.kind) {
    case "snapshot":
      draft.panes = new Map(entry.panes.map((pane) => [pane.identity.pane_ref, pane]));
      draft.told = new Set(draft.panes.keys());
      draft.targets = new Map(entry.targets.map((target) => [target.target, target]));
      draft.hasSnapshot = true;
      return;
    case "state":
      draft.panes.set(entry.pane.identity.pane_ref, entry.pane);
      draft.told.add(entry.pane.identity.pane_ref);
      return;
    case "removed": {
      const shown = draft.panes.get(entry.pane_ref);
      // A newer agent may have taken the pane over before the end of the older one was reported.
      if (entry.runtime_id === null || shown?.identity.runtime_id === entry.runtime_id)
        draft.panes.delete(entry.pane_ref);
      return;
    }
    case "target": {
      // A client that resumes gets all targets, and most of them have not changed.
      const known = draft.targets.get(entry.target.target);
      if (known === undefined || JSON.stringify(known) !== JSON.stringify(entry.target))
        draft.targets = new Map(draft.targets).set(entry.target.target, entry.target);
      return;
    }
    case "gap":
      // A snapshot follows.
      return;
  }
};

const NONE: readonly never[] = [];

const findNewWaits = (before: FeedState, { panes, told }: Draft): readonly PaneView[] => {
  if (!before.hasSnapshot) return NONE;
  const waits = [...told].flatMap((ref) => {
    const pane = panes.get(ref);
    return pane?.needs_action === true && before.panes.get(ref)?.needs_action !== true ? [pane] : [];
  });
  return waits.length === 0 ? NONE : waits;
};

/** A smaller difference comes from the travel time of an entry, and no age would show it. */
const CLOCK_STEP_MS = 1_000;

const steadyOffset = (before: FeedState, offsetMs: number): number =>
  before.hasSnapshot && Math.abs(offsetMs - before.clockOffsetMs) < CLOCK_STEP_MS
    ? before.clockOffsetMs
    : offsetMs;

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
    targets: state.targets,
    hasSnapshot: state.hasSnapshot,
    told: new Set(),
  };
  for (const entry of entries) applyEntry(draft, entry);
  const { panes, targets, hasSnapshot } = draft;
  return {
    panes,
    targets,
    hasSnapshot,
    connection: state.connection.kind === "live" ? state.connection : { kind: "live" },
    clockOffsetMs: steadyOffset(state, last.at - receivedAt),
    newWaits: findNewWaits(state, draft),
  };
};

/** The connection broke: what is shown stays, marked as old. */
export const markLost = (state: FeedState, message: string, retryAt: number | null): FeedState => ({
  ...state,
  connection: { kind: "lost", message, retryAt },
  newWaits: [],
});
