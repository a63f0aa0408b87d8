import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containText, explicitMode, findComponent, parseComponents } from "./documentText.ts";
import { applyPatch } from "./patches.ts";

const DOC = `---
agent_doc_session: 1
---

<!-- agent:status -->
content here
<!-- /agent:status -->

text between

<!-- agent:exchange mode=append -->
question
<!-- /agent:exchange -->
`;

const contentOf = (text: string, name: string): string => {
  const { start, end } = findComponent(text, name);
  return text.slice(start, end);
};

describe("components", () => {
  it("are found with their attributes and content", () => {
    expect(parseComponents(DOC).map(({ name, attributes }) => [name, attributes])).toEqual([
      ["status", {}],
      ["exchange", { mode: "append" }],
    ]);
    expect(contentOf(DOC, "status")).toBe("\ncontent here\n");
  });

  it.each([
    ["in a fence", "```html\n<!-- agent:x -->\n```\n"],
    ["in a longer fence with a shorter one inside", "````\n```\n<!-- agent:x -->\n```\n````\n"],
    ["in a tilde fence that backticks do not close", "~~~\n```\n<!-- agent:x -->\n~~~\n"],
    ["in a code span", "The marker `<!-- agent:x -->` opens it.\n"],
    ["in a code span of two backticks", "``<!-- agent:x --> ` ``\n"],
    ["within another comment", "<!-- a note about <!-- agent:x -->\n"],
    ["under a name that is none", "<!-- agent:-x --><!-- agent:_y --><!-- agent: -->\n"],
  ])("do not count %s", (_where, text) => {
    expect(parseComponents(text)).toEqual([]);
  });

  it("count after a backtick that nothing closes", () => {
    expect(parseComponents("a ` b\n\n<!-- agent:x --><!-- /agent:x -->").map(({ name }) => name)).toEqual([
      "x",
    ]);
  });

  it.each([
    ["<!-- agent:a -->\ntext\n", "component 'a' of line 1 is not closed"],
    ["\n<!-- /agent:a -->\n", "line 2 closes component 'a', which is not open"],
    ["<!-- agent:a -->\n<!-- agent:b -->\n", "component 'b' in line 2 begins within 'a' of line 1"],
    ["<!-- agent:a -->\n<!-- /agent:b -->\n", "line 2 closes component 'b', which is not open"],
    ["<!-- agent:a -->\n```\n<!-- /agent:a -->\n", "component 'a' of line 1 is not closed"],
  ])("that are not whole are refused, with their lines: %j", (text, message) => {
    expect(() => parseComponents(text)).toThrow(message);
  });

  it("that are missing or double are refused by name", () => {
    expect(() => findComponent(DOC, "none")).toThrow("the document has no component 'none'");
    const twice = "<!-- agent:a --><!-- /agent:a -->\n<!-- agent:a --><!-- /agent:a -->";
    expect(() => findComponent(twice, "a")).toThrow("component 'a' twice, in lines 1 and 2");
  });

  it("take their mode from the marker, then from the configuration", () => {
    const [status, exchange] = parseComponents(DOC);
    if (status === undefined || exchange === undefined) throw new Error("no components");
    const configured = { status: { mode: "prepend" }, exchange: { mode: "replace" } } as const;
    expect([explicitMode(status, configured), explicitMode(exchange, configured)]).toEqual([
      "prepend",
      "append",
    ]);
    expect(explicitMode(status, {})).toBeNull();
    const wrong = parseComponents("<!-- agent:x mode=insert --><!-- /agent:x -->")[0] ?? status;
    expect(() => explicitMode(wrong, {})).toThrow("component 'x' has the unknown mode 'insert'");
    const later = parseComponents("<!-- agent:x patch=append --><!-- /agent:x -->")[0] ?? status;
    expect(explicitMode(later, {})).toBe("append");
  });
});

describe("content", () => {
  it("that would end its component, or hide its end, is contained", () => {
    expect(containText("a <!-- /agent:x --> b").text).toBe("a &lt;!-- /agent:x --> b");
    expect(containText("a\n```js\nb").text).toBe("a\n```js\nb\n```\n");
    expect(containText("`<!-- agent:x -->` is a marker")).toEqual({
      text: "`<!-- agent:x -->` is a marker",
      changed: null,
    });
  });

  const piece = fc.constantFrom(
    "<!-- agent:status -->",
    "<!-- /agent:status -->",
    "<!-- /agent:exchange -->",
    "```",
    "~~~~",
    "`",
    "``",
    "\n",
    "\n\n",
    "<!--",
    "-->",
    "- item",
    "word ",
    "    ",
    "\\",
    "\u{1f642}",
  );
  const hostile = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  it("of any kind leaves everything outside of its component as it was", () => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom("question", "a ` b", "`` \\"),
        fc.constantFrom("replace", "append", "prepend"),
        (content, before, mode) => {
          const doc = DOC.replace("question", before);
          const { text } = applyPatch(doc, { component: "exchange", content }, mode);
          const { start, end } = findComponent(doc, "exchange");
          expect(text.startsWith(doc.slice(0, start))).toBe(true);
          expect(text.endsWith(doc.slice(end))).toBe(true);
          expect(parseComponents(text).map(({ name }) => name)).toEqual(["status", "exchange"]);
          expect(contentOf(text, "status")).toBe("\ncontent here\n");
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
