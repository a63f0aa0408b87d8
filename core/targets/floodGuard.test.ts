import { expect, it } from "vitest";
import { createFloodGuard, UNASKED_BYTES } from "./floodGuard.ts";

it("allows a megabyte at once, and no more", () => {
  const guard = createFloodGuard();
  expect(guard.allows(UNASKED_BYTES, 0)).toBe(true);
  expect(guard.allows(1, 0)).toBe(false);
});

it("forgives with time, and no time that goes backwards", () => {
  const guard = createFloodGuard();
  for (let second = 0; second < 3_600; second += 1) expect(guard.allows(60_000, second * 1_000)).toBe(true);
  expect(guard.allows(UNASKED_BYTES, 3_700_000)).toBe(true);
  expect(guard.allows(1, 0)).toBe(false);
  expect(guard.allows(64_000, 2_000)).toBe(true);
});
