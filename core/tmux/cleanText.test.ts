import { assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { cleanName } from "./cleanText.ts";

it("keeps names apart that look the same, and shows those of ordinary letters as they are", () => {
  const names = ["ab", "a\u202eb", "a\u0001b", "a\u200fb", `${"x".repeat(250)}1`, `${"x".repeat(250)}2`];
  const shown = names.map((name, index) => cleanName(name, 200, `$${index}`));
  expect(shown.slice(0, 4)).toEqual(["ab", "a\\u{202e}b", "a\\u{1}b", "a\\u{200f}b"]);
  expect(new Set(shown).size).toBe(names.length);
  expect(cleanName(shown[4] ?? "", 200, "$9")).not.toBe(shown[4]);
  expect(cleanName("größe 漢字 👍🏽", 200, "$1")).toBe("größe 漢字 👍🏽");
});

it("is at most as long as it may be, and without control characters, whatever the name", () => {
  assert(
    property(string({ unit: "binary", maxLength: 300 }), (name) => {
      const shown = cleanName(name, 200, "$12");
      expect(shown.length).toBeLessThanOrEqual(200);
      expect(shown).not.toMatch(/\p{Cc}|[\u2028\u2029\u202a-\u202e]/u);
      expect(shown.isWellFormed()).toBe(true);
    }),
  );
});
