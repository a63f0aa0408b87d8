import { expect, test } from "vitest";
import { strippedNotes, toSendable } from "./typing.ts";

test.each([
  ["plain 'text' with $(all) #{sorts} of; things\\", null, 0],
  ["tab\tand\nnewline", null, 0],
  ["windows\r\nlines", "windows\nlines", 0],
  ["a\rb", "ab", 1],
  ["\u001b[201~\u0003\u0000\u007f", "[201~", 4],
  ["c1 \u009b31m \u0085", "c1 31m ", 2],
  ["half \ud83d pair", "half \ufffd pair", 0],
  ["👍🏽 漢字 é", null, 0],
])("%j", (input, text, stripped) => {
  expect(toSendable(input)).toEqual({ text: text ?? input, stripped });
});

test("what was left out is told in whole sentences", () => {
  expect([0, 1, 2].map(strippedNotes)).toEqual([
    [],
    ["1 control character was left out."],
    ["2 control characters were left out."],
  ]);
});
