// Puts the daemon together from its parts, and settles the order in which they start and end and how long the first answer waits
// for the spool. Plain Node: hosts are the Electron main process, the headless `agtmux daemon run`, and tests.
import { AccountMemory } from "../config/accountMemory.ts";
import { ConfigFile, createSettingsService } from "../config/configFile.ts";
import {
  createConnectedTarget,
  type ConnectedTarget,
  type ConnectedTargetParts,
  createConnectedTargets,
} from "../connections/connectedTarget.ts";
import { createHostTarget, createTmuxFinder } from "../connections/hostTarget.ts";
import { createDoctor } from "../doctor/doctor.ts";
import { createDoctorTargets } from "../doctor/doctorTarget.ts";
import { findLostHistory } from "../doctor/hostChecks.ts";
import { Ingest } from "../ingest/ingest.ts";
import { createIntegrationService, installEventScript } from "../integrations/integrationService.ts";
import { openDurableStore } from "../store/durableStore.ts";
import { createSshTarget } from "../connections/sshTarget.ts";
import { createTargetService } from "../connections/targetService.ts";
import { createTestEvents } from "../integrations/integrations.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";
import { createSpoolDrain, type SpoolDrain } from "../collect/spoolDrain.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { redactText } from "../store/redact.ts";
import { endsWithin } from "../model/endsWithin.ts";
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { createPromptFingerprint } from "../actions/fingerprint.ts";
import type { FocusTerminal } from "../actions/attach.ts";
import { createRouter, type AppRouter } from "../api/router.ts";
import type { DaemonService } from "../api/calls.ts";
import { PROTOCOL_VERSION, type Hello } from "../api/protocol.ts";
import { createLocalPrograms } from "../tmux/localPrograms.ts";
import { HOST_TARGET } from "../model/runtime.ts";
import type { AdapterSource } from "../ports/agentAdapter.ts";
import type { Feature } from "../ports/feature.ts";
import type { RuntimePaths } from "../rpc/paths.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { readSshAliases } from "../targets/sshConfig.ts";
import { createAdapterService, createAdapterSwitch, createScreenNow } from "./adapterService.ts";
import { followChanges, startTicking } from "./startTicking.ts";
import { createService, type LoginItem } from "./service.ts";
import { startFeatures } from "./startFeatures.ts";
import { continueClock } from "./systemClock.ts";

const SWEEP_MS = 2_000;
/** How long the first answer waits. A command that starts a daemon waits three times as long. */
const FIRST_DRAIN_MS = 5_000;
/** How long an end waits for actions that are under way; the app's own limit is a second longer. */
const LAST_ACTIONS_MS = 2_000;
/** How many characters are kept of a file in the spool that is not an event. */
const MAX_SET_ASIDE = 8_000;

/**
 * Starts taking events out of this machine's spool. Resolves once the waiting events are applied, or when that takes too long; then
 * no state is claimed until they are applied. Gives the drain, which can take out the events of this very moment.
 */
export const startSpool = async (deps: {
  spoolDir: string;
  /** Commits durably; a throw leaves the files in place. */
  deliver: (envelopes: Envelope[]) => Promise<void>;
  ingest: Ingest;
  clock: Clock;
  logger: Logger;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}): Promise<SpoolDrain> => {
  const { spoolDir, deliver, ingest, clock, logger, owned } = deps;
  const drain = createSpoolDrain({
    spoolDir,
    onBatch: deliver,
    redact: (text) => redactText(text, MAX_SET_ASIDE),
    logger,
    clock,
    sweepMs: SWEEP_MS,
  });
  owned.defer(() => drain.close());
  const drained = drain.start();
  if (await endsWithin(drained, FIRST_DRAIN_MS, clock)) return drain;
  // The daemon answers nevertheless, but claims no state that the rest of the events may change until they are read.
  ingest.markStale("events that came while no daemon ran are still being read");
  void drained.then(() => ingest.resynced());
  return drain;
};

export interface Daemon {
  readonly service: DaemonService;
  readonly router: AppRouter;
  /** Feed subscribers right now: an on-demand daemon may end when there are none. */
  readonly clientCount: number;
  readonly idleShutdownMs: number;
  /** A feature depends on this daemon: it must not end because nobody is connected. */
  readonly keepsAwake: boolean;
  close(): Promise<void>;
}

/** How many characters of a screen are quoted to a person who writes rules. */
const MAX_QUOTE = 4_000;

const quote = (text: string): string => redactText(text, MAX_QUOTE);

const runtimeIdOf = (identity: readonly string[]): string =>
  `rt_${createHash("sha256").update(identity.join("\u0000")).digest("hex").slice(0, 16)}`;

/**
 * Starts everything and resolves after the first complete reading of tmux and the spool, so that the first answer is true. The
 * caller owns the home (owner lock). Fails with E_DATABASE_* where the state cannot be opened; a missing tmux is not a failure: the
 * target is down and says so.
 */
export const createDaemon = async (deps: {
  paths: RuntimePaths;
  version: string;
  host: Hello["host"];
  isOnDemand: boolean;
  adapters: AdapterSource;
  features: readonly Feature[];
  /** The event script as shipped; it is installed into the home. */
  eventScriptSource: string;
  /** Environment of the person: HOME, PATH, TMUX_TMPDIR, AGTMUX_TMUX_SOCKETS. */
  env: NodeJS.ProcessEnv;
  uid: number;
  platform: NodeJS.Platform;
  /** The machine's clock. The daemon's own clock continues from the stored times, in case this one was set back since. */
  hostClock: Clock;
  ids: IdSource;
  logger: Logger;
  openTerminal: ((argv: readonly string[]) => Promise<void>) | null;
  /**
   * Brings the terminal window or tab with a tty to the front; false when there is none. Null where the host cannot do this.
   */
  focusTerminal: FocusTerminal | null;
  /** Names the program that `openTerminal` uses; fails with E_UNSUPPORTED where there is none. For the doctor. */
  findTerminal?: () => string;
  loginItem?: LoginItem;
  /** Somebody asked the daemon to stop. The host closes it and ends. */
  onShutdownRequest: () => void;
}): Promise<Daemon> => {
  /** Ends what was started, the last one first. */
  await using owned = new AsyncDisposableStack();
  const { paths, ids, logger, adapters, env } = deps;
  const startedAt = deps.hostClock.now();

  // The parts of the home (stored state, config.json, installed event script), and the executor of this machine.
  for (const folder of [paths.spool, paths.spoolTmp, paths.spoolNew, paths.spoolBad, paths.logDir])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  const store = openDurableStore({ path: paths.stateDb, logger, now: () => deps.hostClock.now() });
  owned.defer(() => store.close());
  const clock = continueClock(deps.hostClock, store.lastIngestedAt());
  const config = await ConfigFile.open(paths.config, logger);
  owned.defer(() => config.close());
  const eventScript = await installEventScript(deps.eventScriptSource, paths.binDir);
  const executor = createLocalExecutor({ targetId: HOST_TARGET, env });
  owned.defer(() => executor.close());

  // The adapters in force, and the memory that decides with them.
  const adapterSwitch = createAdapterSwitch({
    adapters,
    config: () => config.current,
    write: (valueOf) => config.update(executor.files, ["adapters", "disabled"], valueOf),
  });
  const ingest = new Ingest({
    store,
    clock,
    ids,
    logger,
    timing: () => config.current.timing,
    adapterOf: (agentType) => adapterSwitch.enabled.byAgentType(agentType),
    runtimeIdOf,
    redactText,
    fingerprintOf: createPromptFingerprint(),
  });
  // When the store loses its file, memory writes the present into the new one.
  store.onReplaced(() => ingest.afterLoss());
  ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));

  // The targets that are connected: this machine, which does not watch yet, and later those behind SSH.
  const connectedTargets = createConnectedTargets((targetId) => {
    const target = ingest.liveState.targets.get(targetId);
    return { name: target?.targetName ?? targetId, reason: target?.healthReason ?? null };
  });
  /** What most of the parts below need. */
  const common = { store, ingest, config, connectedTargets, env, clock, ids, logger, owned };
  const accountMemory = new AccountMemory({ path: paths.accounts, files: executor.files, logger });
  const createConnected = (parts: ConnectedTargetParts): ConnectedTarget =>
    createConnectedTarget({
      ...parts,
      sink: ingest,
      adapters: adapterSwitch.enabled,
      accountMemory,
      namedAccounts: (agentType) => config.current.agents[agentType]?.folders ?? [],
      timing: () => config.current.timing,
      clock,
      ids,
      logger,
    });
  const findTmuxOn = createTmuxFinder(config, env);
  /** Set when the start is complete. */
  let spool: Awaited<ReturnType<typeof startSpool>> | null = null;
  const takeEvents = async (): Promise<void> => spool?.take();
  const programs = createLocalPrograms(() => adapters.list());
  const host = await createHostTarget({
    ...deps,
    ...common,
    executor,
    programs,
    findTmuxOn,
    createConnected,
    takeEvents,
  });
  owned.defer(() => host.close());

  // What surfaces ask about and change: adapters, integrations, targets.
  const adapterService = createAdapterService({
    adapters,
    adapterSwitch,
    clock,
    capture: (pane) => connectedTargets.get(pane.targetId).capture(pane),
    processesOf: (pane) => connectedTargets.get(pane.targetId).processesOf(pane),
    run: (argv, options) => executor.run(argv, options),
    redact: quote,
  });
  const testEvents = createTestEvents(clock);
  const integrations = createIntegrationService({
    connectedTargets,
    targetNames: () => [...ingest.liveState.targets.values()].map(({ targetName }) => targetName),
    eventScript,
    scriptText: await readFile(deps.eventScriptSource, "utf8"),
    adapterOf: (agentType) => adapters.byAgentType(agentType),
    agentTypes: () => adapters.list().map((adapter) => adapter.agentType),
    lastRealEventAt: (agentType, targetId) => store.lastHookEventAt(agentType, targetId),
    onHookless: (targetId, agentTypes, at) =>
      tolerateStoreFailure(logger, () => ingest.setHookless(targetId, agentTypes, at)),
    testEvents,
    clock,
    ids,
  });
  const targetService = createTargetService({
    config: () => config.current,
    write: (valueOf) => config.update(executor.files, ["targets"], valueOf),
    ingest: {
      setTarget: (target) => ingest.setTarget(target),
      removeTarget: (targetId) => ingest.removeTarget(targetId),
      targets: () => ingest.targets(),
      targetOf: (targetId) => ingest.liveState.targets.get(targetId),
    },
    open: (target) =>
      createSshTarget({
        ...common,
        ...target,
        controlDir: paths.controlDir,
        createConnected,
        onHealth: (health, reason, link) =>
          tolerateStoreFailure(logger, () => ingest.setHealth(target.targetId, health, reason, link)),
        onEvents: (connected, envelopes) => connected.collector.deliver(testEvents.without(envelopes)),
        programs,
        logger: logger.child({ target: target.targetId }),
        random: Math.random,
      }),
    clock,
    logger,
  });
  owned.defer(() => targetService.close());

  // What follows a change of config.json, of an adapter file or of memory.
  followChanges({ ...common, adapters, adapterService, adapterSwitch, targetService });

  // What surfaces see, with the doctor that examines all of it.
  const service = createService({
    ...common,
    config: () => config.current,
    hello: () => ({
      name: "agtmux",
      version: deps.version,
      protocol: PROTOCOL_VERSION,
      pid: process.pid,
      startedAt,
      host: deps.host,
      isOnDemand: deps.isOnDemand,
    }),
    requestShutdown: deps.onShutdownRequest,
    screenFolder: paths.home,
    integrations,
    adapterService,
    adapterSwitch,
    settingsService: createSettingsService({
      path: paths.config,
      config: () => config.current,
      problem: () => config.problem,
      reload: () => config.reload(),
      write: (key, value) => config.update(executor.files, key, () => value),
    }),
    readSshAliases: async () => readSshAliases(await executor.homeDir()),
    screenNow: createScreenNow({
      look: async (pane) => (await connectedTargets.find(pane.targetId)?.look(pane)) ?? null,
      redact: quote,
    }),
    targetService,
    doctor: createDoctor({
      adapters,
      targets: createDoctorTargets({
        ...common,
        integrationsOf: (targetId) => integrations.of(targetId),
        findTmux: (targetId) => findTmuxOn(connectedTargets.get(targetId).executor),
      }),
      host: () => ({
        host: deps.host,
        platform: deps.platform,
        env,
        notifications: config.current.notifications,
        keepAwake: config.current.keep_awake,
        notificationListeners: service.notifications.listenerCount,
        findTerminal: deps.findTerminal ?? null,
        loss: () => findLostHistory(store),
        outage: ingest.outage,
      }),
      featureChecks: () => started.doctorChecks(),
      redact: quote,
      clock,
    }),
    desktop: deps,
  });
  ingest.onChanges((changes) => service.notifications.handleChanges(changes));
  owned.defer(() => service.notifications.close());
  // What is being typed when the daemon is asked to end is typed to its end.
  owned.defer(async () => void (await endsWithin(service.actionsEnded(), LAST_ACTIONS_MS, deps.hostClock)));
  const started = startFeatures({
    ...common,
    features: deps.features,
    service,
    isReady: () => spool !== null,
    configPath: paths.config,
    homePath: paths.home,
    adapters: () => adapterSwitch.enabled.list(),
    uid: deps.uid,
  });

  // The start: a first complete reading of this machine, then the events that came while no daemon ran.
  await host.start();
  spool = await startSpool({
    spoolDir: paths.spool,
    deliver: (envelopes) => host.connected.collector.deliver(testEvents.without(envelopes)),
    ...common,
  });
  // Hooks may have been removed while no daemon ran. The first answer waits neither for this nor for other machines.
  const noted = integrations.noteHookless(HOST_TARGET).catch((error: unknown) => {
    logger.warn({ error }, "which agents have no hooks is not known");
  });
  owned.defer(() => noted);
  targetService.apply();
  startTicking({ ...common, service });

  const ends = owned.move();
  return {
    service,
    router: createRouter(service, started.answers),
    get clientCount() {
      return service.feedHub.clientCount;
    },
    get idleShutdownMs() {
      return config.current.idle_shutdown_ms;
    },
    get keepsAwake() {
      return started.keepsAwake();
    },
    close: () => ends.disposeAsync(),
  };
};
