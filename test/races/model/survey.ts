// Runs many races of every kind and counts how they ended. Deterministic: the seed and the number make the races.
import fc from "fast-check";
import { KINDS, type Kind } from "./kinds.ts";
import type { Check } from "./modelExecutor.ts";
import { planOf } from "./plans.ts";
import { runRace } from "./race.ts";
import type { Outcome } from "../actor.ts";

export const OUTCOMES = ["delivered", "not_delivered", "unverified", "refused", "window", "WRONG"] as const;

export interface KindTally {
  name: string;
  races: number;
  /** Actions by how they ended; two per race where two act. */
  outcomes: Record<Outcome, number>;
}

/** @throws the smallest race that fast-check finds, when one went wrong. */
export const surveyKind = async (
  kind: Kind,
  { races, seed, without = null }: { races: number; seed: number; without?: Check | null },
): Promise<KindTally> => {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  await fc.assert(
    fc.asyncProperty(planOf(kind), async (plan) => {
      const report = await runRace(kind, plan, without);
      for (const outcome of report.outcomes) outcomes[outcome] += 1;
      if (report.faults.length > 0)
        throw new Error(`${kind.name}: ${report.faults.join("; ")}\nsteps: ${report.log.join(" ")}`);
    }),
    { numRuns: races, seed, endOnFailure: false },
  );
  return { name: kind.name, races, outcomes };
};

/** @throws as surveyKind. */
export const surveyModel = async (
  races: number,
  seed: number,
  without: Check | null = null,
  kinds: readonly Kind[] = KINDS,
): Promise<KindTally[]> => {
  const tallies: KindTally[] = [];
  for (const [index, kind] of kinds.entries()) {
    const share = Math.ceil(races / kinds.length);
    tallies.push(await surveyKind(kind, { races: share, seed: seed + index, without }));
  }
  return tallies;
};
