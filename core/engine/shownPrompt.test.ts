// What is shown of a prompt, and when that is the complete text.
import { describe, expect, it } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { shownPrompt } from "./shownPrompt.ts";

const OPTIONS: PromptRequest["options"] = [
  { label: "Yes", keys: ["1"], role: "approve" },
  { label: "No", keys: ["2"], role: "deny" },
];
const prompt = (fields: Partial<PromptRequest>): PromptRequest => ({
  kind: "command",
  title: "Bash command",
  body: "touch a.txt",
  toolName: null,
  options: [],
  expiresAt: null,
  ...fields,
});
const announced = (fields: Partial<PromptRequest> = {}): PromptRequest =>
  prompt({ isWhole: true, toolName: "Bash", ...fields });
const seen = (fields: Partial<PromptRequest> = {}): PromptRequest =>
  prompt({ isWhole: true, options: OPTIONS, columns: 40, ...fields });

const EDIT = { kind: "edit", title: "Write", body: "/p/src/a.ts", content: "-one\n+two", cwd: "/p" } as const;
const DRAWN_EDIT = {
  kind: "edit",
  title: "Edit file",
  body: "src/a.ts",
  content: " zero\n-one\n+two",
} as const;

describe("an event's text is shown whole where the dialog draws it to the letter", () => {
  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>]>([
    ["on one row", {}, {}],
    ["wrapped", { body: "echo aaaa bbbb" }, { body: "echo aaaa\nbbbb", columns: 10 }],
    ["under the heading of another dialog", { title: "Run command" }, { title: "Lab command" }],
    ["with the event's own remark below", { remark: "Makes a file" }, { body: "touch a.txt\nMakes a file" }],
    [
      "in part, with its heading out of sight",
      { body: "echo one\necho two\necho three" },
      { kind: "other", title: "Do you want to proceed?", body: "echo two\necho three", isWhole: false },
    ],
    ["as an edit, by the path from the agent's folder and its changed lines", EDIT, DRAWN_EDIT],
    [
      "as an edit of which the dialog draws the path alone",
      EDIT,
      { ...DRAWN_EDIT, body: "/p/src/a.ts", content: null },
    ],
    [
      "as an edit outside of the agent's folder",
      { ...EDIT, body: "/etc/x/a.ts" },
      { ...DRAWN_EDIT, body: "../etc/x/a.ts" },
    ],
  ])("%s", (_name, told, drawn) => {
    const shown = shownPrompt(announced(told), seen(drawn));
    const { title, body, content } = announced(told);
    expect(shown).toMatchObject({
      title,
      body,
      ...(content === undefined ? {} : { content }),
      isWhole: true,
    });
    expect(shown?.options).toEqual(OPTIONS);
  });
});

describe("it is not whole where the dialog draws it otherwise", () => {
  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>]>([
    ["with another blank", { body: "rm -rf /tmp/build" }, { body: "rm -rf / tmp/build" }],
    ["without its tab", { body: "echo a\tb" }, { body: "echo ab" }],
    ["without what is not drawn", { body: "touch \u202egnp.exe" }, { body: "touch gnp.exe" }],
    [
      "wrapped at another blank",
      { body: `echo ${"a".repeat(30)} /tmp/b && ls` },
      { body: `echo ${"a".repeat(30)} /\ntmp/b && ls` },
    ],
    [
      "with nothing of it",
      {},
      { kind: "other", title: "Do you want to proceed?", body: null, isWhole: false },
    ],
    ["as an edit of the same name elsewhere", EDIT, { ...DRAWN_EDIT, body: "lib/src/a.ts" }],
    ["as an edit with another line", EDIT, { ...DRAWN_EDIT, content: "-one\n+three" }],
    ["as an edit with a row that cannot be read", EDIT, { ...DRAWN_EDIT, content: "-one\n+two\n?what" }],
    ["as an edit whose path is out of sight", EDIT, { ...DRAWN_EDIT, body: null, isWhole: false }],
  ])("%s", (_name, told, drawn) => {
    const shown = shownPrompt(announced(told), seen(drawn));
    expect(shown === null || shown.isWhole === false).toBe(true);
  });
});

describe("another prompt is none that is shown", () => {
  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>]>([
    ["another command", {}, { body: "touch b.txt" }],
    [
      "a command that names the file of an edit",
      { kind: "edit", title: "Edit README.md", body: "README.md", content: "+x" },
      { body: "rm README.md" },
    ],
    [
      "an edit of a file that the command names",
      { body: "cat README.md" },
      { kind: "edit", title: "Edit", body: "README.md", content: "+x" },
    ],
    ["a question", {}, { kind: "question", title: "Which?", body: "touch a.txt" }],
  ])("%s", (_name, told, drawn) => {
    expect(shownPrompt(announced(told), seen(drawn))).toBeNull();
  });
});

it("an event that does not know the text shows the dialog's own", () => {
  const bare = announced({
    kind: "other",
    title: "Claude needs your permission",
    body: null,
    isWhole: false,
  });
  expect(shownPrompt(bare, seen())).toEqual({ ...seen(), toolName: "Bash" });
  expect(shownPrompt(bare, seen({ isWhole: false }))).toMatchObject({ isWhole: false });
});

it("an event with more than could be kept is not whole by a dialog", () => {
  const more = announced({ isWhole: false, hasMore: true });
  expect(shownPrompt(more, seen())).toMatchObject({ isWhole: false });
});

it("an event that knows a part of the text never makes it whole", () => {
  expect(shownPrompt(announced({ isWhole: false }), seen({ isWhole: false }))).toMatchObject({
    isWhole: false,
  });
});

it("what an event knows of an edit's change stands in for rows that are not drawn, and is never all of it", () => {
  const told = announced({ ...EDIT, isWhole: false });
  const { content: _drawn, ...pathAlone } = DRAWN_EDIT;
  expect(shownPrompt(told, seen(pathAlone))).toMatchObject({ content: EDIT.content, isWhole: false });
  expect(shownPrompt(told, seen(DRAWN_EDIT))).toMatchObject({ content: DRAWN_EDIT.content, isWhole: true });
});

it("without a dialog on the screen nothing is whole", () => {
  expect(shownPrompt(announced(), null)).toEqual({ ...announced(), isWhole: false });
});
