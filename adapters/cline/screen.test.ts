// What recorded dialogs of Cline become where they have less room, or more to say.
import { describe, expect, it } from "vitest";
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { frameOf } from "../testkit/recordings.ts";
import { readClineScreen } from "./screen.ts";

const APPROVAL = frameOf("cline", "waiting_approval");
const QUESTION = frameOf("cline", "waiting_input_question");
const read = (screen: Screen): Reading => {
  const reading = readClineScreen(screen);
  if (reading === null) throw new Error("the frame is not recognised");
  return reading;
};
/** With other rows in the place of the first one that matches. */
const replaced = (screen: Screen, row: RegExp, ...rows: string[]): Screen => {
  const at = screen.lines.findIndex((line) => row.test(line));
  if (at < 0) throw new Error(`no row ${row.source}`);
  return { ...screen, lines: screen.lines.toSpliced(at, 1, ...rows) };
};
const isWhole = (screen: Screen): boolean => read(screen).request?.isWhole === true;

describe("a command that Cline asks for", () => {
  it("is whole on one row of a dialog that has room", () => {
    expect(read(APPROVAL).request?.body).toMatch(/^touch live-\d+\.txt$/);
    expect([40, 32, 31, 24].map((height) => isWhole({ ...APPROVAL, height }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (const name of ["waiting_approval_80_columns", "waiting_approval_60_columns"])
      expect(isWhole(frameOf("cline", name))).toBe(false);
  });

  it.each([
    ["two rows", ["   $ echo a", "   $ echo b"]],
    ["a wrapped row", ["   $ echo a", " echo b"]],
    ["characters that may be drawn as others", ["   $ echo \u202ea"]],
    ["several blanks", ["   $ echo  a"]],
    ["a row as long as the pane", [`   $ ${"x".repeat(115)}`]],
  ])("is not whole with %s", (_, rows) => {
    expect(isWhole(replaced(APPROVAL, /^ {3}\$ /, ...rows))).toBe(false);
  });

  it("is asked for where rows are drawn over each other, as 3.0.65 does with six commands", () => {
    const clipped = replaced(
      APPROVAL,
      /^ {3}\$ /,
      "   $ echo a",
      " ec$ols -latab",
      "   $ ls 3",
      "   $ ls 5",
      "   $ ls 6",
    );
    expect(read(clipped)).toMatchObject({
      status: { state: "waiting_approval", reasonCode: "permission_tool" },
      request: { options: [{ keys: ["y"] }, { keys: ["n"] }] },
    });
    expect(isWhole(clipped)).toBe(false);
    const over = replaced(APPROVAL, /Approve tool call/, " Apprun_commandsll?");
    expect(read(over).status.state).toBe("waiting_approval");
  });
});

describe("a question that Cline asks", () => {
  it("has an answer by keys where each option is surely one row", () => {
    expect(read(QUESTION).request?.options.map(({ keys }) => keys)).toEqual([["Enter"], ["Down", "Enter"]]);
    const wrapped = replaced(QUESTION, /^ {2}> Red/, "  > Red", `    ${"x".repeat(112)}`);
    expect(read(wrapped).request?.options.every(({ keys }) => keys === null)).toBe(true);
    expect(isWhole(wrapped)).toBe(false);
  });
});

it("a view that lies over the conversation takes the keys", () => {
  const hints = "                      ←/→ switch tabs, ↑/↓ navigate, Tab/Enter select, Esc close";
  const covered = replaced(frameOf("cline", "completed"), /^ \* hello/, " * hello", hints);
  expect(read(covered).status).toEqual({ state: "unknown", reasonCode: "in_menu" });
});
