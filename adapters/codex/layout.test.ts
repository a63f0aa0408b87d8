import { expect, it } from "vitest";
import { readSelector } from "./layout.ts";

it("an option is its whole text, also where it goes on below; a second column and what is below that describe it", () => {
  const rows = [
    "  › 1. Paint it in a colour that was",
    "       not there before",
    "    2. Blue               a cold colour that",
    "                          goes with red",
  ];
  const selector = readSelector(rows, rows.length);
  expect(selector?.labels).toEqual(["Paint it in a colour that was not there before", "Blue"]);
  expect(selector?.descriptions).toEqual(["", "a cold colour that goes with red"]);
});
