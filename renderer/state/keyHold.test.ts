import { expect, it } from "vitest";
import { KeyHold } from "./readGate.ts";

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
