// What the daemon does when it is told that the machine woke up: one look at everything and one attempt per lost connection,
// however many times and by however many surfaces it is told.
import type { Clock } from "../ports/clock.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { TargetService } from "../connections/targetService.ts";

/** A machine that wakes tells it several ways within seconds. */
const ONCE_IN_MS = 5_000;

export interface WakeUpDeps {
  connectedTargets: Pick<ConnectedTargets, "all">;
  targetService: Pick<TargetService, "retryNow">;
  clock: Pick<Clock, "now">;
}

/** Resolves when the attempts are over; never rejects for what they found. */
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
