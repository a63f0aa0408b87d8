// Connects the attach action with what it needs of the daemon: the pane's row, its server, and tmux.
import { buildAttachPlan, type AttachInput } from "./attach.ts";
import type { VerifiedAction } from "./prepare.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, PaneKey, ServerInstance } from "../model/runtime.ts";
import type { AttachPlan } from "../model/snapshot.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";

/** As `AttachInput` describes them. */
export type AttachCaller = Pick<AttachInput, "insideTmux" | "mayFocus" | "maySwitch">;
export type PlanAttach = (action: VerifiedAction, caller: AttachCaller) => Promise<AttachPlan>;

export interface AttachBuilderDeps {
  connectedTargets: Pick<ConnectedTargets, "get">;
  paneOf: (key: PaneKey) => Pane | undefined;
  instanceOf: (targetId: string, server: string) => ServerInstance | null;
}

export const createAttachBuilder =
  ({ connectedTargets, paneOf, instanceOf }: AttachBuilderDeps): PlanAttach =>
  async (action, caller) => {
    const { key, paneRef } = action.subject;
    const { executor, tmuxPath, servers, toTerminal } = connectedTargets.get(key.targetId);
    const pane = paneOf(key);
    const watched = servers.find(({ server }) => server === key.server);
    if (pane === undefined || watched === undefined)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    if (tmuxPath === null)
      throw new AgtmuxError("E_TMUX_MISSING", `cannot attach to ${paneRef}: no tmux was found`);
    return buildAttachPlan({
      action,
      pane,
      server: instanceOf(key.targetId, key.server),
      executor,
      tmuxPath,
      socketArgs: watched.socketArgs,
      toTerminal,
      ...caller,
    });
  };
