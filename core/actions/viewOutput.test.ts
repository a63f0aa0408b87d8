import { expect, test } from "vitest";
import { keepColours } from "./viewOutput.ts";

test.each([
  ["\u001b[31mred\u001b[0m", "\u001b[31mred\u001b[0m\u001b[0m"],
  ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001b[1mb", "link \u001b[1mb\u001b[0m"],
  ["\u001b[2J\u001b[Ha\u001b[5m\u0007b\u009b1mc", "a\u001b[5mb1mc\u001b[0m"],
  ["\u001b]52;c;c2VjcmV0", ""],
  ["\u001bc\u001b(0qq\u000e", "qq"],
  ["plain  ", "plain"],
])("of %j stays %j", (line, expected) => {
  expect(keepColours(line)).toBe(expected);
});
