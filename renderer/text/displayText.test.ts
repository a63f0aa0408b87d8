import { expect, it } from "vitest";
import { displaySentence } from "./displayText.ts";

it.each([
  ["the daemon is gone", "The daemon is gone."],
  ["Why?", "Why?"],
])("a message %j is the sentence %j", (given, shown) => expect(displaySentence(given)).toBe(shown));
