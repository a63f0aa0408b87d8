import { expect, test } from "vitest";
import { toSendable } from "./sendableText.ts";

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
