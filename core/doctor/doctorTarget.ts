// What the doctor looks at: one target, how it is reached and what was seen on it. The interfaces are small, so that the same
// checks examine a target behind SSH.
import type { ProcessReader } from "../collect/sink.ts";
import type { Place } from "../model/doctor.ts";
import type { Pane } from "../model/runtime.ts";
import type { TargetView } from "../model/view.ts";
import type { IntegrationReport, IntegrationSummary } from "../model/adapterView.ts";
import type { Integration } from "../ports/agentAdapter.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { FoundTmux } from "../tmux/findTmux.ts";
import type { TmuxSocket } from "../tmux/servers.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Store } from "../ports/store.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { Integrations } from "../integrations/integrations.ts";

/** What reaches a target while there is a connection. */
export interface DoctorLink {
  executor: TargetExecutor;
  /** The tmux in use; null where none was found when the connection was made. */
  tmuxPath: string | null;
  /** Looks for tmux now. Fails with E_TMUX_MISSING and the places that were tried. */
  findTmux: () => Promise<FoundTmux>;
  servers: readonly TmuxSocket[];
  /** Null for a server that is not watched. */
  tmuxOf: (server: string) => TmuxCalls | null;
  panes: readonly Pane[];
  processes: ProcessReader;
  /** Null where no agent of the target can be integrated. */
  integrations: DoctorIntegrations | null;
}

/** An agent that runs in a pane now. */
export interface SeenAgent {
  agentType: string;
  paneRef: string;
  panePid: number;
  pid: number | null;
  /** An event of this runtime has arrived. */
  hasEvents: boolean;
  /** Another program may answer its permission requests. */
  confirmRequests: boolean;
}

export interface DoctorTarget {
  view: TargetView;
  /** Null: not connected. */
  link: DoctorLink | null;
  agents: readonly SeenAgent[];
}

/** No check of one target may delay the report for longer, in ms. */
export const TARGET_LIMIT_MS = 8_000;
/** Time limit of one command on the target, in ms. */
export const COMMAND_TIMEOUT_MS = 5_000;

export const placeOf = ({ view }: DoctorTarget, extra: { server?: string } = {}): Place => ({
  group: "target",
  target: view.target,
  ...extra,
});

// Makes the doctor's view of each target from the daemon's targets, connections and agents in panes.

const toDoctorIntegrations = (
  targetId: string,
  integrationsOf: (targetId: string) => Promise<Integrations>,
  store: Store,
) => ({
  inspect: async (agent: string): ReturnType<Integration["inspect"]> =>
    (await integrationsOf(targetId)).inspect(agent),
  /** Whether anything of ours lies in the agent's settings. Fails with E_INTEGRATION_REFUSED where that cannot be told. */
  hasAnything: async (agent: string): Promise<boolean> => (await integrationsOf(targetId)).hasAnything(agent),
  /** What writing our entries again would change. Fails with E_INTEGRATION_REFUSED, which says what prevents it. */
  planRepair: async (agent: string): Promise<IntegrationReport["changes"]> =>
    (await (await integrationsOf(targetId)).change({ agent, action: "repair", dryRun: true })).changes,
  /** Every agent that has an integration. */
  list: async (): Promise<IntegrationSummary[]> => (await integrationsOf(targetId)).list(),
  /** Whether there is a hook script that a test event could go through. */
  hasScript: async (): Promise<boolean> => (await integrationsOf(targetId)).hasScript(),
  /** Sends a test event through the installed hook; it is recognised on arrival and never applied. */
  deliver: async (agent: string): Promise<{ works: boolean; detail: string }> =>
    (await integrationsOf(targetId)).deliver(agent),
  /** Epoch ms of the newest event of a real agent; null: none yet. */
  lastRealEventAt: (agent: string): number | null => store.lastHookEventAt(agent, targetId),
});

/** The agent's hooks on one target. Nothing here changes a file. */
export type DoctorIntegrations = ReturnType<typeof toDoctorIntegrations>;

/** Gives the targets as they are at the moment of the call. */
export const createDoctorTargets = (deps: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
  store: Store;
  /** Fails with E_TARGET_UNREACHABLE while there is no connection. */
  integrationsOf: (targetId: string) => Promise<Integrations>;
  /** Looks for tmux as the connection did. */
  findTmux: (targetId: string) => Promise<FoundTmux>;
}): (() => DoctorTarget[]) => {
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
      integrations: toDoctorIntegrations(targetId, deps.integrationsOf, store),
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
