// Words of an agent's screen are found where a narrow pane wraps them, and only behind the prompt that they belong to.
import { expect, it } from "vitest";
import { textAfter, toOneLine } from "./livePane.ts";

it("joins what is wrapped, and leaves frames out", () => {
  expect(toOneLine("╭────╮\n│ Do you want │\n│ to proceed? │\n╰────╯")).toBe("Do you want to proceed?");
});

it("looks behind the last time that the prompt is there", () => {
  const screen = "> FAIL n1\n■ failure\n> FAIL n2\n■ again";
  expect(textAfter(screen, "FAIL n2")).toBe(" ■ again");
  expect(textAfter(screen, "FAIL n3")).toBe(toOneLine(screen));
});
