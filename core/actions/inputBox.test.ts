import { describe, expect, test } from "vitest";
import type { PaneCapture } from "./paneClient.ts";
import { findTyped, isRecognisable, isStillInBox } from "./screenReading.ts";
import { partOf } from "../../test/fakes/partOf.ts";

/** A screen; `¦` stands where the cursor is, at the end of the last row without one. */
const screen = (...rows: string[]) => {
  const marked = rows.findIndex((row) => row.includes("¦"));
  const cursorY = marked === -1 ? rows.length - 1 : marked;
  const clean = rows.map((row) => row.replace("¦", ""));
  const cursorX = marked === -1 ? (rows.at(-1)?.length ?? 0) : (rows[marked]?.indexOf("¦") ?? 0);
  return partOf<PaneCapture>({ rows: clean, rawRows: clean, cursorX, cursorY });
};
const EMPTY = screen("welcome", "", "╭──────╮", "│ ❯ ¦  │", "╰──────╯", "  ? for help");

describe("a box with the cursor in it", () => {
  const typed = screen("welcome", "", "╭──────╮", "│ ❯ say│", "│ hi¦  │", "╰──────╯", "  ? for help");
  const mark = findTyped("say hi", EMPTY, typed) ?? expect.fail();

  test("holds a text that wraps", () => {
    expect(mark).toEqual({ tail: "sayhi", byCursor: true, distance: 0 });
    expect(isStillInBox(mark, typed, 0)).toBe(true);
  });

  test("still holds it after an Enter that became a new line", () => {
    const grown = screen(
      "welcome",
      "",
      "╭──────╮",
      "│ ❯ say│",
      "│ hi   │",
      "│ ¦    │",
      "╰──────╯",
      "  ? for help",
    );
    expect([isStillInBox(mark, grown, 1), isStillInBox(mark, grown, 0)]).toEqual([true, false]);
  });

  test("is left once the text stands above it, queued or answered", () => {
    const sent = screen(
      "> say hi",
      "",
      "* thinking",
      "╭──────╮",
      "│ ❯ ¦  │",
      "╰──────╯",
      "  esc to interrupt",
    );
    const cleared = screen("╭──────╮", "│ ❯ ¦  │", "╰──────╯");
    expect([isStillInBox(mark, sent, 1), isStillInBox(mark, cleared, 1)]).toEqual([false, false]);
  });
});

describe("a program with its cursor elsewhere", () => {
  const before = screen("> go on", "done", "─────", "> ", "─────", "model x", "¦");
  const typed = screen("> go on", "done", "─────", "> go on", "─────", "model x", "¦");

  test("shows a text that was on the screen before as typed only when it came again", () => {
    expect(findTyped("go on", before, before)).toBeNull();
    expect(findTyped("go on", before, typed)).toMatchObject({ byCursor: false, distance: 3 });
  });

  test("has submitted it when it moved up", () => {
    const mark = findTyped("go on", before, typed) ?? expect.fail();
    const sent = screen("done", "> go on", "", "⠋ working", "─────", "> ", "─────", "model x", "¦");
    expect([isStillInBox(mark, typed, 1), isStillInBox(mark, sent, 1)]).toEqual([true, false]);
  });
});

test.each([
  "[Pasted text #1 +20 lines]",
  "[Pasted ~20 lines]",
  "[Pasted Content 1234 chars]",
  "[Paste #2 - 20 lines]",
])("a paste is recognised by its mark %s", (placeholder) => {
  const now = screen("welcome", "╭──────╮", `│ ❯ ${placeholder}¦`, "╰──────╯");
  expect(findTyped("many\nlines\nthat nobody sees", EMPTY, now)).toMatchObject({ byCursor: true });
  expect(findTyped("many\nlines\nthat nobody sees", now, now)).toBeNull();
});

test("wide characters before the cursor count twice", () => {
  const row = "❯ 漢字 ab";
  const now = partOf<PaneCapture>({ rows: [row], cursorX: 9, cursorY: 0 });
  expect(findTyped("漢字 ab", screen("❯ "), now)).toMatchObject({
    byCursor: true,
  });
});

test("a text of emoji alone cannot be told apart", () => {
  expect([isRecognisable("👍🏽 🎉"), isRecognisable("ok 👍")]).toEqual([false, true]);
});

test("a long text is found by its last 24 characters, which are all that a narrow box shows", () => {
  const text = "please read all of the files and then 0123456789abcdefghijklmn";
  const box = (row: string) =>
    screen("╭──────────────────────────╮", `│ ${row}¦ │`, "╰──────────────────────────╯");
  expect(findTyped(text, box(""), box("0123456789abcdefghijklmn"))).toMatchObject({
    byCursor: true,
    distance: 0,
  });
  expect(findTyped(text, box(""), box("123456789abcdefghijklmn"))).toBeNull();
});
