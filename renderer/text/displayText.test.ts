import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayLine, displaySentence, displayText } from "./displayText.ts";

describe("displayText", () => {
  it.each([
    ["plain äöü 漢字 👩‍💻", "plain äöü 漢字 👩‍💻"],
    ["\u001b[31mred\u0007", "^[[31mred^G"],
    ["rm -rf \u202e/emoh", "rm -rf ⟨U+202E⟩/emoh"],
    ["ze\u200bro", "ze⟨U+200B⟩ro"],
    ["a\u0085b\u007f", "a⟨U+0085⟩b^?"],
    ["\u{e0041}tag", "⟨U+E0041⟩tag"],
    ["one\r\ntwo\tthree", "one\ntwo\tthree"],
  ])("shows %j as %j", (given, shown) => expect(displayText(given)).toBe(shown));

  it("never lets a control or bidi character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = displayText(text);
        expect(/[^\P{Cc}\n\t]/u.test(shown)).toBe(false);
        expect(/[\u202a-\u202e\u2066-\u2069]/.test(shown)).toBe(false);
      }),
    );
  });
});

describe("displayLine", () => {
  it("keeps one line", () => expect(displayLine("  git commit\n\t-m 'x'  ")).toBe("git commit -m 'x'"));
});

describe("displaySentence", () => {
  it.each([
    ["the daemon is gone", "The daemon is gone."],
    ["Why?", "Why?"],
  ])("makes %j %j", (given, shown) => expect(displaySentence(given)).toBe(shown));
});
