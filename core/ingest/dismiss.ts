// A person takes an errored or crashed row out of the lists' attention: a crashed one goes, a live one gets evidence of it.
import type { Ledger } from "./ledger.ts";
import type { Lives } from "./lives.ts";
import type { States } from "./states.ts";
import type { RuntimeEntry } from "./world.ts";

export interface DismissDeps {
  ledger: Ledger;
  states: States;
  lives: Lives;
}

const dismissError = ({ ledger, states }: DismissDeps, entry: RuntimeEntry): void => {
  const at = ledger.nextIngestedAt();
  const eventId = ledger.deps.ids.next("ev");
  const { runtimeId } = entry.runtime;
  states.addEvidence(
    entry,
    {
      eventId,
      runtimeId,
      source: "reconciler",
      eventType: "dismissal",
      sourceSeq: null,
      eventTime: at,
      ingestedAt: at,
      dedupeKey: eventId,
      signal: { kind: "dismissal" },
    },
    null,
  );
  states.evaluate(entry);
};

/** False when there is nothing to dismiss. */
export const dismiss = (deps: DismissDeps, runtimeId: string): boolean => {
  const { ledger, lives } = deps;
  const entry = ledger.world.runtimes.get(runtimeId);
  if (entry === undefined || entry.resolution?.status.state !== "error") return false;
  ledger.commit(() => {
    if (entry.crashedAt !== null) lives.dropCrashed(entry);
    else dismissError(deps, entry);
  });
  return true;
};
