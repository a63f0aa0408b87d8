import { describe, expect, it } from "vitest";
import { isContentDrawn } from "./drawnText.ts";

const LONG = "+a long line with  two blanks\n+last";

it.each<[string, string, string, number | null]>([
  ["between lines of the file", "-one\n+two", " zero\n-one\n+two\n three", null],
  ["without the lines that stay", "-a\n-b\n+a\n+c", " a\n-b\n+c", null],
  ["wrapped below its sign", LONG, "+a long line\n>with  two\n>blanks\n+last", 12],
  ["wrapped without a sign of its own", LONG, "+a long line\n+with  two\n+blanks\n+last", 12],
  [
    "wrapped between lines of the file that are wrapped too",
    "-aaa bbb\n+ccc ddd",
    " aaa\n>aaa\n-aaa\n>bbb\n+ccc\n>ddd",
    6,
  ],
  ["with a blank row below a line", "+one two\n+three", "+one\n>two\n>\n+three", 6],
  ["with its beginning out of sight", "+row 1\n+row 2\n+row 3", "+row 2\n+row 3", 40],
  ["as nothing but the file's lines", "-one\n+two", " zero", null],
])("an edit is drawn %s", (_name, announced, drawn, columns) => {
  expect(isContentDrawn(announced, drawn, columns)).toBe(true);
});

it.each<[string, string, string, number | null]>([
  ["another line", "+two", "+three", null],
  ["with another sign", "+two", "-two", null],
  ["another blank", "+rm a/b", "+rm a /b", 40],
  ["a wrap that no width explains", "+rm a/b", "+rm a/\n>b", null],
  ["a wrap that its width does not explain", "+rm -rf b", "+rm -rf\n>b", 40],
  ["another order", "+one a\n+two b", "+two b\n+one a", 40],
  ["a line more", "+one", "+one\n+rm -rf b", 40],
  ["a row that cannot be read", "+one", "+one\n?what", null],
])("an edit is another one with %s", (_name, announced, drawn, columns) => {
  expect(isContentDrawn(announced, drawn, columns)).toBe(false);
});

describe("where all rows are in sight", () => {
  it.each<[string, string, string, number | null]>([
    ["a change between lines of the file", "-one\n+two", " zero\n-one\n+two\n three", null],
    ["lines that stay and are announced as changed", "-a\n-b\n+a\n+c", " a\n-b\n+c", null],
    ["changes with a line between that stays", "-a\n-b\n-c\n+x\n+b\n+z", "-a\n+x\n b\n-c\n+z", null],
    ["two places", " k\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n l", "-a\n+b\n l\n m\n-c\n+d", null],
    ["a line that is put between others", "+one", " zero\n+one\n two", null],
    ["a new file", "+one\n+\n+two", "+one\n+\n+two", null],
    ["a wrapped line", "+one two\n+three", "+one\n>two\n>\n+three", 6],
  ])("%s is drawn", (_name, announced, drawn, columns) => {
    expect(isContentDrawn(announced, drawn, columns, { isWhole: true })).toBe(true);
  });

  it.each<[string, string, string, number | null]>([
    ["a line is missing", "+one\n+rm x\n+two", "+one\n+two", null],
    ["a line that goes is missing", "-one\n-two\n+x", "-one\n+x", null],
    ["a line is in another place", "-one\n+two", "-one\n zero\n+two", null],
    ["a change is missing", "-a\n+b\n@@ -9 +9 @@\n-c\n+d", "-a\n+b", null],
    ["a line that is put in elsewhere is missing", "-a\n+b\n@@ -9 +9 @@\n+c", "-a\n+b", null],
    ["nothing of it is drawn", "-one\n+two", " zero", null],
    ["more is drawn", "+one", "+one\n+two", null],
  ])("%s: another edit", (_name, announced, drawn, columns) => {
    expect(isContentDrawn(announced, drawn, columns, { isWhole: true })).toBe(false);
  });
});

it("a gap is none where rows follow each other", () => {
  expect(isContentDrawn("+one a\n+rm -rf b\n+two c", "+one a\n+two c", 40)).toBe(false);
  expect(isContentDrawn("+one a\n+rm -rf b\n+two c", "+one a\n two\n+two c", 40)).toBe(true);
});
