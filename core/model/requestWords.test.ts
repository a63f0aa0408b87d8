import { describe, expect, it } from "vitest";
import { askedLine, changeSummary, requestHeading } from "./words.ts";

const of = (
  kind: Parameters<typeof askedLine>[0]["kind"],
  title: string,
  body: string | null,
  more = {},
) => ({
  kind,
  title,
  body,
  tool_name: null,
  ...more,
});

describe("the heading of a request", () => {
  it.each([
    ["command", "Bash command", "make"],
    ["command", "Shell command", "make"],
    ["command", "Would you like to run the following command?", "make"],
    ["command", "Allow execution of [Shell]?", "make"],
    ["command", "Allow tool: bash", "make"],
    ["command", "Confirm Shell Command", "make"],
    ["edit", "Would you like to make the following edits?", "src/a.ts"],
    ["edit", "Edit /home/ann/src/a.ts", "/home/ann/src/a.ts"],
    ["edit", "Do you want to make this edit to a.ts?", "/home/ann/src/a.ts"],
    ["edit", "Confirm Write: src/a.ts", "/home/ann/src/a.ts"],
    ["question", "Which colour?", "Which colour?\nIt is for the wall."],
    ["other", "Allow command: make?", "Allow command: make?"],
  ] as const)("of %s %j says nothing of its own", (kind, title, body) => {
    expect(requestHeading(of(kind, title, body))).toBe("");
  });

  it.each([
    ["command", "Would you like to run the following command outside of the sandbox?", "make"],
    ["command", "Remove everything", "make"],
    ["edit", "Do you want to create b.ts?", "src/a.ts"],
    ["edit", "Overwrite a file of another project", "src/a.ts"],
    ["tool", "Use send_note", "to: ann"],
    ["plan", "Exit plan mode?", null],
    ["command", "Bash command", null],
  ] as const)("of %s %j is told: it adds something", (kind, title, body) => {
    expect(requestHeading(of(kind, title, body))).toBe(title);
  });
});

describe("a request on one line", () => {
  it.each([
    [
      of("command", "Would you like to run the following command?", "npm test\n-- --run"),
      "npm test -- --run",
    ],
    [of("command", "Remove everything", "make"), "make · Remove everything"],
    [of("edit", "Edit src/a.ts", "src/a.ts", { content: "-a\n+b\n x\n+c" }), "src/a.ts · +2 −1 in 2 places"],
    [of("question", "Which colour?", "Which colour?"), "Which colour?"],
    [of("tool", "Use send_note", "to: ann"), "Use send_note: to: ann"],
    [of("tool", "WebFetch https://a.example", "https://a.example"), "WebFetch https://a.example"],
    [of("plan", "Exit plan mode?", null), "Exit plan mode?"],
    [of("command", "Bash command", null), "Bash command"],
  ])("%j begins with what is to be judged", (request, line) => expect(askedLine(request)).toBe(line));

  it("shows what hides", () => {
    expect(askedLine(of("command", "Bash", "echo \u202e; rm"))).toContain("⟨U+202E⟩");
  });
});

it("an edit is counted in lines and places", () => {
  expect([changeSummary("+a"), changeSummary(" x\n-a\n+b\n y\n-c"), changeSummary("")]).toEqual([
    "+1 −0 in 1 place",
    "+1 −2 in 2 places",
    "+0 −0 in 0 places",
  ]);
});
