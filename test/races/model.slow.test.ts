// A slice of the races over the model: `npm run race` runs twenty times as many.
import { expect, test } from "vitest";
import { KINDS, RULE_KINDS } from "./model/kinds.ts";
import { surveyRequests } from "./model/openRequests.ts";
import { surveyModel } from "./model/survey.ts";

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

test("of 10,000 pairs and triples of open requests no other one is approved than is shown", () => {
  const tallies = surveyRequests(10_000, 20_264);
  expect(tallies.filter(({ outcomes }) => outcomes.WRONG > 0 || outcomes.approved === 0)).toEqual([]);
});
