import { expect, it } from "vitest";
import { styledCells, typedOf } from "./screenText.ts";

/** What is dim, in brackets. */
const seen = (...lines: string[]): string[] =>
  styledCells(lines).map((cells) => cells.map(({ char, isDim }) => (isDim ? `[${char}]` : char)).join(""));

it("goes on from line to line until it is ended", () => {
  expect(seen("a\u001b[2mb", "c\u001b[22md\u001b[1;2me\u001b[0mf\u001b[2mg\u001b[mh")).toEqual([
    "a[b]",
    "[c]d[e]f[g]h",
  ]);
});

it("does not take the numbers of colours for it", () => {
  expect(seen("\u001b[38;5;2ma\u001b[48;2;2;2;2mb\u001b[2;38;5;0mc\u001b[58;5;2md")).toEqual(["ab[c][d]"]);
});

it("leaves out whatever else a terminal is told", () => {
  expect(seen("\u001b[2J\u001b(Ba\u001b[3;2Hb")).toEqual(["ab"]);
});

it("is left out of what was typed", () => {
  expect(typedOf(styledCells(["> a\u001b[2m b", "  \u001b[0mc  ", "", "  d"]), 2)).toBe("a\nc\n\nd");
});
