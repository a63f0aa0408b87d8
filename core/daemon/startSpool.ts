// Starts taking events out of this machine's spool. The daemon's first answer waits for the events that are already there, but
// not for long.
import { createSpoolDrain, type SpoolDrain } from "../collect/spoolDrain.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Envelope } from "../model/envelope.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { redactText } from "../store/redactText.ts";
import { endsWithin } from "../model/endsWithin.ts";

const SWEEP_MS = 2_000;
/** How long the first answer waits. A command that starts a daemon waits three times as long. */
const FIRST_DRAIN_MS = 5_000;
/** How many characters are kept of a file in the spool that is not an event. */
const MAX_SET_ASIDE = 8_000;

export interface StartSpoolDeps {
  spoolDir: string;
  /** Commits durably; a throw leaves the files in place. */
  deliver: (envelopes: Envelope[]) => Promise<void>;
  ingest: Pick<Ingest, "markStale" | "resynced">;
  clock: Clock;
  logger: Logger;
  /** Ends what is started here. */
  owned: AsyncDisposableStack;
}

/**
 * Resolves once the waiting events are applied, or when that takes too long; then no state is claimed until they are applied.
 * Gives what takes out the events of this very moment.
 */
export const startSpool = async (deps: StartSpoolDeps): Promise<Pick<SpoolDrain, "take">> => {
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
