// After memory was rebuilt from the store while the daemon runs: every target is looked at anew, and until that, or until it
// took too long, no state is claimed.
import type { Ingest } from "../ingest/ingest.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Own } from "./closing.ts";
import type { Fleet } from "../connections/fleet.ts";
import { survive } from "./survive.ts";

const LOOK_ANEW_MS = 5_000;

export interface LookAnewWhenRebuiltDeps {
  ingest: Pick<Ingest, "onRebuilt" | "lookedAnew">;
  fleet: Pick<Fleet, "units">;
  /** Brings back what memory and the store are told apart from looking: adapters, configured targets. */
  restore: () => void;
  clock: Clock;
  logger: Logger;
  own: Own;
}

export const lookAnewWhenRebuilt = ({
  ingest,
  fleet,
  restore,
  clock,
  logger,
  own,
}: LookAnewWhenRebuiltDeps): void => {
  let cancel: () => void = () => {};
  own(() => cancel());
  ingest.onRebuilt(() => {
    survive(logger, restore);
    // A target that does not answer must not keep the others in the dark.
    cancel();
    cancel = clock.setTimer(LOOK_ANEW_MS, () => ingest.lookedAnew());
    void Promise.all(fleet.units().map(({ collector }) => collector.lookAnew())).then(() => {
      cancel();
      ingest.lookedAnew();
    });
  });
};
