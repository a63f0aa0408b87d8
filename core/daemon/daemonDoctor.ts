// Hands the doctor what this daemon is made of.
import type { ConfigFile } from "../config/configFile.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { LookForTmux } from "../connections/tmuxLook.ts";
import { createDoctor, type Doctor, type DoctorDeps } from "../doctor/doctor.ts";
import { createDoctorTargets } from "../doctor/doctorTargets.ts";
import { findLostHistory, type HostFacts } from "../doctor/hostChecks.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { IntegrationService } from "../integrations/integrationService.ts";
import type { DurableStore } from "../store/durableStore.ts";

export interface DaemonDoctorDeps
  extends
    Pick<DoctorDeps, "adapters" | "featureChecks" | "redact" | "clock">,
    Pick<HostFacts, "host" | "platform" | "env"> {
  /** As the host gives it; absent where it opens no terminal. */
  findTerminal?: () => string;
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
  store: DurableStore;
  integrations: IntegrationService;
  config: Pick<ConfigFile, "current">;
  lookForTmux: LookForTmux;
  notificationListeners: () => number;
}

export const createDaemonDoctor = (deps: DaemonDoctorDeps): Doctor => {
  const { adapters, ingest, connectedTargets, store, integrations, config } = deps;
  return createDoctor({
    adapters,
    redact: deps.redact,
    targets: createDoctorTargets({
      ingest,
      connectedTargets,
      store,
      integrationsOf: (targetId) => integrations.of(targetId),
      findTmux: (targetId) => deps.lookForTmux(connectedTargets.get(targetId).executor),
    }),
    host: () => ({
      host: deps.host,
      platform: deps.platform,
      env: deps.env,
      notifications: config.current.notifications,
      notificationListeners: deps.notificationListeners(),
      findTerminal: deps.findTerminal ?? null,
      loss: () => findLostHistory(store),
      outage: ingest.outage,
    }),
    featureChecks: deps.featureChecks,
    clock: deps.clock,
  });
};
