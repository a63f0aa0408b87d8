import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontmatter, setFrontmatter } from "./frontmatter.ts";
import { splitFrontmatter } from "./documentText.ts";

const NOTHING = {
  session: null,
  format: "template",
  write: "crdt",
  agent: null,
  model: null,
  branch: null,
  resume: null,
};
const head = (lines: string): string => `---\n${lines}---\nbody\n`;

describe("a frontmatter", () => {
  it("that is absent leaves everything at its default, and all text in the body", () => {
    expect(readFrontmatter("# Title\n")).toEqual(NOTHING);
    expect(splitFrontmatter("---\n\nA break, no frontmatter.\n").body).toBe(
      "---\n\nA break, no frontmatter.\n",
    );
    expect(readFrontmatter("---\n---\nbody")).toEqual(NOTHING);
  });

  it("has the fields of the format, old names included", () => {
    expect(readFrontmatter(head("session: abc\nagent: one\nmodel: two\nbranch: b\nresume: 0123\n"))).toEqual({
      ...NOTHING,
      session: "abc",
      agent: "one",
      model: "two",
      branch: "b",
      resume: "0123",
    });
    expect(readFrontmatter(head("session: old\nagent_doc_session: new\n")).session).toBe("new");
  });

  it.each([
    ["agent_doc_mode: append\n", "inline", "crdt"],
    ["mode: template\n", "template", "crdt"],
    ["response_mode: stream\n", "template", "crdt"],
    ["agent_doc_format: append\n", "inline", "crdt"],
    ["agent_doc_mode: append\nagent_doc_format: template\nagent_doc_write: merge\n", "template", "merge"],
  ])("%j means %s and %s", (lines, format, write) => {
    expect(readFrontmatter(head(lines))).toMatchObject({ format, write });
  });

  it.each([
    ["agent: [one\n", "not valid YAML, in line"],
    ["agent: one\nagent: two\n", "not valid YAML, in line 3"],
    ["- a\n- b\n", "not a list of 'key: value' lines"],
    ["agent: {a: b}\n", "'agent' in the frontmatter is not a text"],
    ["agent_doc_format: tabular\n", "'agent_doc_format: tabular' in the frontmatter is unknown"],
    ["agent_doc_mode: insert\n", "'agent_doc_mode: insert'"],
  ])("with %j is refused", (lines, message) => {
    expect(() => readFrontmatter(head(lines))).toThrow(message);
  });

  it("that is not closed is refused", () => {
    expect(() => readFrontmatter("---\nagent: one\n\n# Title\n")).toThrow("the frontmatter is not closed");
  });
});

describe("setting a value", () => {
  it("leaves comments, order, unknown keys and spacing as they are", () => {
    const text = "---\n# mine\nagent:   one   # the first\nother: [ 1,2 ]\nresume:\n---\nbody\n";
    expect(setFrontmatter(text, { agent: "two", resume: "r-1", model: "yes" })).toBe(
      '---\n# mine\nagent:   two   # the first\nother: [ 1,2 ]\nresume: r-1\nmodel: "yes"\n---\nbody\n',
    );
    expect(setFrontmatter(text, { agent: null })).toBe("---\n# mine\nother: [ 1,2 ]\nresume:\n---\nbody\n");
  });

  it("makes a frontmatter where there is none, with the line ends of the document", () => {
    expect(setFrontmatter("body\n", { agent: "a" })).toBe("---\nagent: a\n---\nbody\n");
    expect(setFrontmatter("body\r\n", { agent: "a" })).toBe("---\r\nagent: a\r\n---\r\nbody\r\n");
  });

  const value = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => text.trim() !== "");
  const others = fc.array(fc.constantFrom("# note", "x: 1", "  ", "y: 'a: b'", "z:\n  - 1\n  - 2"), {
    maxLength: 4,
  });

  it("changes nothing but its own bytes", () => {
    fc.assert(
      fc.property(value, value, others, others, (before, after, first, last) => {
        const unique = [...new Set([...first, "AGENT", ...last])];
        const lines = unique.map(
          (line) => `${line === "AGENT" ? `agent: ${JSON.stringify(before)}` : line}\n`,
        );
        const text = head(lines.join(""));
        const changed = setFrontmatter(text, { agent: after });
        expect(readFrontmatter(changed).agent).toBe(after);
        const own = lines.findIndex((line) => line.startsWith("agent: "));
        expect(changed.startsWith(`---\n${lines.slice(0, own).join("")}agent: `)).toBe(true);
        expect(changed.endsWith(`\n${lines.slice(own + 1).join("")}---\nbody\n`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
