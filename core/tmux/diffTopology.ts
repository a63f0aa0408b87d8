// What changed between two listings of one server. Pure.
import type { Pane, ServerInstance } from "../model/runtime.ts";

export interface Topology {
  instance: ServerInstance;
  panes: readonly Pane[];
}

/**
 * `isNewServer`: the server was restarted, so its pane ids mean other panes: all panes from before are `removed`, all of now
 * are `added`. `changed`: panes with any difference but `updatedAt`. `respawned`: those of them with another process.
 */
export interface TopologyDiff {
  isNewServer: boolean;
  added: Pane[];
  removed: Pane[];
  changed: { before: Pane; after: Pane }[];
  respawned: Pane[];
}

const isSamePane = (a: Pane, b: Pane): boolean =>
  JSON.stringify({ ...a, updatedAt: 0 }) === JSON.stringify({ ...b, updatedAt: 0 });

/** `null` stands for "no server" on either side. */
export const diffTopology = (previous: Topology | null, next: Topology | null): TopologyDiff => {
  const isNewServer =
    next !== null &&
    (previous === null ||
      previous.instance.pid !== next.instance.pid ||
      previous.instance.startedAt !== next.instance.startedAt);
  if (previous === null || next === null || isNewServer)
    return {
      isNewServer,
      added: [...(next?.panes ?? [])],
      removed: [...(previous?.panes ?? [])],
      changed: [],
      respawned: [],
    };
  const before = new Map(previous.panes.map((pane) => [pane.paneId, pane]));
  const ids = new Set(next.panes.map((pane) => pane.paneId));
  const changed = next.panes.flatMap((after) => {
    const old = before.get(after.paneId);
    return old === undefined || isSamePane(old, after) ? [] : [{ before: old, after }];
  });
  return {
    isNewServer,
    added: next.panes.filter((pane) => !before.has(pane.paneId)),
    removed: previous.panes.filter((pane) => !ids.has(pane.paneId)),
    changed,
    respawned: changed.filter((pair) => pair.before.panePid !== pair.after.panePid).map((pair) => pair.after),
  };
};
