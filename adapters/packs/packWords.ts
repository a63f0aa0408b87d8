// What a pack says and what it may answer, in sentences for a person: as it is, and as a difference from what is in force.
import { isWaiting } from "../../core/model/needs.ts";
import { STATE_WORDS } from "../../core/model/words.ts";
import { statusOf, type PatchFile, type ScreenRule, type TitleRule } from "../declarative/schema.ts";

/** `title "^x"` where a rule has no name of its own. */
const nameOf = (rule: ScreenRule): string => (rule.name === undefined ? "" : `"${rule.name}": `);

const sayStatus = (rule: ScreenRule | TitleRule): string => {
  const { state, reasonCode } = statusOf(rule);
  if (state === "unknown") return "nothing is believed (unknown)";
  return `${STATE_WORDS[state]} (${reasonCode}, ${rule.confidence} confidence)`;
};

const sayScreen = (rule: ScreenRule): string => {
  const { lines, pattern, not, steady, request } = rule;
  const but = not === undefined ? "" : `, unless ${not} matches too`;
  const stands = steady ? ", also while it stands still" : "";
  const asks = request === undefined ? "" : `, asks as ${request.kind}`;
  return `${nameOf(rule)}${sayStatus(rule)} where the last ${lines} lines match ${pattern}${but}${stands}${asks}`;
};

const sayTitle = (rule: TitleRule): string =>
  `${sayStatus(rule)} where the title of the pane matches ${rule.pattern}`;

/** Each rule as a sentence, in the order in which they are tried. */
export const sayRules = ({ screens, titles }: PatchFile): string[] => [
  ...screens.map(sayScreen),
  ...titles.map(sayTitle),
];

/** Everything by which it could answer, as sentences; empty: it cannot. */
export const sayAnswers = ({ keys = {}, screens, titles }: PatchFile): string[] => {
  const pressed = (words: readonly string[] | undefined, what: string): string[] =>
    words === undefined ? [] : [`${what} presses ${words.join(", then ")}`];
  const isAsking = [...screens, ...titles].some(({ state }) => isWaiting(state));
  const answers = [
    ...pressed(keys.approve, "approving"),
    ...pressed(keys.deny, "denying"),
    ...pressed(keys.option, "choosing option {n}"),
    ...pressed(keys.interrupt, "interrupting"),
    ...screens.flatMap((rule) => {
      const { request } = rule;
      const which = rule.name === undefined ? `the rule for ${rule.pattern}` : `the rule "${rule.name}"`;
      return [
        ...(request?.whole === true
          ? [`what ${which} reads counts as shown in full, so that it can be approved`]
          : []),
        ...(request?.options?.includes("(?<key>") === true
          ? [`an option of ${which} is chosen by the key that the screen names, found by ${request.options}`]
          : []),
      ];
    }),
  ];
  // A person has to know that before they allow the rest.
  return answers.length === 0 || !isAsking
    ? answers
    : [
        ...answers,
        "all this also on dialogs that the program reads by itself, wherever a rule for a request matches",
      ];
};

interface Said {
  readonly drivenWith: readonly string[];
  readonly rules: readonly string[];
  readonly answers: readonly string[];
}

const differences = (before: readonly string[], after: readonly string[], what: string): string[] => [
  ...before.filter((one) => !after.includes(one)).map((one) => `no longer ${what}: ${one}`),
  ...after.filter((one) => !before.includes(one)).map((one) => `${what}: ${one}`),
];

/** From what is in force to another pack, a sentence each; the order of rules counts too. */
export const sayChanges = (before: Said, after: Said): string[] => {
  const kept = (rules: readonly string[], others: readonly string[]) =>
    rules.filter((one) => others.includes(one)).join("\n");
  const isReordered = kept(before.rules, after.rules) !== kept(after.rules, before.rules);
  return [
    ...differences(before.drivenWith, after.drivenWith, "driven with"),
    ...differences(before.rules, after.rules, "reads"),
    ...(isReordered ? ["rules that were there before are tried in another order"] : []),
    ...differences(before.answers, after.answers, "answers"),
  ];
};
