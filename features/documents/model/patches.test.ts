import { describe, expect, it } from "vitest";
import { appendAnswer, applyPatch, applyResponse, newestEntries, parseResponse } from "./patches.ts";

const DOC = `<!-- agent:status -->
old
<!-- /agent:status -->
<!-- agent:exchange mode=append -->
question
<!-- /agent:exchange -->
`;

const patchedStatus = (content: string, mode: "replace" | "append" | "prepend") =>
  /<!-- agent:status -->([^]*?)<!-- \/agent/.exec(
    applyPatch(DOC, { component: "status", content }, mode).text,
  )?.[1];

describe("a response", () => {
  it("is its blocks, and what is outside of them", () => {
    expect(parseResponse("before\n<!-- patch:status -->\nnew\n<!-- /patch:status -->\n\nafter\n")).toEqual({
      patches: [{ component: "status", content: "new\n" }],
      unmatched: "before\n\n\nafter",
    });
  });

  it("may show its own marks in code", () => {
    const shown = "```\n<!-- /patch:a -->\n```\nrest\n";
    expect(parseResponse(`<!-- patch:a -->\n${shown}<!-- /patch:a -->`).patches).toEqual([
      { component: "a", content: shown },
    ]);
  });

  it("may leave a code block open: the blocks behind it still count", () => {
    const { patches } = parseResponse(
      "<!-- patch:a -->\n```\nx\n<!-- /patch:a -->\n<!-- patch:b -->\ny\n<!-- /patch:b -->",
    );
    expect(patches).toEqual([
      { component: "a", content: "```\nx\n" },
      { component: "b", content: "y\n" },
    ]);
  });

  it("with a block that is not closed is refused", () => {
    expect(() => parseResponse("<!-- patch:a -->\ntext")).toThrow("block 'patch:a' is not closed");
  });
});

describe("a patch", () => {
  it.each([
    ["replace", "\nnew\n"],
    ["append", "\nold\nnew\n"],
    ["prepend", "\nnew\nold\n"],
  ] as const)("in mode %s", (mode, content) => {
    expect(patchedStatus("\nnew\n\n", mode)).toBe(content);
  });

  it("may empty its component", () => {
    expect(patchedStatus("", "replace")).toBe("\n");
  });
});

describe("a response in a template", () => {
  it("goes where its blocks say, by each component's mode; other text goes to the conversation", () => {
    const response = parseResponse("<!-- patch:status -->\nnew\n<!-- /patch:status -->\nanswer");
    expect(applyResponse(DOC, response, {}).text).toBe(
      DOC.replace("old", "new").replace("question\n", "question\nanswer\n"),
    );
  });

  it("never replaces a conversation by a remark, unless its mode says so", () => {
    const doc = DOC.replace(" mode=append", "");
    const remark = parseResponse("remark");
    expect(applyResponse(doc, remark, {}).text).toContain("question\nremark\n");
    expect(applyResponse(doc, remark, { exchange: { mode: "replace" } }).text).not.toContain("question");
  });

  it("goes to 'output' where there is no conversation, and is refused where there is neither", () => {
    const doc = DOC.replaceAll("exchange", "output");
    expect(applyResponse(doc, parseResponse("remark"), {}).text).toContain("question\nremark\n");
    expect(() => applyResponse(DOC.replaceAll("exchange", "other"), parseResponse("x"), {})).toThrow(
      "neither 'exchange' nor 'output'",
    );
  });

  it("for a component that is not there is refused whole", () => {
    const response = parseResponse("<!-- patch:none -->\nx\n<!-- /patch:none -->");
    expect(() => applyResponse(DOC, response, {})).toThrow("no component 'none'");
  });
});

it("an answer in an inline document is followed by room for the next question", () => {
  expect(appendAnswer("## User\n\nhello\n", "hi\n")).toBe(
    "## User\n\nhello\n\n## Assistant\n\nhi\n\n## User\n\n",
  );
});

it("the newest entries are kept, without empty lines: the last ones, or the first where each is put before the others", () => {
  expect([newestEntries("\na\n\nb\nc\n", 2, "append"), newestEntries("\na\n\nb\nc\n", 2, "prepend")]).toEqual(
    ["\nb\nc\n", "\na\nb\n"],
  );
});
