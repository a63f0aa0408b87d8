import { expect, test } from "vitest";
import { CANONICAL_STATES, REASON_CODES } from "./state.ts";
import { formatAge, REASON_WORDS, STATE_WORDS } from "./words.ts";

test("an age is its largest whole unit", () => {
  expect(
    [-5, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 90 * 86_400_000].map(formatAge),
  ).toEqual(["now", "now", "1s", "59s", "1m", "59m", "1h", "1d", "90d"]);
});

test("every state and every reason has its own words", () => {
  expect(new Set(CANONICAL_STATES.map((state) => STATE_WORDS[state])).size).toBe(CANONICAL_STATES.length);
  const reasons = Object.values(REASON_CODES).flat();
  expect(reasons.every((reason) => REASON_WORDS[reason].length > 0)).toBe(true);
});
