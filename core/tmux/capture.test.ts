import { expect, it } from "vitest";
import { cleanScreen } from "./capture.ts";

it("draws the tabs of a screen as blanks up to the next stop", () => {
  expect(cleanScreen(["first", "\tsecond;", "ab\tc\t\td"])).toEqual([
    "first",
    "        second;",
    "ab      c               d",
  ]);
});
