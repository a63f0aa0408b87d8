import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeTexts } from "./mergeTexts.ts";

const BASE =
  "# Plan\n\nfirst line\nsecond line\n\n<!-- agent:exchange -->\nquestion\n<!-- /agent:exchange -->\n";
const put = (text: string, after: string, more: string) => text.replace(after, `${after}${more}`);

describe("a merge", () => {
  it("has both sides' lines, the agent's first where they are at the same place", () => {
    const agent = put(BASE, "question\n", "answer\n");
    const person = put(BASE, "question\n", "and one more\n");
    expect(mergeTexts(BASE, agent, person)).toBe(put(BASE, "question\n", "answer\nand one more\n"));
  });

  it("of a line that both changed has the words of both", () => {
    expect(mergeTexts("the plan is good\n", "the plan is very good\n", "the whole plan is good\n")).toBe(
      "the whole plan is very good\n",
    );
    expect(mergeTexts("word\n", "word agent\n", "word person\n")).toBe("word agent person\n");
  });

  it("keeps a line that one side changed and the other removed", () => {
    const person = BASE.replace("second line", "second line, longer");
    expect(mergeTexts(BASE, BASE.replace("first line\nsecond line\n", "new text\n"), person)).toContain(
      "second line, longer\n",
    );
  });

  it("shows once what both sides have, as when the agent's baseline is older than what was typed", () => {
    const typed = put(BASE, "question\n", "and please look at the tests\n");
    const agent = put(typed, "tests\n", "answer\n");
    const person = put(typed, "tests\n", "thanks\n");
    expect(mergeTexts(BASE, agent, person)).toBe(put(typed, "tests\n", "answer\nthanks\n"));
  });

  it("does not join lines where a text does not end with a line end", () => {
    expect(mergeTexts("a", "a\nagent", "a\nperson")).toBe("a\nagent\nperson");
    expect(mergeTexts("", "agent", "person")).toBe("agent\nperson");
  });

  it("made a second time changes nothing, wherever the person went on typing", () => {
    const agent = put(BASE, "question\n", "the answer, in one line\n");
    const merged = mergeTexts(BASE, agent, put(BASE, "first line\n", "typed\n"));
    const later = put(put(merged, "in one line\n", "thanks\n"), "# Plan\n", "a note\n");
    expect(mergeTexts(BASE, agent, merged)).toBe(merged);
    expect(mergeTexts(BASE, agent, later)).toBe(later);
  });

  const text = fc
    .array(fc.constantFrom("", "a", "b", "a b", "c d e", "```"), { maxLength: 8 })
    .map((lines) => lines.join("\n"));

  it("with a side that changed nothing is the other side", () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect([
          mergeTexts(base, side, base),
          mergeTexts(base, base, side),
          mergeTexts(base, side, side),
        ]).toEqual([side, side, side]);
      }),
    );
  });
});
