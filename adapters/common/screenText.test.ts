import { expect, it } from "vitest";
import { readNumberedLines } from "./screenText.ts";

const LINE = /^( *\d+ ([ +-]) )/;

it("rows below a numbered line go on with it, and what a row above all of them does is not known", () => {
  expect(readNumberedLines(["  1 + one two", "      three", "  2 - four"], LINE, "+")).toEqual({
    content: "+one two\n>three\n-four",
    gutter: 6,
    isReadable: true,
  });
  expect(readNumberedLines(["      three", "  2 - four"], LINE, "+")).toEqual({
    content: "?      three\n-four",
    gutter: 6,
    isReadable: false,
  });
});
