// What the daemon does by itself as time goes by: a tick every second, and retention every hour.
import type { Ingest } from "../ingest/ingest.ts";
import type { Config } from "../model/config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Own } from "./closing.ts";
import { createPieces } from "./pieces.ts";
import { survive } from "./survive.ts";

const TICK_MS = 1_000;
/** Runtimes that one stretch of a tick evaluates. */
const TICK_PIECE = 50;
const RETENTION_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface StartTickingDeps {
  ingest: Pick<Ingest, "tickInPieces" | "prune">;
  /** With every tick: notices that time alone makes due. */
  reviewNotices: () => void;
  retention: () => Config["retention"];
  clock: Clock;
  logger: Logger;
  own: Own;
}

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

export const startTicking = ({
  ingest,
  reviewNotices,
  retention,
  clock,
  logger,
  own,
}: StartTickingDeps): void => {
  const ticking = createPieces((step) => survive(logger, step));
  const prune = (): void => {
    const { max_age_days, max_events } = retention();
    const removed = ingest.prune({ olderThan: clock.now() - max_age_days * DAY_MS, maxEvents: max_events });
    if (removed > 0) logger.info({ removed }, "old rows were removed");
  };
  own(
    () => ticking.stop(),
    repeat(clock, TICK_MS, () => {
      ticking.run(ingest.tickInPieces(TICK_PIECE));
      reviewNotices();
    }),
    repeat(clock, RETENTION_MS, () => survive(logger, prune)),
  );
};
