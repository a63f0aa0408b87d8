// How much of a pane's place has to be said: with one machine nobody needs its name, and with one tmux server an id is enough.
import type { PaneView, TargetView } from "../../core/model/view.ts";

export interface Machines {
  hasMachines: boolean;
  /** Then `%12` is one pane, wherever it is typed. */
  hasOneServer: boolean;
}

/** Machines that are left alone do not count, nor do tmux servers that are not running. */
export const machinesOf = (targets: readonly TargetView[]): Machines => {
  const watched = targets.filter(({ enabled }) => enabled);
  const servers = watched.flatMap(({ servers: all }) => all.filter(({ status }) => status !== "no_server"));
  return { hasMachines: watched.length > 1, hasOneServer: watched.length === 1 && servers.length === 1 };
};

/** The reference to type: `%12`, or `vm1/%12` where it could be another pane. */
export const refText = (pane: PaneView, { hasOneServer }: Pick<Machines, "hasOneServer">): string =>
  hasOneServer ? pane.identity.pane_id : pane.short_ref;
