// Connects actions with the panes of the watched tmux servers: which client reaches a pane, or why none does.
import { createPaneClient, type PaneClient } from "./paneClient.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, PaneKey } from "../model/runtime.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";

export interface PaneReach {
  /**
   * The client that reaches a pane, for the length of one action.
   * @throws AgtmuxError E_TARGET_UNREACHABLE without a connection, E_STALE_SNAPSHOT when the pane is gone, E_TMUX_MISSING when
   *   there is no tmux.
   */
  reach(key: PaneKey, paneRef: string): { pane: Pane; client: PaneClient };
}

export interface PaneReachDeps {
  connectedTargets: Pick<ConnectedTargets, "get">;
  paneOf: (key: PaneKey) => Pane | undefined;
  makeNonce: () => string;
}

export const createPaneReach = ({ connectedTargets, paneOf, makeNonce }: PaneReachDeps): PaneReach => ({
  reach: (key, paneRef) => {
    const { executor, tmuxOf } = connectedTargets.get(key.targetId);
    const pane = paneOf(key);
    const tmux = tmuxOf(key.server);
    if (pane === undefined || tmux === null)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    executor.hurry?.();
    return { pane, client: createPaneClient({ tmux, makeNonce }) };
  },
});
