// Puts together what the doctor looks at from what the daemon has: its targets, their connections, and the agents in panes.
import type { Ingest } from "../../ingest/ingest.ts";
import type { Store } from "../../ports/store.ts";
import type { FoundTmux } from "../../tmux/findTmux.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Integrations } from "../integrations.ts";
import type { DoctorIntegrations, DoctorLink, DoctorTarget, SeenAgent } from "./doctorTarget.ts";

export interface DoctorTargetsDeps {
  ingest: Pick<Ingest, "world" | "targets">;
  fleet: Fleet;
  store: Pick<Store, "getCursor" | "lastHookEventAt">;
  /** Null where the target's agents cannot be integrated. */
  integrationsOf: (targetId: string) => Integrations | null;
  /** Looks for tmux as the connection did. */
  findTmux: (targetId: string) => Promise<FoundTmux>;
}

const toDoctorIntegrations = (
  integrations: Integrations,
  store: DoctorTargetsDeps["store"],
): DoctorIntegrations => ({
  inspect: (agent) => integrations.inspect(agent),
  hasAnything: async (agent) =>
    (await integrations.change({ agent, action: "uninstall", dryRun: true })).changes.length > 0,
  checkRepair: async (agent) => {
    await integrations.change({ agent, action: "repair", dryRun: true });
  },
  deliver: (agent) => integrations.deliver(agent),
  lastRealEventAt: (agent) => store.lastHookEventAt(agent),
});

/** Gives the targets as they are at the moment of the call. */
export const createDoctorTargets = (deps: DoctorTargetsDeps): (() => DoctorTarget[]) => {
  const { ingest, fleet, store } = deps;

  const agentsOf = (targetId: string): SeenAgent[] =>
    [...ingest.world.liveRuntimes()].flatMap(({ runtime, view, confirmRequests }) => {
      const pane = ingest.world.paneOf(runtime);
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
    const unit = fleet.find(targetId);
    if (unit === null) return null;
    const integrations = deps.integrationsOf(targetId);
    return {
      executor: unit.executor,
      tmuxPath: unit.tmuxPath,
      findTmux: () => deps.findTmux(targetId),
      servers: unit.servers,
      panes: [...ingest.world.panes()].filter((pane) => pane.targetId === targetId),
      processes: unit.processes,
      integrations: integrations === null ? null : toDoctorIntegrations(integrations, store),
    };
  };

  return () => {
    const views = ingest.targets();
    return [...ingest.world.targets.values()].flatMap(({ targetId, targetName }) => {
      const view = views.find(({ target }) => target === targetName);
      return view === undefined ? [] : [{ view, link: linkOf(targetId), agents: agentsOf(targetId) }];
    });
  };
};
