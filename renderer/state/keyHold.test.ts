import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KeyHold } from "./readGate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("lets every key through until something is refused, and again once the person has moved", () => {
  const hold = new KeyHold();
  const told: boolean[] = [];
  hold.subscribe(() => told.push(hold.isHeld()));
  expect(["i", "Enter", "ArrowDown"].map((key) => hold.lets(key))).toEqual([true, true, true]);
  hold.hold();
  hold.hold();
  expect(["i", " ", "1", "Enter", "F1"].map((key) => hold.lets(key))).toEqual(Array(5).fill(false));
  expect([hold.lets("ArrowDown"), hold.lets("i")]).toEqual([true, true]);
  expect(told).toEqual([true, false]);
});

it.each(["Escape", "Tab", "ArrowLeft", "PageDown"])("takes %s for a move", (key) => {
  const hold = new KeyHold();
  hold.hold();
  expect([hold.lets(key), hold.isHeld()]).toEqual([true, false]);
});

it("of a text without a row lasts as long as the text: until a second after its last key", () => {
  const hold = new KeyHold();
  hold.holdText();
  for (const key of ["i", "n", "a"]) {
    vi.advanceTimersByTime(999);
    expect(hold.lets(key)).toBe(false);
  }
  vi.advanceTimersByTime(1_000);
  expect([hold.lets("n"), vi.getTimerCount()]).toEqual([true, 0]);
});

it("of what an agent or the daemon refused does not end by itself, also where a text was held before", () => {
  const hold = new KeyHold();
  hold.holdText();
  hold.hold();
  vi.advanceTimersByTime(60_000);
  hold.holdText();
  vi.advanceTimersByTime(60_000);
  expect(hold.lets("i")).toBe(false);
});
