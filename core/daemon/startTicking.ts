// What the daemon does by itself: a tick every second, retention every hour, and one look at everything when the machine woke up.
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { TargetService } from "../connections/targetService.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Config } from "../model/config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { tolerateStoreFailure } from "./tolerateStoreFailure.ts";

// Work of the daemon's own that comes in steps: the loop turns between two of them, so that whoever asks is answered.
interface ChunkedTask {
  /** Takes the first step at once, the others each in a turn of its own. What still runs of the time before is given up. */
  run(steps: Iterator<undefined>): void;
  /** No further step is taken. */
  stop(): void;
}

/** `guard` runs a step and may swallow its failure: the rest is left then. */
export const createChunkedTask = (guard: (step: () => void) => void): ChunkedTask => {
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
    run: (steps) => {
      current = steps;
      take(steps);
    },
    stop: () => {
      current = null;
    },
  };
};

const TICK_MS = 1_000;
/** A tick that is later than this: then nobody could look in the meantime either. */
const LATE_MS = 3_000;
/** Runtimes that one stretch of a tick evaluates. */
const TICK_CHUNK = 50;
const RETENTION_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface StartTickingDeps {
  ingest: Pick<Ingest, "tickInChunks" | "prune">;
  /** Checks which processes live, so that a late tick does not take a time without looks for their end. */
  lookFirst: () => Promise<void>;
  /** With every tick: notices that time alone makes due. */
  reviewNotifications: () => void;
  retention: () => Config["retention"];
  clock: Clock;
  logger: Logger;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}

/** Runs `work` again and again, `delayMs` after it ended, and tells it by how much it is late; returns the stop function. */
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

export const startTicking = ({
  ingest,
  lookFirst,
  reviewNotifications,
  retention,
  clock,
  logger,
  owned,
}: StartTickingDeps): void => {
  const ticking = createChunkedTask((step) => tolerateStoreFailure(logger, step));
  owned.defer(() => ticking.stop());
  const tick = (): void => {
    ticking.run(ingest.tickInChunks(TICK_CHUNK));
    reviewNotifications();
  };
  owned.defer(
    repeat(clock, TICK_MS, (lateMs) => {
      if (lateMs <= LATE_MS) return tick();
      return lookFirst().then(tick, (error: unknown) => {
        logger.error({ error }, "a look before a late tick failed");
        tick();
      });
    }),
  );
  const prune = (): void => {
    const { max_age_days, max_events } = retention();
    const removed = ingest.prune({ olderThan: clock.now() - max_age_days * DAY_MS, maxEvents: max_events });
    if (removed > 0) logger.info({ removed }, "old rows were removed");
  };
  owned.defer(repeat(clock, RETENTION_MS, () => tolerateStoreFailure(logger, prune)));
};

/** A machine that wakes tells it several ways within seconds. */
const ONCE_IN_MS = 5_000;

export interface WakeUpDeps {
  connectedTargets: Pick<ConnectedTargets, "all">;
  targetService: Pick<TargetService, "retryNow">;
  clock: Pick<Clock, "now">;
}

/**
 * One look at everything and one attempt per lost connection, however many times and by however many surfaces it is told.
 * Resolves when the attempts are over; never rejects for what they found.
 */
export const createWakeUp = ({
  connectedTargets,
  targetService,
  clock,
}: WakeUpDeps): (() => Promise<void>) => {
  let lastAt: number | null = null;
  return async () => {
    if (lastAt !== null && clock.now() - lastAt < ONCE_IN_MS) return;
    lastAt = clock.now();
    for (const connected of connectedTargets.all()) connected.collector.rescan();
    await targetService.retryNow();
  };
};
