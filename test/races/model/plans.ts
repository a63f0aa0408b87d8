// Generates races of a kind. Events fall most often between the first steps, where an action decides.
import fc from "fast-check";
import { isAnswer, type Kind } from "./kinds.ts";
import type { ActorPlan } from "../actor.ts";
import type { RacePlan } from "./race.ts";
import { DIALOG_STYLES } from "./tmuxModel.ts";

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

export const planOf = (kind: Kind): fc.Arbitrary<RacePlan> =>
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
