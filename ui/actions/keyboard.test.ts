import { describe, expect, it } from "vitest";
import { commandOf, SHORTCUTS } from "./keyboard.ts";

const LIST = { isTyping: false, isOnButton: false };

describe("a key", () => {
  it.each([
    ["a", "approve"],
    ["d", "deny"],
    ["r", "reply"],
    ["o", "output"],
    ["/", "filter"],
    ["Enter", "activate"],
    ["j", "moveDown"],
    ["3", { option: 3 }],
    ["0", "several"],
    ["A", null],
  ])("%s in the list means %j", (key, expected) => expect(commandOf(key, LIST)).toEqual(expected));

  it("is a letter while the person searches, but for moving, Enter and Esc", () => {
    const typed = (key: string) => commandOf(key, { isTyping: true, isOnButton: false });
    expect(["a", "1", "/", " ", "?"].map(typed)).toEqual([null, null, null, null, null]);
    expect(["Escape", "ArrowDown", "Enter"].map(typed)).toEqual(["escape", "moveDown", "activate"]);
  });

  it("that presses a button stays the button's", () => {
    const onButton = (key: string) => commandOf(key, { isTyping: false, isOnButton: true });
    expect(["Enter", " ", "j"].map(onButton)).toEqual([null, null, "moveDown"]);
  });
});

it("the sheet names every letter that does something", () => {
  const named = SHORTCUTS.flatMap(({ entries }) => entries.map(([keys]) => keys))
    .join(" ")
    .split(/\s+/);
  const letters = "abcdefghijklmnopqrstuvwxyz/".split("").filter((key) => commandOf(key, LIST) !== null);
  expect(letters.filter((key) => !named.includes(key))).toEqual([]);
});

it("the sheet has the numbers of options behind the keys that answer, and before those that do something else", () => {
  const keys = SHORTCUTS.find(({ title }) => title.startsWith("Act"))?.entries.map(([key]) => key) ?? [];
  expect(keys.slice(0, 6)).toEqual(["a  d", "b", "w", "1 – 9", "0", "u"]);
});
