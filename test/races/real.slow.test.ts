// A slice of the races on real tmux: `npm run race` runs forty times as many.
import { expect, test } from "vitest";
import { REAL_RULE_KINDS } from "./real/realEvents.ts";
import { surveyReal } from "./real/realSurvey.ts";

test(
  "fifty races on real tmux reach no other runtime and no other prompt",
  { timeout: 120_000 },
  async () => {
    const tallies = await surveyReal({ races: 50, seed: 7, lanes: 4 });
    expect(tallies.flatMap(({ faults }) => faults)).toEqual([]);
    expect(tallies.reduce((sum, { outcomes }) => sum + outcomes.delivered, 0)).toBeGreaterThan(0);
  },
);

test("twenty answers of rules on real tmux reach no other prompt", { timeout: 120_000 }, async () => {
  const tallies = await surveyReal({ races: 20, seed: 8, lanes: 4, kinds: REAL_RULE_KINDS });
  expect(tallies.flatMap(({ faults }) => faults)).toEqual([]);
  expect(tallies.reduce((sum, { outcomes }) => sum + outcomes.delivered, 0)).toBeGreaterThan(0);
});
