import { expect, it } from "vitest";
import { selectedOf } from "./dialogs.ts";

const CHOSEN = "\u001b[31m";
const PLAIN = "\u001b[39m";

it("the chosen option is told by its colour, also of those that begin in the first column", () => {
  const rows = (chosen: number) =>
    ["Yes", "No", "Never"].map((label, index) => `${index === chosen ? CHOSEN : PLAIN}${label}`);
  for (const chosen of [0, 1, 2]) expect(selectedOf(rows(chosen), ["Yes", "No", "Never"])).toBe(chosen);
});

it("an option is not looked for behind the one that follows it", () => {
  const rows = [`${CHOSEN}Yes`, `${PLAIN}No, unlike Yes`, `${PLAIN}Never`];
  expect(selectedOf(rows, ["Yes", "No", "Never"])).toBe(0);
});
