// A slice of the races over the model: `npm run race` runs twenty times as many.
import { expect, test } from "vitest";
import { KINDS } from "./model/kinds.ts";
import { CHECKS } from "./model/modelExecutor.ts";
import { surveyKind, surveyModel } from "./model/survey.ts";

test(
  "no interleaving of 5,000 races delivers to another runtime or prompt",
  { timeout: 60_000 },
  async () => {
    const tallies = await surveyModel(5_000, 20_260);
    expect(tallies.map(({ outcomes }) => outcomes.WRONG)).toEqual(KINDS.map(() => 0));
    // Races in which nothing ever arrives would prove nothing.
    expect(tallies.filter(({ outcomes }) => outcomes.delivered === 0)).toEqual([]);
  },
);

test.each(CHECKS)("a gate without the check of the %s is found out", { timeout: 60_000 }, async (check) => {
  const surveys = KINDS.map((kind) => () => surveyKind(kind, { races: 300, seed: 1, without: check }));
  let found: unknown = null;
  for (const survey of surveys)
    // oxlint-disable-next-line no-await-in-loop -- until the first that finds it
    found ??= await survey().then(
      () => null,
      (error: unknown) => error,
    );
  expect(String(found)).toContain("Property failed");
});
