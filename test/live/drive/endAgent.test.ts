import { expect, it } from "vitest";
import { pidsBelow } from "./hard.ts";

it("takes what is below the shell, however deep, and nothing beside it", () => {
  const lines = "  1 0\n 10 1\n 11 10\n 12 11\n 13 1\n 14 13\n";
  expect(pidsBelow(10, lines)).toEqual([11, 12]);
});
