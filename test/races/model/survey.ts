// Runs many races of every kind and counts how they ended. Deterministic: the seed and the number make the races.
import fc from "fast-check";
import type { ActorPlan, Outcome } from "../actor.ts";
import { isAnswer, type Kind, KINDS } from "./kinds.ts";
import type { Check } from "./modelExecutor.ts";
import { type RacePlan, runRace } from "./race.ts";
import { DIALOG_STYLES } from "./tmuxModel.ts";

// Generates races of a kind. Events fall most often between the first steps, where an action decides.

const point = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 8 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 24 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 120 }) },
  { weight: 1, arbitrary: fc.constant(-1) },
);

const actorOf = (kind: Kind): fc.Arbitrary<ActorPlan> =>
  fc.record({
    action: fc.constantFrom(...kind.actions),
    isByRuntime: fc.boolean(),
    guard: fc.constantFrom("none", "runtime", "force"),
    choice: fc.constantFrom(...(kind.choices ?? (["approve", "deny", "option", "text"] as const))),
  });

const planOf = (kind: Kind): fc.Arbitrary<RacePlan> =>
  fc
    .record({
      scene: fc.constantFrom(...kind.scenes),
      isWorking: fc.boolean(),
      style: fc.constantFrom(...(kind.styles ?? DIALOG_STYLES)),
      asked: fc.integer({ min: 0, max: 7 }),
      isOther: fc.boolean(),
      isFitting: fc.integer({ min: 0, max: 9 }),
      actors: fc.array(actorOf(kind), { minLength: kind.actors, maxLength: kind.actors }),
      events:
        kind.events.length === 0
          ? fc.constant([])
          : kind.events.length > 3
            ? fc.array(fc.record({ event: fc.constantFrom(...kind.events), at: point }), {
                minLength: 1,
                maxLength: 4,
              })
            : fc.tuple(...kind.events.map((event) => point.map((at) => ({ event, at })))),
      syncs: fc.oneof(
        fc.constant("never" as const),
        fc.constant("always" as const),
        fc.array(point, { minLength: 1, maxLength: 4 }),
      ),
      turns: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 12 }),
    })
    .map(({ isFitting, style, actors, isOther, ...plan }) => {
      // Mostly a scene in which the action makes sense.
      const action = actors[0]?.action ?? "send";
      const isAsked = isAnswer(action) || kind.events.includes("prompt answered elsewhere");
      const fits = isFitting > 0;
      const fitChoice = ({ choice, ...actor }: ActorPlan): ActorPlan => {
        const isText = fits ? style === "text" : choice === "text";
        const other = kind.choices?.includes("deny") === false ? "approve" : "deny";
        return { ...actor, choice: isText ? "text" : choice === "text" ? other : choice };
      };
      return {
        ...plan,
        actors: actors.map(fitChoice),
        dialog: isAsked === fits ? style : null,
        texts: kind.texts ?? "plain",
        above: kind.above ?? 0,
        isAnnounced: kind.isAnnounced ?? false,
        queued: kind.hasQueued !== true ? "none" : isOther ? "shown" : "hidden",
        isWorking: action === "interrupt" ? fits : plan.isWorking,
      };
    });

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
