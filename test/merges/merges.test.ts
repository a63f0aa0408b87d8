// A slice of `npm run merges`.
import { describe, expect, it } from "vitest";
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";
import { findFault, makeConcurrent, randomFrom } from "./concurrentEdits.ts";
import { makeLarge } from "./largeEdit.ts";

describe("concurrent edits", () => {
  it("lose nothing, double nothing, tear no line and keep each side's order", () => {
    const random = randomFrom(20_261_123);
    for (let made = 0; made < 4_000; made += 1) {
      const edits = makeConcurrent(random);
      expect(findFault(edits), JSON.stringify(edits, null, 1)).toBeNull();
    }
  });

  it("are told apart from a merge that loses, doubles or tears", () => {
    const edits = makeConcurrent(randomFrom(1), 4);
    const merges: Readonly<Record<string, typeof mergeTexts>> = {
      lost: (_base, agent) => agent,
      twice: (_base, agent, person) => agent + person,
      torn: (...texts) => mergeTexts(...texts).replaceAll(" ", "\n"),
    };
    for (const [fault, merge] of Object.entries(merges)) expect(findFault(edits, merge)).toContain(fault);
  });

  it("of a document of a megabyte keep everything", () => {
    const { base, agent, person, kept } = makeLarge(randomFrom(2), 1_000_000);
    const merged = mergeTexts(base, agent, person);
    expect(kept.filter((line) => merged.split(line).length !== 2)).toEqual([]);
  });
});
