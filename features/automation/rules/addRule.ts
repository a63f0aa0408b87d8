// Puts one more rule into the text of the rules file and leaves every other byte as the person wrote it. Pure.
import { parseJsonTree, type JsonNode } from "../../../core/model/jsonTree.ts";
import { readRules, type Rule } from "./ruleFile.ts";

const indented = (text: string, lead: string): string => text.replaceAll("\n", `\n${lead}`);

/** Behind the last one, on lines of its own and as far in as that one. */
const append = (text: string, list: JsonNode, rule: string): string => {
  const last = list.children.at(-1);
  if (last === undefined) {
    const inner = `[\n    ${indented(rule, "    ")}\n  ]`;
    return text.slice(0, list.start) + inner + text.slice(list.end);
  }
  const lead = /\n([ \t]*)$/.exec(text.slice(0, last.start))?.[1] ?? "    ";
  return `${text.slice(0, last.end)},\n${lead}${indented(rule, lead)}${text.slice(last.end)}`;
};

export type Added = { readonly text: string; readonly rule: Rule } | { readonly problem: string };

/**
 * `text` null: there is no file yet. `added`: one rule in JSON, which goes into the file to the letter. Refused where anything in the
 * file is wrong, before or afterwards.
 */
export const addRule = (text: string | null, added: string): Added => {
  const alone = readRules(`{ "rules": [${added}\n] }`);
  const [only, ...more] = alone.rules;
  const [wrong] = alone.problems;
  if (wrong !== undefined) return { problem: `this is no rule: ${wrong.message}` };
  if (only === undefined || more.length > 0) return { problem: "this is not one rule" };
  const before = text ?? '{\n  "rules": []\n}\n';
  const [broken] = readRules(before).problems;
  if (broken !== undefined)
    return { problem: `the rules file has a mistake in line ${broken.line}: ${broken.message}` };
  const [property] = parseJsonTree(before).children;
  const list = property?.children[0];
  if (list === undefined) return { problem: "the rules file holds no rules" };
  const after = append(before, list, added);
  const read = readRules(after);
  const [problem] = read.problems;
  if (problem !== undefined) return { problem: problem.message };
  const rule = read.rules.find(({ name }) => name === only.name);
  return rule === undefined ? { problem: "it would not be read again" } : { text: after, rule };
};
