// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { describe, expect, it } from "vitest";
import { addRule, readRules } from "./ruleFile.ts";

const RULE = { name: "look", when: { commands: [["git", "status"]] }, then: "approve" };
const NEW = JSON.stringify(RULE, null, 2);
const added = (text: string | null, rule = NEW): string => {
  const done = addRule(text, rule);
  if ("problem" in done) throw new Error(done.problem);
  return done.text;
};
const problem = (text: string | null, rule = NEW): string => {
  const done = addRule(text, rule);
  return "problem" in done ? done.problem : "none";
};

describe("a rule that is added", () => {
  it("makes the file where there is none", () => {
    expect(readRules(added(null)).rules.map(({ name }) => name)).toEqual(["look"]);
    expect(added(null)).toContain('\n    {\n      "name": "look"');
  });

  it("stands behind the others, which stay byte for byte", () => {
    const before = '{ "rules": [\n\t{"name":"a",   "when":{}, "then":"leave"} ]\n}';
    const after = added(before);
    expect(after.startsWith(before.slice(0, before.indexOf(" ]")))).toBe(true);
    expect(readRules(after).rules.map(({ name }) => name)).toEqual(["a", "look"]);
    expect(after).toContain('\n\t{\n\t  "name": "look"');
  });

  it.each([
    ["a file that is not JSON", "{", NEW, "mistake in line 1"],
    ["a file in which one rule is wrong", '{"rules":[{"name":"b"}]}', NEW, "mistake in line 1"],
    ["a name that is taken", JSON.stringify({ rules: [RULE] }), NEW, "already called 'look'"],
    ["no rule", null, '{"name":"x"}', "this is no rule"],
    ["two rules", null, `${NEW},${NEW.replace("look", "more")}`, "this is not one rule"],
    ["what closes the list and adds to the file", null, `${NEW}], "more": [${NEW}`, "this is no rule"],
    ["nothing", null, "", "this is not one rule"],
  ])("is refused for %s", (_name, text, rule, why) => {
    expect(problem(text, rule)).toContain(why);
  });

  it("is refused where the file would hold too many", () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({ ...RULE, name: `r${index}` }));
    expect(problem(JSON.stringify({ rules }))).not.toBe("none");
  });
});
