import { expect, test } from "vitest";
import { continueClock, createIdSource } from "./systemClock.ts";

test("ids and nonces never come twice, also beyond what is drawn at once", () => {
  const ids = createIdSource(() => 1_700_000_000_000);
  const nonces = Array.from({ length: 2_000 }, () => ids.nonce());
  const made = Array.from({ length: 2_000 }, () => ids.next("ev"));
  expect(nonces.every((nonce) => /^[0-9a-f]{32}$/.test(nonce))).toBe(true);
  expect(made.every((id) => /^ev_[0-9a-z]{13}[0-9a-f]{10}$/.test(id))).toBe(true);
  expect(new Set([...nonces, ...made, ...made.map((id) => id.slice(-10))]).size).toBe(6_000);
});

test("a clock that was set back runs on from what is stored, unless that was never right", () => {
  let wall = 1_000_000_000;
  const clock = { now: () => wall, setTimer: () => () => {} };
  const hour = 3_600_000;
  const continued = continueClock(clock, wall + hour);
  const first = continued.now();
  expect(first).toBeGreaterThanOrEqual(wall + hour);
  expect(continued.now()).toBeGreaterThanOrEqual(first);
  wall += 2 * hour;
  expect(continued.now()).toBe(wall);
  for (const lastAt of [0, wall, wall + 100 * 24 * hour]) expect(continueClock(clock, lastAt)).toBe(clock);
});
