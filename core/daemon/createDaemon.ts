// Puts the daemon together from its parts and gives every one of them an owner. Plain Node: hosts are the Electron main
// process, the headless `agtmux daemon run`, and tests.
import { createHash } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { promptFingerprint } from "../actions/fingerprint.ts";
import type { FocusTerminal } from "./showPlan.ts";
import { createRouter, type AppRouter } from "../api/router.ts";
import { PROTOCOL_VERSION, type DaemonService, type Hello } from "../api/service.ts";
import { createSpoolDrain } from "../collect/spoolDrain.ts";
import { Ingest } from "../ingest/ingest.ts";
import { AgtmuxError } from "../model/errors.ts";
import { MAX_PROGRESS } from "../model/evidence.ts";
import { HOST_TARGET } from "../model/runtime.ts";
import type { AdapterSource } from "../ports/adapterSource.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { RuntimePaths } from "../rpc/paths.ts";
import { storeFailureOf } from "../ports/storeFailure.ts";
import { openDurableStore } from "../store/durableStore.ts";
import { redactText } from "../store/redactText.ts";
import { redactEvidence } from "../store/redactEvidence.ts";
import { createStartedChildren } from "./startedChildren.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { readSshAliases } from "../targets/sshAliases.ts";
import { findTmux } from "../tmux/findTmux.ts";
import { createProcessTree } from "../tmux/processTree.ts";
import { resolveServers } from "../tmux/servers.ts";
import { createAdapterDesk } from "./adapterDesk.ts";
import { createAdapterSwitch } from "./adapterSwitch.ts";
import { ConfigFile } from "./configFile.ts";
import { createDoctor } from "./doctor/doctor.ts";
import { createDoctorTargets } from "./doctor/doctorTargets.ts";
import { installEventScript } from "./eventScript.ts";
import { createFleet } from "./fleet/fleet.ts";
import { createSshOpener } from "./fleet/openSshTarget.ts";
import { createTargetDesk } from "./fleet/targetDesk.ts";
import { createTargetUnit, type TargetUnit, type UnitParts } from "./fleet/targetUnit.ts";
import { createIntegrationDesk } from "./integrationDesk.ts";
import { createTestEvents } from "./testEvents.ts";
import { createPieces } from "./pieces.ts";
import { createScreenNow } from "./screenNow.ts";
import { createSettingsDesk } from "./settingsDesk.ts";
import { continueClock } from "./systemClock.ts";
import { createService, type Service } from "./service.ts";

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

const TICK_MS = 1_000;
/** Runtimes that one stretch of a tick evaluates. */
const TICK_PIECE = 50;
const RETENTION_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SWEEP_MS = 2_000;
const LOOK_ANEW_MS = 5_000;
/** A command that starts a daemon waits for its answer three times as long. */
const FIRST_DRAIN_MS = 5_000;
/** Characters of a file in the spool that is no event. */
const MAX_SET_ASIDE = 8_000;
/** Characters of a screen that are quoted to a person who writes rules. */
const MAX_QUOTE = 4_000;

const hashId = (parts: readonly string[]): string =>
  `rt_${createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 16)}`;

/** For what a timer or an event begins: what cannot be stored now is tried again by whoever noticed it, and ends nothing. */
const survive = (logger: Logger, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (storeFailureOf(error) === null && !(error instanceof AgtmuxError)) throw error;
    logger.warn({ error }, "a change could not be stored");
  }
};

/** False when the time is over first. Rejects as `work` does. */
const isOverWithin = async (clock: Clock, limitMs: number, work: Promise<void>): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.setTimer(limitMs, () => resolve(false));
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    cancel();
  }
};

/** Runs `work` again and again, `delayMs` after it ended; returns the stop function. */
const repeat = (clock: Clock, delayMs: number, work: () => void): (() => void) => {
  let cancel: () => void = () => {};
  const next = (): void => {
    cancel = clock.setTimer(delayMs, () => {
      work();
      next();
    });
  };
  next();
  return () => cancel();
};

/**
 * Starts everything and resolves after the first complete look at tmux and the spool, so that the first answer is true.
 * The caller owns the home (owner lock). Fails with E_DATABASE_* where the state cannot be opened; a missing tmux is no
 * failure but a target that is down and says so.
 */
export const createDaemon = async (deps: DaemonDeps): Promise<Daemon> => {
  const { paths, ids, logger, adapters, env } = deps;
  const startedAt = deps.clock.now();
  for (const folder of [paths.spool, paths.spoolTmp, paths.spoolNew, paths.spoolBad, paths.logDir])
    // oxlint-disable-next-line no-await-in-loop -- a handful of folders, parents first
    await mkdir(folder, { recursive: true, mode: 0o700 });
  const closers: (() => Promise<void> | void)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.toReversed()) {
      // oxlint-disable-next-line no-await-in-loop -- in the reverse order of construction
      await close();
    }
    closers.length = 0;
  };

  try {
    const store = openDurableStore({ path: paths.stateDb, logger, clock: deps.clock });
    closers.push(() => store.close());
    const clock = continueClock(deps.clock, store.lastIngestedAt());
    const config = await ConfigFile.open(paths.config, logger);
    closers.push(() => config.close());
    const timing = () => config.current.timing;
    const eventScript = await installEventScript(deps.eventScriptSource, paths.binDir);

    const executor = createLocalExecutor({ targetId: HOST_TARGET, env, logger });
    closers.push(() => executor.close());
    const children = createStartedChildren({ executor, path: paths.children, logger });
    await children.endLeftovers();
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
      timing,
      adapterOf: (agentType) => adapterSwitch.enabled.byAgentType(agentType),
      runtimeIdOf: hashId,
      redact: redactEvidence,
      redactText: (text) => redactText(text, MAX_PROGRESS),
      fingerprintOf: promptFingerprint,
    });
    store.onReplaced(() => ingest.afterLoss());
    ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));
    ingest.setTarget({
      targetId: HOST_TARGET,
      targetName: HOST_TARGET,
      kind: "local",
      connectionRef: null,
      isDefault: true,
      health: "ok",
      healthReason: null,
      lastSeenAt: clock.now(),
      updatedAt: clock.now(),
      link: null,
    });

    const watched = resolveServers({ configured: config.current.tmux_servers, env, uid: deps.uid });
    const lookForTmux = () =>
      findTmux({ executor, configuredPath: config.current.tmux_path, pathVariable: env["PATH"] });
    const tmuxPath = await lookForTmux().then(
      (found) => found.path,
      (error: unknown) => {
        if (!(error instanceof AgtmuxError)) throw error;
        logger.error({ error }, "tmux was not found");
        ingest.setHealth(HOST_TARGET, "down", `${error.message}. ${error.remedy}`);
        return null;
      },
    );
    const fleet = createFleet((targetId) => {
      const target = ingest.world.targets.get(targetId);
      return { name: target?.targetName ?? targetId, reason: target?.healthReason ?? null };
    });
    const createUnit = (parts: UnitParts): TargetUnit =>
      createTargetUnit({
        ...parts,
        sink: ingest,
        adapters: adapterSwitch.enabled,
        world: {
          paneOf: (key) => ingest.world.paneOf(key),
          instanceOf: (targetId, server) => ingest.world.serverOf(targetId, server)?.instance ?? null,
        },
        timing,
        clock,
        ids,
        logger,
      });
    const host = createUnit({
      executor,
      reader: children.executor,
      tmuxPath,
      servers: watched,
      processes: createProcessTree({ executor, platform: deps.platform, clock }),
    });
    fleet.add(host);
    closers.push(() => host.close());

    const adapterDesk = createAdapterDesk({
      adapters,
      adapterSwitch,
      clock,
      capture: (pane) => fleet.unitOf(pane.targetId).capture(pane),
      processesOf: (pane) => fleet.unitOf(pane.targetId).processesOf(pane),
      redact: (text) => redactText(text, MAX_QUOTE),
    });
    const storeAdapters = (): void => {
      for (const row of adapterDesk.rows()) store.upsertAdapter(row);
    };
    storeAdapters();
    const renewAdapters = (): void => {
      storeAdapters();
      ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));
      ingest.renewAdapters();
      for (const unit of fleet.units()) unit.collector.rescan();
    };
    const forgetAdapters = adapters.files?.onChange(() => survive(logger, renewAdapters));
    if (forgetAdapters !== undefined) closers.push(forgetAdapters);
    let disabled = config.current.adapters.disabled.join();
    closers.push(
      config.onChange(() => {
        if (config.current.adapters.disabled.join() === disabled) return;
        disabled = config.current.adapters.disabled.join();
        survive(logger, renewAdapters);
      }),
    );

    const testEvents = createTestEvents(clock);
    const integrations = createIntegrationDesk({
      fleet,
      targetNames: () => [...ingest.world.targets.values()].map(({ targetName }) => targetName),
      eventScript,
      scriptText: await readFile(deps.eventScriptSource, "utf8"),
      adapterOf: (agentType) => adapters.byAgentType(agentType),
      agentTypes: () => adapters.list().map((adapter) => adapter.agentType),
      lastRealEventAt: (agentType, targetId) => store.lastHookEventAt(agentType, targetId),
      testEvents,
      clock,
      ids,
    });
    const targetDesk = createTargetDesk({
      config: () => config.current,
      write: (valueOf) => config.update(executor.files, ["targets"], valueOf),
      ingest: {
        setTarget: (target) => ingest.setTarget(target),
        removeTarget: (targetId) => ingest.removeTarget(targetId),
        targets: () => ingest.targets(),
        targetOf: (targetId) => ingest.world.targets.get(targetId),
      },
      open: createSshOpener({
        env,
        controlDir: paths.controlDir,
        createUnit,
        fleet,
        setHealth: (targetId, health, reason, link) =>
          survive(logger, () => ingest.setHealth(targetId, health, reason, link)),
        onEvents: (unit, envelopes) => unit.collector.deliver(testEvents.without(envelopes)),
        clock,
        ids,
        logger,
      }),
      clock,
      logger,
    });
    closers.push(() => targetDesk.close());
    closers.push(config.onChange(() => survive(logger, () => targetDesk.apply())));
    let cancelLook: () => void = () => {};
    closers.push(() => cancelLook());
    ingest.onRebuilt(() => {
      survive(logger, () => {
        storeAdapters();
        targetDesk.apply();
      });
      // A target that does not answer must not keep the others in the dark.
      cancelLook();
      cancelLook = clock.setTimer(LOOK_ANEW_MS, () => ingest.lookedAnew());
      void Promise.all(fleet.units().map(({ collector }) => collector.lookAnew())).then(() => {
        cancelLook();
        ingest.lookedAnew();
      });
    });
    const doctor = createDoctor({
      adapters,
      redact: (text) => redactText(text, MAX_QUOTE),
      targets: createDoctorTargets({
        ingest,
        fleet,
        store,
        integrationsOf: (targetId) => integrations.of(targetId),
        findTmux: (targetId) =>
          targetId === HOST_TARGET
            ? lookForTmux()
            : findTmux({
                executor: fleet.unitOf(targetId).executor,
                configuredPath:
                  config.current.targets.find(({ name }) => name === targetId)?.tmux_path ?? null,
                pathVariable: undefined,
              }),
      }),
      host: () => ({
        host: deps.host,
        platform: deps.platform,
        env,
        notifications: config.current.notifications,
        noticeListeners: service.notice.listenerCount,
        findTerminal: deps.findTerminal ?? null,
        loss: async () => {
          const loss = store.loss();
          if (loss === null) return null;
          return {
            ...loss,
            isKept: await stat(loss.keptPath).then(
              () => true,
              () => false,
            ),
          };
        },
        hindrance: ingest.hindrance,
      }),
      clock,
    });
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
        startedAt,
        host: deps.host,
        isOnDemand: deps.isOnDemand,
      }),
      requestShutdown: deps.onShutdownRequest,
      integrations,
      adapterDesk,
      adapterSwitch,
      settingsDesk: createSettingsDesk({
        path: paths.config,
        config: () => config.current,
        problem: () => config.problem,
        write: (key, value) => config.update(executor.files, key, () => value),
      }),
      readSshAliases: async () => readSshAliases(await executor.homeDir()),
      screenNow: createScreenNow({
        capture: async (pane) => (await fleet.find(pane.targetId)?.capture(pane)) ?? null,
        redact: (text) => redactText(text, MAX_QUOTE),
      }),
      fleet,
      targetDesk,
      doctor,
      openTerminal: deps.openTerminal,
      focusTerminal: deps.focusTerminal,
    });
    ingest.onChanges((changes) => service.notice.heed(changes));
    closers.push(() => service.notice.close());

    await host.collector.start();
    const drain = createSpoolDrain({
      spoolDir: paths.spool,
      onBatch: (envelopes) => host.collector.deliver(testEvents.without(envelopes)),
      redact: (text) => redactText(text, MAX_SET_ASIDE),
      logger,
      clock,
      sweepMs: SWEEP_MS,
    });
    closers.push(() => drain.close());
    const drained = drain.start();
    if (!(await isOverWithin(clock, FIRST_DRAIN_MS, drained))) {
      // The daemon answers all the same: what the rest of the events may change is not claimed until they are read.
      ingest.hideStates("events that came while no daemon ran are still being read");
      void drained.then(() => ingest.lookedAnew());
    }
    // Other machines come when they come: the first answer does not wait for them.
    targetDesk.apply();

    const ticking = createPieces((step) => survive(logger, step));
    closers.push(
      () => ticking.stop(),
      repeat(clock, TICK_MS, () => {
        ticking.run(ingest.tickInPieces(TICK_PIECE));
        service.notice.review();
      }),
      repeat(clock, RETENTION_MS, () =>
        survive(logger, () => {
          const { max_age_days, max_events } = config.current.retention;
          const removed = ingest.prune({
            olderThan: clock.now() - max_age_days * DAY_MS,
            maxEvents: max_events,
          });
          if (removed > 0) logger.info({ removed }, "old rows were removed");
        }),
      ),
    );

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
  } catch (error) {
    await closeAll();
    throw error;
  }
};
