import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TickingClock } from "./store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("ticks only while visible and listened to", () => {
  let isVisible = true;
  let ticks = 0;
  const clock = new TickingClock({ now: () => Date.now(), isVisible: () => isVisible });
  vi.advanceTimersByTime(5_000);
  expect(vi.getTimerCount()).toBe(0);
  const stop = clock.subscribe(() => (ticks += 1));
  vi.advanceTimersByTime(3_000);
  expect(ticks).toBe(4);
  isVisible = false;
  clock.update();
  vi.advanceTimersByTime(60_000);
  expect([ticks, clock.isTicking, vi.getTimerCount()]).toEqual([4, false, 0]);
  isVisible = true;
  clock.update();
  expect(clock.getState()).toBe(Date.now());
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
