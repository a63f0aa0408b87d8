// The order of events whose ages are only roughly known.
import { expect, it } from "vitest";
import { createEventTimes } from "./remoteDrain.ts";

it("dates by age, in the order of the asking, and never later than the arrival", () => {
  const times = createEventTimes();
  expect(times.timeOf(10_000, 7_000)).toBe(3_000);
  // When an answer takes long, its events look younger than they are.
  expect(times.timeOf(12_000, 100)).toBe(11_900);
  expect(times.timeOf(12_050, 400)).toBe(11_900);
  expect(times.timeOf(11_000, 0)).toBe(11_000);
});
