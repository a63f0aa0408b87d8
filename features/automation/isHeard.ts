// Before anything is done unattended, what the agent told meanwhile counts.
import { endsWithin } from "../../core/model/endsWithin.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";

/** Whether the events that its agent has told are taken in, within `limitMs`; false also where they cannot be read. */
export const isHeard = (
  { sends, clock }: FeatureContext,
  runtimeId: string,
  limitMs: number,
): Promise<boolean> =>
  // Why is logged where they are read.
  endsWithin(sends.takeEvents(runtimeId), limitMs, clock).catch(() => false);
