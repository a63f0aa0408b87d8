// Puts the daemon together from its parts and settles the order in which they start and end. Plain Node: hosts are the
// Electron main process, the headless `agtmux daemon run`, and tests.
import { readFile } from "node:fs/promises";
import { createRouter, type AppRouter } from "../api/router.ts";
import type { DaemonService, Hello } from "../api/service.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RuntimePaths } from "../rpc/paths.ts";
import { redactText } from "../store/redactText.ts";
import { createAdapterDesk } from "./adapterDesk.ts";
import { createClosing, type Closing } from "./closing.ts";
import { openFleet } from "./openFleet.ts";
import { openTargetDesk } from "./openTargetDesk.ts";
import { createTmuxLook } from "../connections/tmuxLook.ts";
import { followAdapters } from "./followAdapters.ts";
import { createIntegrationDesk } from "../integrations/integrationDesk.ts";
import { lookAnewWhenRebuilt } from "./lookAnewWhenRebuilt.ts";
import { openHome } from "./openHome.ts";
import { openService } from "./openService.ts";
import type { FocusTerminal } from "../actions/showPlan.ts";
import { startSpool } from "./startSpool.ts";
import { startTicking } from "./startTicking.ts";
import { createTestEvents } from "../integrations/testEvents.ts";

export interface DaemonDeps {
  paths: RuntimePaths;
  version: string;
  host: Hello["host"];
  isOnDemand: boolean;
  adapters: AdapterSource;
  /** The event script as shipped; it is installed into the home. */
  eventScriptSource: string;
  /** Environment of the person: HOME, PATH, TMUX_TMPDIR, AGTMUX_TMUX_SOCKETS. */
  env: NodeJS.ProcessEnv;
  uid: number;
  platform: NodeJS.Platform;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  openTerminal: ((argv: readonly string[]) => Promise<void>) | null;
  /** Brings the terminal window or tab with a tty to the front, false when it finds none; null where the host cannot. */
  focusTerminal: FocusTerminal | null;
  /** Names the program that `openTerminal` uses; fails with E_UNSUPPORTED where there is none. For the doctor. */
  findTerminal?: () => string;
  /** Somebody asked the daemon to stop. The host closes it and ends. */
  onShutdownRequest: () => void;
}

export interface Daemon {
  readonly service: DaemonService;
  readonly router: AppRouter;
  /** Feed subscribers right now: an on-demand daemon may leave when there are none. */
  readonly clientCount: number;
  readonly idleShutdownMs: number;
  close(): Promise<void>;
}

/** Characters of a screen that are quoted to a person who writes rules. */
const MAX_QUOTE = 4_000;

const quote = (text: string): string => redactText(text, MAX_QUOTE);

const assemble = async (deps: DaemonDeps, { own, closeAll }: Closing): Promise<Daemon> => {
  const { paths, ids, logger, adapters, env } = deps;
  const startedAt = deps.clock.now();
  const home = await openHome({ ...deps, own });
  const { store, clock, config, adapterSwitch, ingest } = home;
  ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));
  const lookForTmux = createTmuxLook(config, env);
  const { fleet, host, createUnit } = await openFleet({
    ...deps,
    // After `deps`, here and below: its clock takes the place of the host's.
    ...home,
    adapters: adapterSwitch.enabled,
    lookForTmux,
    own,
  });
  const adapterDesk = createAdapterDesk({
    adapters,
    adapterSwitch,
    clock,
    capture: (pane) => fleet.unitOf(pane.targetId).capture(pane),
    processesOf: (pane) => fleet.unitOf(pane.targetId).processesOf(pane),
    redact: quote,
  });
  const adapterRows = followAdapters({ ...home, adapters, adapterDesk, fleet, logger, own });
  const testEvents = createTestEvents(clock);
  const integrations = createIntegrationDesk({
    fleet,
    targetNames: () => [...ingest.world.targets.values()].map(({ targetName }) => targetName),
    eventScript: home.eventScript,
    scriptText: await readFile(deps.eventScriptSource, "utf8"),
    adapterOf: (agentType) => adapters.byAgentType(agentType),
    agentTypes: () => adapters.list().map((adapter) => adapter.agentType),
    lastRealEventAt: (agentType, targetId) => store.lastHookEventAt(agentType, targetId),
    testEvents,
    clock,
    ids,
  });
  const targetDesk = openTargetDesk({
    ...home,
    env,
    controlDir: paths.controlDir,
    createUnit,
    fleet,
    testEvents,
    ids,
    logger,
    own,
  });
  const restore = (): void => {
    adapterRows.storeAll();
    targetDesk.apply();
  };
  lookAnewWhenRebuilt({ ingest, fleet, restore, clock, logger, own });
  const service = openService({
    ...deps,
    ...home,
    startedAt,
    fleet,
    lookForTmux,
    adapterDesk,
    integrations,
    targetDesk,
    quote,
  });
  ingest.onChanges((changes) => service.notice.heed(changes));
  own(() => service.notice.close());

  await host.collector.start();
  await startSpool({
    spoolDir: paths.spool,
    deliver: (envelopes) => host.collector.deliver(testEvents.without(envelopes)),
    ingest,
    clock,
    logger,
    own,
  });
  // Other machines come when they come: the first answer does not wait for them.
  targetDesk.apply();
  startTicking({
    ingest,
    lookFirst: async () => {
      await Promise.all(fleet.units().map(({ collector }) => collector.verifyProcesses()));
    },
    reviewNotices: () => service.notice.review(),
    retention: () => config.current.retention,
    clock,
    logger,
    own,
  });

  return {
    service,
    router: createRouter(service),
    get clientCount() {
      return service.feedHub.clientCount;
    },
    get idleShutdownMs() {
      return config.current.idle_shutdown_ms;
    },
    close: closeAll,
  };
};

/**
 * Starts everything and resolves after the first complete look at tmux and the spool, so that the first answer is true.
 * The caller owns the home (owner lock). Fails with E_DATABASE_* where the state cannot be opened; a missing tmux is no
 * failure but a target that is down and says so.
 */
export const createDaemon = async (deps: DaemonDeps): Promise<Daemon> => {
  const closing = createClosing();
  try {
    return await assemble(deps, closing);
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
};
