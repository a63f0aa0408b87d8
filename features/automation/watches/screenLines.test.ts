import { describe, expect, it } from "vitest";
import { takeNewLines, type ScreenMemory } from "./screenSigns.ts";

/** What each look after the first one finds new. */
const looks = (...screens: readonly string[][]): string[][] => {
  let memory: ScreenMemory | null = null;
  return screens
    .map((lines) => {
      const taken = takeNewLines(memory, lines);
      memory = taken.memory;
      return [...taken.added];
    })
    .slice(1);
};

describe("new lines of a screen", () => {
  it("are none at first, and then what was not there before", () => {
    expect(looks(["FAILED", "$"], ["FAILED", "ok", "$"])).toEqual([["ok"]]);
  });

  it("count again when the same is printed once more", () => {
    expect(looks(["FAILED", "$"], ["FAILED", "FAILED", "$"])).toEqual([["FAILED"]]);
  });

  it("are not found again when the screen scrolls or is drawn in another order", () => {
    expect(looks(["a", "b", "c", "$"], ["b", "c", "d", "$"], ["d", "c", "b", "$"])).toEqual([["d"], []]);
  });

  it("are whole: the last row counts once something follows it or it stays", () => {
    expect(looks(["a", "$"], ["a", "$", "FAI"], ["a", "$", "FAILED"], ["a", "$", "FAILED"])).toEqual([
      [],
      [],
      ["FAILED"],
    ]);
  });

  it("say when nothing of the last look is left", () => {
    const { memory } = takeNewLines(null, ["a", "b", "$"]);
    expect(takeNewLines(memory, ["x", "y", "z"]).hasGap).toBe(true);
    expect(takeNewLines(memory, ["b", "y", "z"]).hasGap).toBe(false);
  });
});
