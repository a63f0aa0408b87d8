// Connects the attach action with what it needs of the daemon: the pane's row, its server, and tmux.
import { buildAttachPlan } from "../actions/attach.ts";
import type { VerifiedAction } from "../actions/prepare.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Pane, PaneKey, ServerInstance } from "../model/runtime.ts";
import type { AttachPlan } from "../model/snapshot.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { WatchedServer } from "../tmux/servers.ts";

export interface AttachBuilder {
  /** `insideTmux`: the caller's `$TMUX`, or null outside tmux. `mayFocus`: it can bring a terminal to the front by its tty. */
  plan(action: VerifiedAction, caller: { insideTmux: string | null; mayFocus: boolean }): Promise<AttachPlan>;
}

export interface AttachBuilderDeps {
  executor: TargetExecutor;
  tmuxPath: string | null;
  servers: readonly WatchedServer[];
  /** See AttachInput. */
  toTerminal: (argv: readonly string[]) => string[];
  paneOf: (key: PaneKey) => Pane | undefined;
  instanceOf: (targetId: string, server: string) => ServerInstance | null;
}

export const createAttachBuilder = (deps: AttachBuilderDeps): AttachBuilder => ({
  plan: async (action, caller) => {
    const { key, paneRef } = action.subject;
    const pane = deps.paneOf(key);
    const watched = deps.servers.find(({ server }) => server === key.server);
    if (pane === undefined || watched === undefined)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    if (deps.tmuxPath === null)
      throw new AgtmuxError("E_TMUX_MISSING", `cannot attach to ${paneRef}: no tmux was found`);
    return buildAttachPlan({
      action,
      pane,
      server: deps.instanceOf(key.targetId, key.server),
      executor: deps.executor,
      tmuxPath: deps.tmuxPath,
      socketArgs: watched.socketArgs,
      toTerminal: deps.toTerminal,
      ...caller,
    });
  },
});
