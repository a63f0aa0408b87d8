import { expect, test } from "vitest";
import { CANONICAL_STATES, REASON_CODES } from "./state.ts";
import { formatAge, REASON_WORDS, stateCount, STATE_WORDS } from "./words.ts";

test("an age is its largest whole unit", () => {
  expect(
    [-5, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 90 * 86_400_000].map(formatAge),
  ).toEqual(["<1s", "<1s", "1s", "59s", "1m", "59m", "1h", "1d", "90d"]);
});

test("what is counted has a plural", () => {
  expect([stateCount("error", 1), stateCount("error", 2), stateCount("waiting_approval", 1)]).toEqual([
    "1 error",
    "2 errors",
    "1 needs approval",
  ]);
  expect([stateCount("waiting_input", 3), stateCount("running", 2)]).toEqual(["3 need answer", "2 running"]);
});

test("every state and every reason has its own words", () => {
  expect(new Set(CANONICAL_STATES.map((state) => STATE_WORDS[state])).size).toBe(CANONICAL_STATES.length);
  const reasons = Object.values(REASON_CODES).flat();
  expect(reasons.every((reason) => REASON_WORDS[reason].length > 0)).toBe(true);
});
