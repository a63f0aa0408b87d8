import { expect, it } from "vitest";
import { readDocumentedScreen } from "./screen.ts";

const read = (...lines: string[]) =>
  readDocumentedScreen({ lines, title: "", isAlternate: false, width: 80, height: 24 });
const PICKER = [
  "❯ Red",
  "  Blue",
  "  Other (type your own)",
  "",
  "  up/down navigate  enter select  esc cancel",
];

it("a question is told with its options, whose keys nobody has recorded", () => {
  expect(read("some text", "", "Which colour should", "the lab use?", "", ...PICKER)).toMatchObject({
    status: { state: "waiting_input", reasonCode: "question" },
    confidence: "medium",
    request: {
      kind: "question",
      title: "Which colour should the lab use?",
      body: "Which colour should\nthe lab use?",
      options: ["Red", "Blue", "Other (type your own)"].map((label) => ({ label, keys: null })),
    },
  });
});

it("a list without a question above it, or without an own answer in it, is no question", () => {
  expect(read(...PICKER)).toBeNull();
  expect(read("Which model?", "", ...PICKER.filter((row) => !row.includes("Other")))).toBeNull();
});
