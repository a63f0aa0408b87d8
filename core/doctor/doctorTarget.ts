// What the doctor examines: each target of the daemon, how it is reached and what was seen on it; a target behind SSH as any other.
import type { Check, Place } from "../model/doctor.ts";
import type { FoundTmux } from "../tmux/findTmux.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Store } from "../ports/store.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { Integrations } from "../integrations/integrations.ts";

/** No check of one target may delay the report for longer, in ms. */
const TARGET_LIMIT_MS = 8_000;
/** Time limit of one command on the target, in ms. */
export const COMMAND_TIMEOUT_MS = 5_000;

/** Makes the checks of one place, named after what is checked there. */
export const checksAt =
  (what: string, place: Place, limitMs: number = TARGET_LIMIT_MS) =>
  (name: string, run: Check["run"]): Check => ({ name: `${what}.${name}`, place, limitMs, run });

export const placeOf = ({ view }: DoctorTarget, extra: { server?: string } = {}): Place => ({
  group: "target",
  target: view.target,
  ...extra,
});

/** Gives the targets as they are at the moment of the call. */
export const createDoctorTargets = (deps: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
  store: Store;
  /** Fails with E_TARGET_UNREACHABLE while there is no connection. */
  integrationsOf: (targetId: string) => Promise<Integrations>;
  /** Looks for tmux as the connection did. */
  findTmux: (targetId: string) => Promise<FoundTmux>;
}) => {
  const { ingest, connectedTargets, store } = deps;

  /** Agents that run in a pane now. */
  const agentsOf = (targetId: string) =>
    [...ingest.liveState.liveRuntimes()].flatMap(({ runtime, view, confirmRequests, account }) => {
      const pane = ingest.liveState.paneOf(runtime);
      if (runtime.targetId !== targetId || pane === undefined) return [];
      return [
        {
          agentType: runtime.agentType,
          paneRef: view?.identity.pane_ref ?? `runtime:${runtime.runtimeId}`,
          panePid: pane.panePid,
          pid: runtime.pid,
          /** Null: its process was not asked yet. */
          account,
          /** An event of this runtime has arrived. */
          hasEvents: store.getCursor(runtime.runtimeId, "hook") !== null,
          /** Another program may answer its permission requests. */
          confirmRequests,
        },
      ];
    });

  /** What reaches a target while there is a connection; null: not connected. */
  const linkOf = (targetId: string) => {
    const connected = connectedTargets.find(targetId);
    if (connected === null) return null;
    const { executor, tmuxPath, servers, tmuxOf, processes, accounts } = connected;
    return {
      executor,
      /** The tmux in use; null where none was found when the connection was made. */
      tmuxPath,
      /** Looks for tmux now. Fails with E_TMUX_MISSING and the places that were tried. */
      findTmux: () => deps.findTmux(targetId),
      servers,
      tmuxOf,
      panes: [...ingest.liveState.panes()].filter((pane) => pane.targetId === targetId),
      processes,
      accounts,
      /** The agents' hooks there. */
      integrations: () => deps.integrationsOf(targetId),
    };
  };

  return () => {
    const views = ingest.targets();
    return [...ingest.liveState.targets.values()].flatMap(({ targetId, targetName }) => {
      const view = views.find(({ target }) => target === targetName);
      return view === undefined ? [] : [{ view, link: linkOf(targetId), agents: agentsOf(targetId) }];
    });
  };
};

export type DoctorTarget = ReturnType<ReturnType<typeof createDoctorTargets>>[number];
export type DoctorLink = NonNullable<DoctorTarget["link"]>;
export type SeenAgent = DoctorTarget["agents"][number];
