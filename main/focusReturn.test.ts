import { beforeEach, expect, it } from "vitest";
import { FocusReturn } from "./focusReturn.ts";

let given: number;
let focus: FocusReturn;
beforeEach(() => {
  given = 0;
  focus = new FocusReturn(() => (given += 1));
});

it("gives the focus back when a person closes the popover, once", () => {
  focus.ask();
  focus.hidden();
  focus.hidden();
  expect(given).toBe(1);
});

it("leaves the focus with the program that took it", () => {
  focus.hidden();
  // A click on the icon of a popover that was closed opens it.
  focus.ask();
  focus.shown();
  focus.hidden();
  expect(given).toBe(0);
});

it("leaves the focus with the terminal that is about to come, unless it does not", async () => {
  await focus.goElsewhere(() => Promise.resolve());
  focus.ask();
  focus.hidden();
  expect(given).toBe(0);
  await expect(focus.goElsewhere(() => Promise.reject(new Error("no terminal")))).rejects.toThrow();
  focus.ask();
  focus.hidden();
  expect(given).toBe(1);
});
