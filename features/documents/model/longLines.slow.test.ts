// Texts of a megabyte on one line, as a person pastes one or an attacker makes one: what they take grows with what changed in them.
import { expect, it } from "vitest";
import { mergeTexts } from "./mergeTexts.ts";
import { appendAnswer, applyPatch } from "./patches.ts";
import { measureSlowness } from "../../../test/setup/machine.ts";

const LENGTH = 1_000_000;
/** Of the processor. It took minutes. */
const LIMIT_MS = 1_000 * measureSlowness();

const words = Array.from(
  { length: LENGTH / 8 },
  (_, at) => `w${String((at * 7_919) % 1_000_000).padStart(6, "0")}`,
);
const line = words.join(" ");
const few = "yes no maybe ".repeat(LENGTH / 13);
const spaces = `x${" ".repeat(LENGTH)}x`;

const took = (work: () => unknown): number => {
  const begun = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000;
};

it.each([
  ["of many words", line, `agent ${line}`, `${line} person`],
  ["of few words", few, `${few.slice(0, 500_000)} agent ${few.slice(500_000)}`, `${few}person`],
  ["of spaces", spaces, `${spaces} agent`, `person ${spaces}`],
  ["of one word", "a".repeat(LENGTH), `${"a".repeat(LENGTH)} agent`, `person ${"a".repeat(LENGTH)}`],
  ["of signs", "!".repeat(LENGTH), `${"!".repeat(LENGTH)} agent`, `person ${"!".repeat(LENGTH)}`],
])("a line %s that both changed is merged in a second, and has both", (_what, base, agent, person) => {
  let merged = "";
  expect(took(() => (merged = mergeTexts(base, agent, person)))).toBeLessThan(LIMIT_MS);
  expect([merged.includes("agent"), merged.includes("person")]).toEqual([true, true]);
  expect(took(() => expect(mergeTexts(base, agent, merged) === merged).toBe(true))).toBeLessThan(LIMIT_MS);
});

it("an answer with a megabyte of spaces is put in at once", () => {
  const document = "<!-- agent:status -->\nnothing yet\n<!-- /agent:status -->\n";
  expect(took(() => applyPatch(document, { component: "status", content: spaces }, "append"))).toBeLessThan(
    LIMIT_MS,
  );
  expect(took(() => appendAnswer(spaces, spaces))).toBeLessThan(LIMIT_MS);
});

it("two lines that nothing connects are both kept, in a second", () => {
  const other = words.toReversed().join(" ");
  let merged = "";
  expect(took(() => (merged = mergeTexts("short\n", `${line}\n`, `${other}\n`)))).toBeLessThan(2 * LIMIT_MS);
  expect([merged.includes(words[0] ?? "?"), merged.length > LENGTH]).toEqual([true, true]);
});
