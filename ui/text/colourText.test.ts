import { describe, expect, it } from "vitest";
import { colouredParts, withoutEmptyEnd } from "./colourText.ts";

const look = (line: string) =>
  colouredParts([line]).map(({ text, ink, ground, isBold, isDim }) => [
    text,
    [ink, ground === null ? null : `on ${ground}`, isBold ? "bold" : null, isDim ? "dim" : null]
      .filter(Boolean)
      .join(" "),
  ]);

describe("the colours of a line", () => {
  it.each([
    ["plain", [["plain", ""]]],
    [
      "\u001b[31mred\u001b[0m not",
      [
        ["red", "red"],
        [" not", ""],
      ],
    ],
    ["\u001b[1;92mok", [["ok", "green bold"]]],
    ["\u001b[2mquiet", [["quiet", "dim"]]],
    ["\u001b[91mfailed", [["failed", "red"]]],
    ["\u001b[38;2;90;110;255mlink", [["link", "blue"]]],
    ["\u001b[38;5;208morange", [["orange", "yellow"]]],
    ["\u001b[38;2;255;80;80mtrue", [["true", "red"]]],
    ["\u001b[48;2;34;92;43madded", [["added", "on green"]]],
    ["\u001b[38:2::10:20:30m?", [["?", ""]]],
    ["\u001b[7minverse\u001b[27m", [["inverse", "on grey"]]],
    ["\u001b[38;5;246mgrey", [["grey", "grey"]]],
    ["\u001b[38;5;15mwhite", [["white", ""]]],
  ])("%j", (line, expected) => expect(look(line)).toEqual(expected));

  it("end with their line", () => {
    expect(colouredParts(["\u001b[31ma", "b"]).map(({ ink }) => ink)).toEqual(["red", null, null]);
  });

  it("leave every other sign visible", () => {
    expect(look("\u001b[2Ja\u202eb")).toEqual([["⟨U+001B⟩[2Ja⟨U+202E⟩b", ""]]);
  });
});

it("leaves empty lines at the end out, coloured ones too", () => {
  expect(withoutEmptyEnd(["a", "", "b", "\u001b[0m", " "])).toEqual(["a", "", "b"]);
});
