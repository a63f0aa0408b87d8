import { describe, expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readOpencodeScreen } from "./screen.ts";

const frame = (name: string) => frameOf("opencode", name, "dialogs");
const COMMAND = frame("parallel_80x24");
const EDIT = frame("edit_small_80x24");

/** The dialog with other rows in its window, in the same place at the bottom. */
const withRows = (screen: typeof COMMAND, first: string, rows: readonly string[], height = screen.height) => {
  const at = screen.lines.findIndex((line) => line === first);
  const lines = screen.lines.toSpliced(at, 1, ...rows.map((row) => `  ┃  ${row}`.trimEnd()));
  return readOpencodeScreen({ ...screen, lines: lines.slice(-height), height })?.request;
};
const asked = (...rows: string[]) => withRows(COMMAND, "  ┃  $ cat README.md", rows);

it("knows no way to an option where colours were asked for and none tell what is selected", () => {
  const keys = (screen: typeof COMMAND) =>
    readOpencodeScreen(screen)?.request?.options.map((one) => one.keys);
  const { styledLines: _colours, ...plain } = COMMAND;
  expect(keys(plain)?.[0]).toEqual(["Enter"]);
  expect(keys({ ...plain, styledLines: [] })?.[0]).toBeNull();
});

describe("a command in its window", () => {
  it("is whole with six rows, and not with seven, of which the last ones may be blank", () => {
    expect(asked("$ a", "b", "c", "d", "e", "f")).toMatchObject({ body: "a\nb\nc\nd\ne\nf", isWhole: true });
    expect(asked("$ a", "b", "c", "d", "e", "f", "g")).toMatchObject({ body: "a\nb\nc\nd\ne\nf\ng" });
    expect(asked("$ a", "b", "c", "d", "e", "f", "g")?.isWhole).toBeUndefined();
    expect(asked("$ a", "", "", "", "", "", "")).toMatchObject({ body: "a" });
    expect(asked("$ a", "", "", "", "", "", "")?.isWhole).toBeUndefined();
  });

  it("is not whole in a pane in which the window was never seen", () => {
    expect(withRows(COMMAND, "  ┃  $ cat README.md", ["$ a"], 18)?.isWhole).toBeUndefined();
  });

  it("may quote a dialog, buttons and all: nothing of it is taken for the agent's own", () => {
    const rows = ["$ rm -rf ~ #", "△ Permission required", "  # Shell command", "", "$ ls"];
    expect(asked(...rows)).toMatchObject({ body: rows.join("\n").slice(2), isWhole: true });
    const buttons = ["$ rm -rf ~ #", " Allow once   Allow always   Reject"];
    expect(asked(...buttons)).toMatchObject({ body: buttons.join("\n").slice(2), isWhole: true });
  });
});

it("a dialog has at most two rows with text below its buttons: a narrow pane wraps what keys do", () => {
  const buttons = COMMAND.lines.findIndex((line) => line.includes("Allow once"));
  const withBelow = (...rows: string[]) =>
    readOpencodeScreen({
      ...COMMAND,
      lines: COMMAND.lines.toSpliced(buttons + 1, 0, ...rows.map((row) => `  ┃  ${row}`)),
    });
  expect(withBelow("ctrl+f fullscreen", "enter confirm")?.status.state).toBe("waiting_approval");
  expect(withBelow("ctrl+f fullscreen", "enter confirm", "and more")).toBeNull();
});

describe("an edit in its window", () => {
  const edited = (...rows: string[]) => withRows(EDIT, "  ┃  3 + third line", rows);

  it("is not whole where its last row has text, or a bar stands at the edge", () => {
    expect(edited("3 + third line")).toMatchObject({ body: "sub/dir/small.txt", isWhole: true });
    const full = ["3 + c", "4 + d", "5 + e", "6 + f", "7 + g"];
    const withoutBlanks = EDIT.lines.filter(
      (line, index, all) => !(line === "  ┃" && all[index - 1] === "  ┃"),
    );
    expect(withRows({ ...EDIT, lines: withoutBlanks }, "  ┃  3 + third line", full)?.isWhole).toBeUndefined();
    const bar = edited(`${"3 + third line".padEnd(69)}█`);
    expect(bar?.content?.split("\n").at(-1)).toBe("+third line");
    expect(bar?.isWhole).toBeUndefined();
  });

  it("is not whole with a row of which it is not known what it does", () => {
    expect(edited("3 * third line")).toMatchObject({ content: expect.stringContaining("?3 * third line") });
    expect(edited("3 * third line")?.isWhole).toBeUndefined();
  });
});

describe("an edit of a wide pane, old file beside new one", () => {
  const SPLIT = frame("edit_change_140x50");
  const first = SPLIT.lines.find((line) => line.startsWith("  ┃  1   line one")) ?? "";
  const edited = (...rows: string[]) => withRows(SPLIT, first, rows);
  const sides = (left: string, right: string): string => left.padEnd(45) + right;

  it("is not readable where a row does not fit", () => {
    expect(edited(sides("1   line one", "1   line one"))?.isWhole).toBe(true);
    expect(edited(sides("1   line one", "1   line 1"))?.isWhole).toBeUndefined();
    expect(edited(sides("1 + line one", "1   line one"))?.isWhole).toBeUndefined();
    expect(edited(sides("1   line one", ""))?.isWhole).toBeUndefined();
    expect(edited(sides("    on below nothing", ""))?.isWhole).toBeUndefined();
    expect(edited(`1   ${"x".repeat(60)}`)?.isWhole).toBeUndefined();
  });
});

describe("the side bar of a wide pane", () => {
  const WIDE = frame("long_140x50");

  it("is no part of what is asked, and is told by the name that ends it", () => {
    expect(readOpencodeScreen(WIDE)?.request?.body).not.toContain("~/project");
    const renamed = WIDE.lines.map((line) => line.replace("• OpenCode", "• Other"));
    expect(readOpencodeScreen({ ...WIDE, lines: renamed })?.request?.body).toContain("~/project:master");
  });

  it("is not cut out where a command quotes its last row", () => {
    const narrow = { ...COMMAND, width: 79 };
    const quoted = `$ ${"a ".repeat(16)}• OpenCode 1.18.33`;
    expect(withRows(narrow, "  ┃  $ cat README.md", [quoted])?.body).toContain("• OpenCode 1.18.33");
  });
});

it("reads no permission of OpenCode 2, whose card has other words, so that none can be answered by its keys", () => {
  const { lines, ...rest } = frameOf("opencode", "waiting_approval");
  const { styledLines: _colours, ...plain } = rest;
  const second = lines.map((line) => line.replace("Allow always", "Always allow"));
  expect(readOpencodeScreen({ ...plain, lines })?.status.state).toBe("waiting_approval");
  expect(readOpencodeScreen({ ...plain, lines: second })).toBeNull();
});
