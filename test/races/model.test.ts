// Each check of the gate is needed: without it a race over the model is lost. Races that it wins: model.slow.test.ts.
import { expect, test } from "vitest";
import { KINDS } from "./model/kinds.ts";
import type { Check } from "./model/modelExecutor.ts";
import { surveyKind } from "./model/survey.ts";

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

test("no interleaving of a hundred races of each kind that follow delivers to another runtime or prompt", async () => {
  for (const name of ["prompt replaced by another, or opened", "two open requests"]) {
    const kind = KINDS.find((one) => one.name === name);
    if (kind === undefined) throw new Error(`there is no race '${name}'`);
    const { outcomes } = await surveyKind(kind, { races: 100, seed: 20_262 });
    expect({ name, wrong: outcomes.WRONG, arrives: outcomes.delivered > 0 }).toEqual({
      name,
      wrong: 0,
      arrives: true,
    });
  }
});
