// What the doctor says of rules: what is wrong with the file, and what is armed, in shadow, or rests.
import type { Check, Diagnosis } from "../../../core/model/doctorCheck.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { hashOf } from "./ruleFile.ts";
import type { RuleSet } from "./ruleSet.ts";

const LIMIT_MS = 3_000;
const MAX_SHOWN = 5;

const examine = async (context: FeatureContext, ruleSet: RuleSet): Promise<Diagnosis | Diagnosis[]> => {
  await ruleSet.reload();
  const { rules, problems, blocksApproval } = ruleSet.current;
  if (!ruleSet.exists) return { status: "skipped", summary: "There are no approval rules." };
  const found: Diagnosis[] = [];
  if (problems.length > 0)
    found.push({
      status: "problem",
      summary: blocksApproval
        ? "The rules file has a mistake in it, and nothing is approved until it is right."
        : "The rules file has a mistake in it; the rules named there are not in force.",
      evidence: problems
        .slice(0, MAX_SHOWN)
        .map(({ line, message }) => `rules.json:${line}: ${message}`)
        .join("\n"),
      remedy: "See 'agtmux rule check', and correct the file.",
    });
  const { armed } = ruleSet.now();
  const answering = rules.filter(({ then }) => then === "approve" || then === "deny");
  const count = answering.filter((rule) => armed.has(hashOf(rule, rules))).length;
  const shadow = answering.length - count;
  const isPaused = context.jobs.pausedAt() !== null;
  const words = `${count} armed, ${shadow} in shadow, ${rules.length - answering.length} that press no key`;
  if (isPaused && count > 0)
    found.push({
      status: "warning",
      summary: `Automation is paused, and rules do nothing: ${words}.`,
      remedy: "Run 'agtmux automation resume' when they shall go on.",
    });
  else found.push({ status: "ok", summary: `Approval rules: ${words}.` });
  return found;
};

export const ruleChecks = (context: FeatureContext, ruleSet: RuleSet): Check[] => [
  {
    name: "daemon.rules",
    place: { group: "daemon" },
    limitMs: LIMIT_MS,
    run: () => examine(context, ruleSet),
  },
];
