// Panes so low that the first row in sight is already a part of the input box or of a dialog.
import { expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readClaudeScreen } from "./screen.ts";

/** The same screen in a pane that ends above what fits: its rows from `first` on. */
const from = (name: string, isFirst: (row: string) => boolean) => {
  const screen = frameOf("claude", name);
  return { ...screen, lines: screen.lines.slice(screen.lines.findIndex(isFirst)) };
};

it("an agent at rest is seen where its box begins in the first row", () => {
  const screen = from("idle_fresh", (row) => /^─{12}/.test(row));
  expect(readClaudeScreen(screen)?.status.state).toBe("idle");
});

it("a plan whose beginning is out of sight is told from there on where it is seen, and never as whole", () => {
  const request = readClaudeScreen(
    from("plan_tall_120_columns", (row) => row.includes("- bold point")),
  )?.request;
  expect(request?.body).toContain("1. Step number 1 of the plan\n2. Step number 2 of the plan");
  expect(request?.isWhole).toBeUndefined();
});
