import { expect, it } from "vitest";
import { auditDocs } from "./auditDocs.ts";
import { lineDiff } from "./diffLines.ts";
import { outlineOf, stripComments } from "./documentText.ts";

it("an outline names sections with lines of the file, and counts what is below each heading", () => {
  const text =
    "---\nagent: a\n---\nintro\n\n# One #\n\ntext\n```sh\n# no heading\n```\n## Two\n<!-- \n# hidden\n-->\nend\n";
  expect(outlineOf(text)).toEqual([
    { heading: "(preamble)", depth: 0, line: 4, lines: 2, tokens: 2 },
    { heading: "One", depth: 1, line: 6, lines: 5, tokens: 7 },
    { heading: "Two", depth: 2, line: 12, lines: 4, tokens: 6 },
  ]);
  expect(outlineOf("# One\n")).toEqual([{ heading: "One", depth: 1, line: 1, lines: 0, tokens: 0 }]);
});

it("a diff has every line, each with its sign, and is nothing where nothing changed", () => {
  expect(lineDiff("a\nb\nc\n", "a\nx\nc\nd")).toBe(" a\n-b\n+x\n c\n+d\n");
  expect(lineDiff("", "a\n")).toBe("+a\n");
  expect(lineDiff("a\n", "a\n")).toBeNull();
});

it("comments are left out, but not those in code", () => {
  const text = "a <!-- b --> c\n[//]: # (note)\n`<!-- d -->`\n```\n[//]: # (e)\n```\n";
  expect(stripComments(text)).toBe("a  c\n`<!-- d -->`\n```\n[//]: # (e)\n```\n");
});

it("documents for agents are checked for paths, length, age and what they say to do", () => {
  const tree =
    "Run `make`.\n\n```\nproject/\n├── src/\n│   ├── main.ts   # entry\n│   └── gone.ts\n└── …\n```\n";
  const day = 24 * 60 * 60 * 1_000;
  const docs = [
    { path: "README.md", text: tree, modifiedAt: 0 },
    { path: "LONG.md", text: "- do\n".repeat(1_001), modifiedAt: 100 * day },
    { path: "STORY.md", text: "It was a dark night.\n", modifiedAt: 100 * day },
    { path: "EMPTY.md", text: "\n", modifiedAt: 100 * day },
  ];
  const there = new Set(["src", "src/main.ts"]);
  const findings = auditDocs(docs, { exists: (path) => there.has(path), newestSourceAt: 100 * day });
  expect(findings.map(({ path, line, message }) => `${path}:${line}: ${message}`)).toEqual([
    "README.md:7: the tree names 'project/src/gone.ts', which is not there",
    "README.md:1: sources changed 100 days after it: it may be out of date",
    "LONG.md:1001: 1001 lines, more than 1000",
    "STORY.md:1: nothing in it says what to do: no list, no command, no rule",
    "EMPTY.md:1: it is empty",
  ]);
});
