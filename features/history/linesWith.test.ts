import { expect, it } from "vitest";
import { linesWith } from "./logFile.ts";

const linesOf = (text: string, pattern: RegExp): string[] => {
  const bytes = Buffer.from(text, "latin1");
  return [...linesWith(bytes, pattern, 10)].map(({ from, end }) => bytes.toString("latin1", from, end));
};

it("finds each line once, wherever it stands, also across two windows", () => {
  const wide = "x".repeat(32 * 1024 - 12);
  for (let shift = 0; shift < 24; shift += 1) {
    const text = `first Needle needle\n${wide}${"y".repeat(shift)}needle\nnone\n${wide.repeat(3)}\nlast needle`;
    const found = linesOf(text, /needle/gi);
    expect([found.length, found[0], found[1]?.endsWith("needle"), found[2]]).toEqual([
      3,
      "first Needle needle",
      true,
      "last needle",
    ]);
  }
});

it("says whether a last line is whole", () => {
  expect([...linesWith(Buffer.from("a\na"), /a/g, 1)].map(({ isWhole }) => isWhole)).toEqual([true, false]);
  expect([...linesWith(Buffer.from(""), /a/g, 1)]).toEqual([]);
});
