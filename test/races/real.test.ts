// A slice of the races on real tmux: `npm run race` runs forty times as many.
import { expect, test } from "vitest";
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
