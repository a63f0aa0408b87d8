// Looks whether the person has a pane in front of them, at the moment when somebody would be told of it.
import { isInFront } from "./isInFront.ts";
import { listTmuxClients } from "./tmuxClients.ts";
import type { PaneKey } from "../model/runtime.ts";
import type { PaneView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fleet } from "../connections/fleet.ts";

export interface IsPaneVisibleDeps {
  /** Where the row's agent lives now; null when it has ended. */
  paneOf: (pane: PaneView) => PaneKey | null;
  fleet: Pick<Fleet, "find">;
  clock: Pick<Clock, "now">;
}

/** Never rejects: a target that cannot be asked right now shows nothing to anybody. */
export const createIsPaneVisible =
  ({ paneOf, fleet, clock }: IsPaneVisibleDeps) =>
  async (row: PaneView): Promise<boolean> => {
    const key = paneOf(row);
    const unit = key === null ? null : fleet.find(key.targetId);
    const server = unit?.servers.find((one) => one.server === key?.server);
    if (key === null || unit === null || unit.tmuxPath === null || server === undefined) return false;
    try {
      const clients = await listTmuxClients(unit.executor, [unit.tmuxPath, ...server.socketArgs]);
      return isInFront(clients, key.paneId, clock.now() / 1_000);
    } catch {
      // The notice is worth more than the silence.
      return false;
    }
  };
