import { expect, it } from "vitest";
import { withoutSideBar } from "./layout.ts";

it("without its side bar a screen has all that stands left of it, from the first column on", () => {
  const row = (own: string, beside: string): string => own.padEnd(58) + beside;
  const screen = [row("┃ go on", "  Context"), row("  done", "  12% used"), row("", "  • OpenCode 1.18.33")];
  expect(withoutSideBar(screen, 100)).toEqual({ lines: ["┃ go on", "  done", ""], width: 58 });
});
