// Makes the doctor's view of each target from the daemon's targets, connections and agents in panes.
import type { Ingest } from "../ingest/ingest.ts";
import type { Store } from "../ports/store.ts";
import type { FoundTmux } from "../tmux/findTmux.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { Integrations } from "../integrations/integrations.ts";
import type { DoctorIntegrations, DoctorLink, DoctorTarget, SeenAgent } from "./doctorTarget.ts";

export interface DoctorTargetsDeps {
  ingest: Pick<Ingest, "liveState" | "targets">;
  connectedTargets: ConnectedTargets;
  store: Pick<Store, "getCursor" | "lastHookEventAt">;
  /** Fails with E_TARGET_UNREACHABLE while there is no connection. */
  integrationsOf: (targetId: string) => Promise<Integrations>;
  /** Looks for tmux as the connection did. */
  findTmux: (targetId: string) => Promise<FoundTmux>;
}

const toDoctorIntegrations = (
  targetId: string,
  { integrationsOf, store }: DoctorTargetsDeps,
): DoctorIntegrations => ({
  inspect: async (agent) => (await integrationsOf(targetId)).inspect(agent),
  hasAnything: async (agent) => (await integrationsOf(targetId)).hasAnything(agent),
  planRepair: async (agent) =>
    (await (await integrationsOf(targetId)).change({ agent, action: "repair", dryRun: true })).changes,
  list: async () => (await integrationsOf(targetId)).list(),
  hasScript: async () => (await integrationsOf(targetId)).hasScript(),
  deliver: async (agent) => (await integrationsOf(targetId)).deliver(agent),
  lastRealEventAt: (agent) => store.lastHookEventAt(agent, targetId),
});

/** Gives the targets as they are at the moment of the call. */
export const createDoctorTargets = (deps: DoctorTargetsDeps): (() => DoctorTarget[]) => {
  const { ingest, connectedTargets, store } = deps;

  const agentsOf = (targetId: string): SeenAgent[] =>
    [...ingest.liveState.liveRuntimes()].flatMap(({ runtime, view, confirmRequests }) => {
      const pane = ingest.liveState.paneOf(runtime);
      if (runtime.targetId !== targetId || pane === undefined) return [];
      return [
        {
          agentType: runtime.agentType,
          paneRef: view?.identity.pane_ref ?? `runtime:${runtime.runtimeId}`,
          panePid: pane.panePid,
          pid: runtime.pid,
          hasEvents: store.getCursor(runtime.runtimeId, "hook") !== null,
          confirmRequests,
        },
      ];
    });

  const linkOf = (targetId: string): DoctorLink | null => {
    const connected = connectedTargets.find(targetId);
    if (connected === null) return null;
    return {
      executor: connected.executor,
      tmuxPath: connected.tmuxPath,
      findTmux: () => deps.findTmux(targetId),
      servers: connected.servers,
      tmuxOf: connected.tmuxOf,
      panes: [...ingest.liveState.panes()].filter((pane) => pane.targetId === targetId),
      processes: connected.processes,
      integrations: toDoctorIntegrations(targetId, deps),
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
