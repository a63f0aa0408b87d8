// Connects actions with the panes of the watched tmux servers: which hands reach a pane, or why none do.
import { createPaneHands, type PaneHands } from "../actions/paneHands.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, PaneKey } from "../model/runtime.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { WatchedServer } from "../tmux/servers.ts";

export interface PaneReach {
  /** @throws AgtmuxError E_STALE_SNAPSHOT when the pane is gone, E_TMUX_MISSING when there is no tmux. */
  reach(key: PaneKey, paneRef: string): { pane: Pane; hands: PaneHands };
}

export interface PaneReachDeps {
  executor: TargetExecutor;
  tmuxPath: string | null;
  servers: readonly WatchedServer[];
  paneOf: (key: PaneKey) => Pane | undefined;
  makeNonce: () => string;
}

export const createPaneReach = ({
  executor,
  tmuxPath,
  servers,
  paneOf,
  makeNonce,
}: PaneReachDeps): PaneReach => {
  const hands = new Map(
    tmuxPath === null
      ? []
      : servers.map(({ server, socketArgs }) => [
          server,
          createPaneHands({ executor, tmuxPath, socketArgs, makeNonce }),
        ]),
  );
  return {
    reach: (key, paneRef) => {
      const pane = paneOf(key);
      if (tmuxPath === null)
        throw new AgtmuxError("E_TMUX_MISSING", `cannot reach ${paneRef}: no tmux was found`);
      const found = hands.get(key.server);
      if (pane === undefined || found === undefined)
        throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
      return { pane, hands: found };
    },
  };
};
