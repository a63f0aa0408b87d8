// Looks whether the person has a pane in front of them, at the moment when somebody would be told of it.
import { isInFront } from "./isInFront.ts";
import { listTmuxClients } from "./tmuxClients.ts";
import type { PaneKey } from "../model/runtime.ts";
import type { PaneView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";

export interface IsPaneVisibleDeps {
  /** Where the row's agent lives now; null when it has ended. */
  paneOf: (pane: PaneView) => PaneKey | null;
  connectedTargets: Pick<ConnectedTargets, "find">;
  clock: Pick<Clock, "now">;
}

/** Never rejects: a target that cannot be asked right now shows nothing to anybody. */
export const createIsPaneVisible =
  ({ paneOf, connectedTargets, clock }: IsPaneVisibleDeps) =>
  async (row: PaneView): Promise<boolean> => {
    const key = paneOf(row);
    const connected = key === null ? null : connectedTargets.find(key.targetId);
    const server = connected?.servers.find((one) => one.server === key?.server);
    if (key === null || connected === null || connected.tmuxPath === null || server === undefined)
      return false;
    try {
      const clients = await listTmuxClients(connected.executor, [connected.tmuxPath, ...server.socketArgs]);
      return isInFront(clients, key.paneId, clock.now() / 1_000);
    } catch {
      // The notice is worth more than the silence.
      return false;
    }
  };
