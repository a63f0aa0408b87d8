// A rule about what an agent asks now, as a person would write it: its text, and what to know before it is put into the file.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { visibleText } from "../../../core/model/visibleText.ts";
import { ruleSchema, type Rule } from "./ruleFile.ts";

const MAX_NAME = 40;

/** Of the first words; with a number where another rule has it. */
const nameOf = (words: readonly string[], taken: ReadonlySet<string>): string => {
  const plain = words
    .slice(0, 3)
    .join("-")
    .replaceAll(/[^A-Za-z0-9.]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  const base = plain === "" ? "rule" : plain.slice(0, MAX_NAME);
  for (let number = 2, name = base; ; number += 1) {
    if (!taken.has(name)) return name;
    name = `${base.slice(0, MAX_NAME - 1 - String(number).length)}-${number}`;
  }
};

/** A rule about just these words; null where no rule can be. */
export const draftRule = (
  words: readonly string[],
  folder: string | null,
  then: Rule["then"],
  taken: ReadonlySet<string> = new Set(),
): Rule | null => {
  const drafted = {
    name: nameOf(words, taken),
    when: { commands: [words], ...(folder === null || then !== "approve" ? {} : { cwd: [folder] }) },
    then,
  };
  const read = ruleSchema.safeParse(drafted);
  return read.success ? read.data : null;
};

/** On one line, with blanks as a person writes them. */
const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`)
    .join(", ")} }`;
};

/** What nobody would see in it is written in another way, which means the same in JSON: a folder may have any name. */
export const draftText = ({ name, when: { commands, ...more }, then }: Rule): string => {
  const when = { commands, ...more };
  const parts = Object.entries({ name, when, then }).map(
    ([key, one]) => `  ${JSON.stringify(key)}: ${inline(one)}`,
  );
  const text = `{\n${parts.join(",\n")}\n}`;
  return visibleText(text) === text
    ? text
    : text.replaceAll(/[^\n -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
};
