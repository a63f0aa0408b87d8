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
    const { executor, tmuxOf, toTerminal } = connectedTargets.get(key.targetId);
    const pane = paneOf(key);
    const tmux = tmuxOf(key.server);
    if (pane === undefined || tmux === null)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    return buildAttachPlan({
      action,
      pane,
      server: instanceOf(key.targetId, key.server),
      kind: executor.kind,
      tmux,
      toTerminal,
      ...caller,
    });
  };
