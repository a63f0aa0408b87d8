// The daemon's own work: what follows when the adapters, the list of targets or the memory of the present were exchanged; a tick
// every second, in steps that leave the event loop free, after a check of the processes if it is late; and retention every hour.
import type { ConfigFile } from "../config/configFile.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { AdapterSource } from "../ports/agentAdapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { AdapterService, AdapterSwitch } from "./adapterService.ts";
import type { Service } from "./service.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";
import type { TargetService } from "../connections/targetService.ts";

/** Time limit for the resync of all targets: a slow one must not delay the others. */
const RESYNC_MS = 5_000;

/**
 * What follows when something that everything rests on was exchanged. The adapters in force: they are stored, now and after each
 * change, and all panes are read again with them. The list of targets: it is applied. The memory of the present, which was rebuilt
 * from the store: what the store may lack is written into it, and all targets are resynced before a state is claimed.
 */
export const followChanges = (deps: {
  adapters: AdapterSource;
  adapterService: AdapterService;
  adapterSwitch: AdapterSwitch;
  config: ConfigFile;
  store: Store;
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
  targetService: TargetService;
  clock: Clock;
  logger: Logger;
  owned: AsyncDisposableStack;
}): void => {
  const {
    adapters,
    adapterService,
    adapterSwitch,
    config,
    store,
    ingest,
    connectedTargets,
    targetService,
    clock,
    logger,
    owned,
  } = deps;
  const storeAdapters = (): void => {
    for (const row of adapterService.rows()) store.upsertAdapter(row);
  };
  storeAdapters();
  const renewAdapters = (): void => {
    storeAdapters();
    ingest.endDisabled((agentType) => adapterSwitch.isEnabled(agentType));
    ingest.renewAdapters();
    for (const connected of connectedTargets.all()) connected.collector.rescan();
  };
  owned.defer(adapters.files?.onChange(() => tolerateStoreFailure(logger, renewAdapters)) ?? (() => {}));
  /** What says which processes are agents. */
  const chosen = (): string => JSON.stringify([config.current.adapters, config.current.agents]);
  let followed = chosen();
  owned.defer(
    config.onChange(() => {
      if (chosen() === followed) return;
      followed = chosen();
      tolerateStoreFailure(logger, renewAdapters);
    }),
  );
  owned.defer(config.onChange(() => tolerateStoreFailure(logger, () => targetService.apply())));

  let stopWaiting = (): void => {};
  owned.defer(() => stopWaiting());
  ingest.onRebuilt(() => {
    tolerateStoreFailure(logger, () => {
      storeAdapters();
      targetService.apply();
    });
    stopWaiting();
    stopWaiting = clock.setTimer(RESYNC_MS, () => ingest.resynced());
    void Promise.all(connectedTargets.all().map(({ collector }) => collector.resync())).then(() => {
      stopWaiting();
      ingest.resynced();
    });
  });
};

/**
 * Runs the daemon's own work in steps. The event loop turns between two of them, so that requests are answered. `guard` runs a
 * step and may swallow its failure; then the remaining steps are dropped.
 */
export const createChunkedTask = (guard: (step: () => void) => void) => {
  let current: Iterator<undefined> | null = null;
  const take = (steps: Iterator<undefined>): void => {
    if (current !== steps) return;
    let isOver = true;
    guard(() => {
      isOver = steps.next().done === true;
    });
    if (isOver) current = null;
    else setImmediate(() => take(steps));
  };
  return {
    /** Takes the first step at once and each of the others in its own turn. Steps that are left from an earlier run are dropped. */
    run: (steps: Iterator<undefined>): void => {
      current = steps;
      take(steps);
    },
    /** Takes no further step. */
    stop: (): void => {
      current = null;
    },
  };
};

const TICK_MS = 1_000;
/** If a tick is later than this, nothing was read in the meantime either. */
const LATE_MS = 3_000;
/** How many runtimes one step of a tick evaluates. */
const TICK_CHUNK = 50;
const RETENTION_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Runs `work` again and again, each time `delayMs` after it ended, and passes how late it is; returns the stop function. */
const repeat = (
  clock: Clock,
  delayMs: number,
  work: (lateMs: number) => Promise<void> | void,
): (() => void) => {
  let isStopped = false;
  let cancel: () => void = () => {};
  const next = (): void => {
    const dueAt = clock.now() + delayMs;
    cancel = clock.setTimer(delayMs, () => {
      const working = work(clock.now() - dueAt);
      if (working === undefined) next();
      else
        void working.finally(() => {
          if (!isStopped) next();
        });
    });
  };
  next();
  return () => {
    isStopped = true;
    cancel();
  };
};

export const startTicking = (deps: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
  service: Service;
  config: ConfigFile;
  clock: Clock;
  logger: Logger;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}): void => {
  const { ingest, connectedTargets, service, config, clock, logger, owned } = deps;
  const ticking = createChunkedTask((step) => tolerateStoreFailure(logger, step));
  owned.defer(() => ticking.stop());
  const tick = (): void => {
    ticking.run(ingest.tickInChunks(TICK_CHUNK));
    // Notifications become due by time alone, and a pane comes in front of somebody.
    service
      .review()
      .catch((error: unknown) => logger.error({ error }, "a look at what is due or seen failed"));
  };
  owned.defer(
    repeat(clock, TICK_MS, (lateMs) => {
      if (lateMs <= LATE_MS) return tick();
      // Which processes run is asked first: that they were not verified meanwhile must not count as their end.
      const looks = connectedTargets.all().map(({ collector }) => collector.verifyProcesses());
      return Promise.all(looks).then(tick, (error: unknown) => {
        logger.error({ error }, "a look before a late tick failed");
        tick();
      });
    }),
  );
  const prune = (): void => {
    const { max_age_days, max_events } = config.current.retention;
    const removed = ingest.prune({ olderThan: clock.now() - max_age_days * DAY_MS, maxEvents: max_events });
    if (removed > 0) logger.info({ removed }, "old rows were removed");
  };
  owned.defer(repeat(clock, RETENTION_MS, () => tolerateStoreFailure(logger, prune)));
};
