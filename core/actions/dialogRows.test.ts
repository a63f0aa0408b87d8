import { expect, it } from "vitest";
import { dialogRows } from "./promptReading.ts";

it("every row with a text has its place", () => {
  expect(dialogRows(["old", "────", " Run", "", " │ ls", "❯ 1. Yes", "────"], 1)).toEqual([
    { line: 2, text: " Run" },
    { line: 4, text: " │ ls" },
    { line: 5, text: "❯ 1. Yes" },
  ]);
});

it("of equal rows of the dialog the first counts: tmux finds no other", () => {
  expect(dialogRows(["a", "b", "a"], 0)).toEqual([
    { line: 0, text: "a" },
    { line: 1, text: "b" },
  ]);
});

it("a row that stands above the dialog too cannot be told from that one", () => {
  expect(dialogRows([" rm -rf build", "", "Run?", " rm -rf build"], 2)).toBeNull();
});
