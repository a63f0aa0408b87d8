// A slice of the races over the model: `npm run race` runs twenty times as many.
import { expect, test } from "vitest";
import { KINDS, RULE_KINDS } from "./model/kinds.ts";
import type { Check } from "./model/modelExecutor.ts";
import { surveyKind, surveyModel } from "./model/survey.ts";

test(
  "no interleaving of 5,000 races delivers to another runtime or prompt",
  { timeout: 60_000 },
  async () => {
    const tallies = await surveyModel(5_000, 20_260);
    expect(tallies.map(({ outcomes }) => outcomes.WRONG)).toEqual(KINDS.map(() => 0));
    // Races in which nothing ever arrives would prove nothing.
    const isRefusal = (name: string) => KINDS.some((one) => one.name === name && one.isRefusal === true);
    expect(tallies.filter(({ name, outcomes }) => (outcomes.delivered === 0) !== isRefusal(name))).toEqual(
      [],
    );
  },
);

test(
  "no interleaving of 2,000 races lets a rule answer another prompt, or one in doubt",
  { timeout: 60_000 },
  async () => {
    const tallies = await surveyModel(2_000, 20_261, null, RULE_KINDS);
    expect(tallies.map(({ outcomes }) => outcomes.WRONG)).toEqual(RULE_KINDS.map(() => 0));
    const isRefusal = (name: string) => RULE_KINDS.some((one) => one.name === name && one.isRefusal === true);
    expect(tallies.filter(({ name, outcomes }) => (outcomes.delivered === 0) !== isRefusal(name))).toEqual(
      [],
    );
  },
);

/** A kind of race that needs the check. */
const NEEDED_FOR: Record<Check, string> = {
  "first process": "pane respawned with the same id",
  program: "runtime replaced in the same shell",
  screen: "prompt replaced by another, or opened",
  place: "old rows above",
  cursor: "old rows in the old place",
  text: "two open requests",
  whole: "a dialog taller than the pane",
  "drawn text": "near-equal texts that events told: near",
  "start of a process": "pid given to another process",
  memory: "same prompt asked again",
  draft: "a person types where a text is queued",
};

test.each(Object.entries(NEEDED_FOR) as [Check, string][])(
  "a gate without the check of the %s loses the race '%s'",
  { timeout: 60_000 },
  async (without, name) => {
    const kind = KINDS.find((one) => one.name === name);
    if (kind === undefined) throw new Error(`there is no race '${name}'`);
    await expect(surveyKind(kind, { races: 1_000, seed: 1, without })).rejects.toThrow("Property failed");
  },
);
