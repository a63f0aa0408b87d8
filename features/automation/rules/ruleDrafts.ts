// Makes a rule of what an agent asks now, and puts one into the rules file, where it begins in shadow whatever was armed before.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { readFile } from "node:fs/promises";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { RuleView } from "../../../core/model/ruleView.ts";
import { HOST_TARGET } from "../../../core/model/runtime.ts";
import { isMissing } from "../../../core/model/systemError.ts";
import type { ToldRequest } from "../../../core/model/toldRequest.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { AutomationService } from "../calls.ts";
import { addRule } from "./addRule.ts";
import { wordsOf } from "./commandWords.ts";
import { draftRule, draftText } from "./draftRule.ts";
import { hashOf, notesOf, stops, type Rule } from "./ruleFile.ts";
import type { RuleSet } from "./ruleSet.ts";

interface Deps {
  readonly context: FeatureContext;
  readonly ruleSet: RuleSet;
  /** A rule was added. */
  readonly onChange: () => void;
  readonly viewOf: (rule: Rule) => RuleView;
}

const NOT_POSSIBLE = { remedy: "Answer it yourself." };

export const createRuleDrafts = ({
  context,
  ruleSet,
  onChange,
  viewOf,
}: Deps): Pick<AutomationService, "ruleDraft" | "ruleAdd"> => {
  const { rules: store } = context;

  /** Armed rules that approve count no longer once what goes before them is another. */
  const armedApprovals = (): readonly Rule[] => {
    const { rules, armed } = ruleSet.now();
    return rules.filter((rule) => rule.then === "approve" && armed.has(hashOf(rule, rules)));
  };

  const draftNotes = (rule: Rule, { doubt, folder }: ToldRequest): string[] => {
    const shaken = stops(rule) ? armedApprovals() : [];
    return [
      ...notesOf(rule),
      ...(rule.then === "approve" && folder === null
        ? ["it is not known in which folder this runs, so the rule counts in every folder"]
        : []),
      ...(rule.then === "approve" && doubt !== null
        ? [`as it is asked now it would be left to you: ${doubt}`]
        : []),
      ...(shaken.length === 0
        ? []
        : [
            `once it is in the file, these are in shadow again: ${shaken.map(({ name }) => name).join(", ")}`,
          ]),
    ];
  };

  const requireNoSecret = ({ command, folder }: ToldRequest): void => {
    for (const text of [command ?? "", folder ?? ""])
      if (context.redact(text) !== text)
        throw new AgtmuxError("E_UNSUPPORTED", "what that agent asks holds a secret", NOT_POSSIBLE);
  };

  return {
    ruleDraft: async ({ runtimeId, fingerprint, verdict }) => {
      await ruleSet.reload();
      const asked = context.requests.find(runtimeId);
      if (asked === null) throw new AgtmuxError("E_STALE_SNAPSHOT", "that agent asks nothing now");
      if (fingerprint !== null && asked.fingerprint !== fingerprint)
        throw new AgtmuxError("E_STALE_SNAPSHOT", "that agent asks something else now");
      requireNoSecret(asked);
      const words = wordsOf(asked.command ?? "");
      const taken = new Set(ruleSet.current.rules.map(({ name }) => name));
      const rule = words === null ? null : draftRule(words, asked.folder, verdict, taken);
      if (rule === null)
        throw new AgtmuxError("E_UNSUPPORTED", "what that agent asks is no plain command of one program", {
          remedy: "No rule can name it: answer it yourself.",
        });
      const { name, when, then } = rule;
      return { rule: { name, when, then }, text: draftText(rule), notes: draftNotes(rule, asked) };
    },
    ruleAdd: async ({ text, surface }) => {
      const rule = await ruleSet.change(async (path) => {
        const added = addRule(await readOrNull(path), text);
        if ("problem" in added)
          throw new AgtmuxError("E_CONFIG_INVALID", `${added.problem}; nothing was added`, {
            remedy: "See 'agtmux rule check'.",
          });
        // Just this text may have been armed before, and taken out of the file since.
        store.disarmRule(added.rule.name);
        await context.target(HOST_TARGET).files.writeText(path, added.text);
        return added.rule;
      });
      context.record({ action: "rule-add", surface, ref: `rule:${rule.name}`, outcome: "added" });
      onChange();
      return viewOf(rule);
    },
  };
};

const readOrNull = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw new AgtmuxError("E_CONFIG_INVALID", "the rules file cannot be read; nothing was added", {
      cause: error,
    });
  }
};
