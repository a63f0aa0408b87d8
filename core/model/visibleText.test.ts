import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleLine, visibleOnTerminal, visibleText } from "./words.ts";

const readBack = (shown: string): string =>
  shown.replaceAll(/⟨U\+([0-9A-F]{4,6})⟩/g, (_mark, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );

describe("visibleText", () => {
  it.each([
    ["plain äöü 漢字 👩‍💻 ❤️ 1️⃣ 👍🏽", "plain äöü 漢字 👩‍💻 ❤️ 1️⃣ 👍🏽"],
    ["\u001b[31mred\u0007", "⟨U+001B⟩[31mred⟨U+0007⟩"],
    ["rm -rf \u202e/emoh", "rm -rf ⟨U+202E⟩/emoh"],
    ["ze\u200bro", "ze⟨U+200B⟩ro"],
    ["a\u200db", "a⟨U+200D⟩b"],
    ["a\ufe0fb", "a⟨U+FE0F⟩b"],
    ["a\u061cb", "a⟨U+061C⟩b"],
    ["rm -rf /\u00a0tmp", "rm -rf /⟨U+00A0⟩tmp"],
    ["a\u0085b\u007f", "a⟨U+0085⟩b⟨U+007F⟩"],
    ["\u{e0041}tag", "⟨U+E0041⟩tag"],
    // Not assigned to anything, and yet nothing is drawn for them.
    ["a\u{e0002}\u2065\ufff0b", "a⟨U+E0002⟩⟨U+2065⟩⟨U+FFF0⟩b"],
    ["one\r\ntwo\tthree", "one⟨U+000D⟩\ntwo\tthree"],
    ["⟨U+202E⟩", "⟨U+27E8⟩U+202E⟩"],
  ])("shows %j as %j", (given, shown) => expect(visibleText(given)).toBe(shown));

  it("can be read back, and lets nothing through that is not seen", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({
        unit: fc.constantFrom("\u200b", "\u202e", "⟨", "U+202E⟩", "\r", "\u001b", "\u00a0", "a", " "),
      }),
    );
    fc.assert(
      fc.property(text, (given) => {
        const shown = visibleText(given);
        expect(/[^\P{Cc}\n\t]|[^\P{Z} ]/u.test(shown)).toBe(false);
        expect(
          /[\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u{e0000}-\u{e007f}]/u.test(shown),
        ).toBe(false);
        expect(readBack(shown)).toBe(given);
      }),
      { numRuns: 2_000 },
    );
  });
});

it("visibleLine keeps one line", () => {
  expect(visibleLine("  git commit\n\t-m 'x'\u2028  ")).toBe("git commit -m 'x'");
});

it("visibleOnTerminal tells a tab from the blanks that a terminal draws for it", () => {
  expect(visibleOnTerminal("a\tb\n  c\u061c")).toBe("a⟨U+0009⟩b\n  c⟨U+061C⟩");
});
