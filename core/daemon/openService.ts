// Puts together what surfaces may ask: the service with its desks, and the doctor that looks at all of them.
import { PROTOCOL_VERSION, type Hello } from "../api/service.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { IdSource } from "../ports/clock.ts";
import type { RuntimePaths } from "../rpc/paths.ts";
import { readSshAliases } from "../targets/sshAliases.ts";
import type { AdapterDesk } from "./adapterDesk.ts";
import { createDoctor, type Doctor } from "../doctor/doctor.ts";
import { createDoctorTargets } from "../doctor/doctorTargets.ts";
import { findLostHistory } from "../doctor/lostHistory.ts";
import type { Fleet } from "../connections/fleet.ts";
import type { TargetDesk } from "../connections/targetDesk.ts";
import type { LookForTmux } from "../connections/tmuxLook.ts";
import type { IntegrationDesk } from "../integrations/integrationDesk.ts";
import type { Home } from "./openHome.ts";
import { createScreenNow } from "./screenNow.ts";
import { createService, type Service, type ServiceDeps } from "./service.ts";
import { createSettingsDesk } from "../config/settingsDesk.ts";

export interface OpenServiceDeps
  extends
    Pick<Home, "store" | "clock" | "config" | "executor" | "adapterSwitch" | "ingest">,
    Pick<ServiceDeps, "openTerminal" | "focusTerminal"> {
  paths: Pick<RuntimePaths, "config">;
  version: string;
  host: Hello["host"];
  isOnDemand: boolean;
  /** Epoch ms. */
  startedAt: number;
  adapters: AdapterSource;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  ids: IdSource;
  fleet: Fleet;
  lookForTmux: LookForTmux;
  adapterDesk: AdapterDesk;
  integrations: IntegrationDesk;
  targetDesk: TargetDesk;
  /** Takes secrets out of what is quoted to a person. */
  quote: (text: string) => string;
  findTerminal?: () => string;
  onShutdownRequest: () => void;
}

const openDoctor = (deps: OpenServiceDeps, countNoticeListeners: () => number): Doctor => {
  const { ingest, fleet, store, config, integrations, lookForTmux, clock } = deps;
  return createDoctor({
    adapters: deps.adapters,
    redact: deps.quote,
    targets: createDoctorTargets({
      ingest,
      fleet,
      store,
      integrationsOf: (targetId) => integrations.of(targetId),
      findTmux: (targetId) => lookForTmux(fleet.unitOf(targetId).executor),
    }),
    host: () => ({
      host: deps.host,
      platform: deps.platform,
      env: deps.env,
      notifications: config.current.notifications,
      noticeListeners: countNoticeListeners(),
      findTerminal: deps.findTerminal ?? null,
      loss: () => findLostHistory(store),
      hindrance: ingest.hindrance,
    }),
    clock,
  });
};

/** The caller closes its notices. */
export const openService = (deps: OpenServiceDeps): Service => {
  const { ingest, store, clock, ids, config, executor, fleet } = deps;
  const service: Service = createService({
    ingest,
    store,
    clock,
    ids,
    config: () => config.current,
    hello: () => ({
      name: "agtmux",
      version: deps.version,
      protocol: PROTOCOL_VERSION,
      pid: process.pid,
      startedAt: deps.startedAt,
      host: deps.host,
      isOnDemand: deps.isOnDemand,
    }),
    requestShutdown: deps.onShutdownRequest,
    integrations: deps.integrations,
    adapterDesk: deps.adapterDesk,
    adapterSwitch: deps.adapterSwitch,
    settingsDesk: createSettingsDesk({
      path: deps.paths.config,
      config: () => config.current,
      problem: () => config.problem,
      reload: () => config.reload(),
      write: (key, value) => config.update(executor.files, key, () => value),
    }),
    readSshAliases: async () => readSshAliases(await executor.homeDir()),
    screenNow: createScreenNow({
      capture: async (pane) => (await fleet.find(pane.targetId)?.capture(pane)) ?? null,
      redact: deps.quote,
    }),
    fleet,
    targetDesk: deps.targetDesk,
    doctor: openDoctor(deps, () => service.notice.listenerCount),
    openTerminal: deps.openTerminal,
    focusTerminal: deps.focusTerminal,
  });
  return service;
};
