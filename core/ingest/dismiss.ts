// A person takes an errored or crashed row out of the lists' attention: a crashed one goes, a live one gets evidence of it.
import type { UnitOfWork } from "./unitOfWork.ts";
import type { RuntimeLifecycle } from "./runtimeLifecycle.ts";
import type { States } from "./states.ts";
import type { RuntimeEntry } from "./liveState.ts";

export interface DismissDeps {
  unitOfWork: UnitOfWork;
  states: States;
  lifecycle: RuntimeLifecycle;
}

const dismissError = ({ unitOfWork, states }: DismissDeps, entry: RuntimeEntry): void => {
  const at = unitOfWork.nextIngestedAt();
  const eventId = unitOfWork.deps.ids.next("ev");
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
  const { unitOfWork, lifecycle } = deps;
  const entry = unitOfWork.liveState.runtimes.get(runtimeId);
  if (entry === undefined || entry.resolution?.status.state !== "error") return false;
  unitOfWork.commit(() => {
    if (entry.crashedAt !== null) lifecycle.dropCrashed(entry);
    else dismissError(deps, entry);
  });
  return true;
};
