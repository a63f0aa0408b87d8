// What the doctor says of rules: what is wrong with the file, and what is armed, in shadow, or rests.
import type { Check, Diagnosis } from "../../../core/model/doctorCheck.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { hashOf, watchOf, type Rule } from "./ruleFile.ts";
import type { RuleSet } from "./ruleSet.ts";

const LIMIT_MS = 3_000;
const MAX_SHOWN = 5;

/** A watch whose channel is not in force tells at this desktop alone. */
const lostChannels = (rules: readonly Rule[], channels: readonly string[]): Diagnosis[] =>
  rules.flatMap(({ name, channel }): Diagnosis[] =>
    channel === undefined || channels.includes(channel)
      ? []
      : [
          {
            status: "warning",
            summary: `The rule ${name} tells over the channel '${channel}', which is not in force.`,
            remedy: "See 'agtmux channel list', or name another one in rules.json.",
          },
        ],
  );

const examine = async (
  context: FeatureContext,
  ruleSet: RuleSet,
  channels: readonly string[],
): Promise<Diagnosis | Diagnosis[]> => {
  await ruleSet.reload();
  const { rules, problems, blocksApproval } = ruleSet.current;
  if (!ruleSet.exists) return { status: "skipped", summary: "There are no approval rules." };
  const found: Diagnosis[] = lostChannels(rules, channels);
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
  const watching = rules.filter((rule) => watchOf(rule) !== null).length;
  const others = rules.length - answering.length - watching;
  const words = `${count} armed, ${shadow} in shadow, ${others} that press no key, ${watching} that watch`;
  if (isPaused && count + watching > 0)
    found.push({
      status: "warning",
      summary: `Automation is paused, and rules do nothing: ${words}.`,
      remedy: "Run 'agtmux automation resume' when they shall go on.",
    });
  else found.push({ status: "ok", summary: `Approval rules: ${words}.` });
  return found;
};

/** `channels`: names of those in force. */
export const ruleChecks = (
  context: FeatureContext,
  ruleSet: RuleSet,
  channels: readonly string[],
): Check[] => [
  {
    name: "daemon.rules",
    place: { group: "daemon" },
    limitMs: LIMIT_MS,
    run: () => examine(context, ruleSet, channels),
  },
];
