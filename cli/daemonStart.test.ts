import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handClock } from "../test/workspaces/handClock.ts";
import { returnMemory } from "./command/createContext.ts";

const MINUTE_MS = 60_000;

let collections = 0;

beforeEach(() => {
  collections = 0;
  vi.stubGlobal("gc", () => {
    collections += 1;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const heapOf = (megabytes: number): void => {
  vi.spyOn(process, "memoryUsage").mockReturnValue({
    ...process.memoryUsage(),
    heapUsed: megabytes * 2 ** 20,
  });
};

test("memory is collected after the start, once it is idle, and then four times an hour, until the daemon ends", () => {
  heapOf(15);
  const clock = handClock();
  const end = returnMemory(clock);
  const after = (ms: number): number => {
    clock.advance(ms);
    return collections;
  };
  expect([after(4_999), after(1), after(MINUTE_MS), after(14 * MINUTE_MS), after(MINUTE_MS)]).toEqual([
    0, 1, 2, 2, 3,
  ]);
  end();
  expect(after(60 * MINUTE_MS)).toBe(3);
});

test("a large heap is left to the engine, which does it in small steps", () => {
  heapOf(41);
  const clock = handClock();
  const end = returnMemory(clock);
  clock.advance(2 * MINUTE_MS);
  end();
  expect(collections).toBe(0);
});
