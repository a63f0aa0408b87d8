// Many races on real tmux: some lanes at once, each with a server of its own, and a table of how they ended.
import fc from "fast-check";
import type { Outcome } from "../actor.ts";
import { OUTCOMES, type KindTally } from "../model/survey.ts";
import { isAnswer } from "../model/kinds.ts";
import { DIALOG_STYLES } from "../model/tmuxModel.ts";
import { Lane } from "./lane.ts";
import { REAL_KINDS, type RealKind } from "./realEvents.ts";
import { createBench, runRealRace, type RealPlan, type RealReport } from "./realRace.ts";

const planOf = (kind: RealKind): fc.Arbitrary<RealPlan> =>
  fc
    .record({
      scene: fc.constantFrom(...kind.scenes),
      style: fc.constantFrom(...(kind.styles ?? DIALOG_STYLES)),
      isWorking: fc.boolean(),
      asked: fc.integer({ min: 0, max: 7 }),
      showsQueued: fc.boolean(),
      action: fc.constantFrom(...kind.actions),
      actor: fc.record({
        isByRuntime: fc.boolean(),
        guard: fc.constantFrom("none" as const, "runtime" as const, "force" as const),
        choice: fc.constantFrom("approve" as const, "deny" as const, "option" as const),
      }),
      at: fc.integer({ min: 0, max: 7 }),
      isDuring: fc.boolean(),
      delayMs: fc.integer({ min: 0, max: 12 }),
      syncs: fc.constantFrom("never" as const, "always" as const),
    })
    .map(({ style, action, actor, ...plan }) => {
      const choice = style === "text" ? ("text" as const) : actor.choice;
      return {
        ...plan,
        // Before its first keys an action takes three or four commands.
        at: plan.at > 5 ? plan.at - 4 : plan.at,
        dialog: isAnswer(action) ? style : null,
        isWorking: action === "interrupt" || plan.isWorking,
        actors: Array.from({ length: kind.actors }, () => ({ ...actor, action, choice })),
      };
    });

export interface RealTally extends KindTally {
  /** What went wrong, with the plan that did it. */
  faults: string[];
}

/** Where a survey that was stopped goes on. */
export interface SurveyState {
  tallies: RealTally[];
  /** Races that were run, each by its kind and its number within it. */
  done: string[];
}

export const emptySurvey = (kinds: readonly RealKind[]): SurveyState => ({
  tallies: kinds.map(({ name }) => ({
    name,
    races: 0,
    outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>,
    faults: [],
  })),
  done: [],
});

/**
 * `lanes`: how many at once. `state`: is brought up to date with each race, after which `onRace` is called; races that are in it are
 * not run again. Ends early where `isOver` says so. Never throws for a race that went wrong: it is in the tally.
 */
export const surveyReal = async (options: {
  races: number;
  seed: number;
  lanes: number;
  kinds?: readonly RealKind[];
  state?: SurveyState;
  onRace?: () => void;
  isOver?: () => boolean;
}): Promise<RealTally[]> => {
  const kinds = options.kinds ?? REAL_KINDS;
  const { tallies, done } = options.state ?? emptySurvey(kinds);
  const known = new Set(done);
  const bench = createBench();
  const share = Math.ceil(options.races / kinds.length);
  const queue = kinds.flatMap((kind, index) =>
    fc
      .sample(planOf(kind), { numRuns: share, seed: options.seed + index })
      .map((plan, number) => ({ kind, plan, index, id: `${index}:${number}` }))
      .filter(({ id }) => !known.has(id)),
  );
  const runLane = async (number: number): Promise<void> => {
    const lane = new Lane(`l${number}`, bench.processes);
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { kind, plan, index, id } = next;
        const { outcomes, faults } = await runRealRace(bench, lane, kind, plan).catch(
          async (error: unknown): Promise<RealReport> => {
            // A race that cannot be run is a fault as well, but no reason to lose the others.
            await lane.stop();
            return { outcomes: [], faults: [`it could not be run: ${String(error)}`] };
          },
        );
        const tally = tallies[index];
        if (tally === undefined) continue;
        tally.races += 1;
        for (const outcome of outcomes) tally.outcomes[outcome] += 1;
        if (faults.length > 0) tally.faults.push(`${faults.join("; ")}\n${JSON.stringify(plan)}`);
        done.push(id);
        options.onRace?.();
        if (options.isOver?.() === true) queue.length = 0;
      }
    } finally {
      await lane.close();
    }
  };
  try {
    const lanes = Array.from({ length: options.lanes }, (_, number) => runLane(number));
    // Every lane ends its server before a failure of one is told.
    for (const end of await Promise.allSettled(lanes)) if (end.status === "rejected") throw end.reason;
  } finally {
    await bench.executor.close();
  }
  return tallies;
};
