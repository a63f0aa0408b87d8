// Approval rules in words, for the popover and the picker: what a rule is about, whether it is armed, and what it did last. Pure.
import type { RuleDraft, RulesView, RuleView } from "../../core/model/rule.ts";
import type { PaneView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { displayLine, displaySentence, searchFor } from "./displayText.ts";

type Then = RuleView["then"];

const THEN_WORDS: Readonly<Record<Then, string>> = {
  approve: "Approves",
  deny: "Refuses",
  leave: "Leaves to you",
  notify: "Tells you of",
  send: "Sends a text when",
};

/** The commands of a rule, each as its words; null where it names none. */
const commandsOf = ({ commands }: RuleView["when"]): unknown[][] | null =>
  Array.isArray(commands) && commands.every((words) => Array.isArray(words)) ? commands : null;

/** What a rule waits for that is about agents, and not about what they ask; null: it is no such rule. */
const watchOf = ({ watch }: RuleView["when"]): string | null => (typeof watch === "string" ? watch : null);

/** What it waits for, the commands that it names, or the rest of its conditions as the file has them. */
const aboutOf = (when: RuleView["when"]): string => {
  const watch = watchOf(when);
  if (watch !== null) return watch;
  const commands = commandsOf(when);
  if (commands !== null) return commands.map((words) => words.join(" ")).join("  ·  ");
  const entries = Object.entries(when);
  return entries.length === 0
    ? "everything"
    : entries.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", ");
};

export const ruleTitle = ({ then, when }: RuleView): string =>
  displayLine(
    `${watchOf(when) === null || then === "send" ? THEN_WORDS[then] : "Tells you when"}  ${aboutOf(when)}`,
  );

export const ruleStatus = ({ mode }: RuleView): string => (mode === "shadow" ? "dry run" : mode);

/** Its name, and the conditions that the title does not say. */
export const rulePlace = ({ name, when, mode, channel, text }: RuleView): string => {
  const { commands, watch, ...others } = when;
  const isTold = commandsOf({ commands }) === null && watchOf({ watch }) === null;
  return [
    displayLine(name),
    ...(isTold
      ? []
      : Object.entries(others).map(([key, value]) => displayLine(`${key} ${JSON.stringify(value)}`))),
    ...(channel === null ? [] : [displayLine(`over ${channel}`)]),
    ...(text === null ? [] : [displayLine(text)]),
    ...(mode === "blocked" ? ["armed, but nothing is approved until the file is fixed"] : []),
  ].join(" · ");
};

const VERDICTS: Readonly<Record<string, string>> = {
  approve: "approved",
  deny: "refused",
  would_approve: "would have approved",
  would_deny: "would have refused",
  send: "sent",
  would_send: "would have sent",
};

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

/** Whether what it did is on record. */
export const hasRecord = ({ then, when }: RuleView): boolean =>
  then === "approve" || then === "deny" || watchOf(when) !== null;

/** How often it did something, and what it did last; empty where nothing is on record. */
export const ruleLast = (rule: RuleView, now: number): string => {
  if (!hasRecord(rule)) return "";
  const { mode, answered, would_have, last } = rule;
  if (last === null) return "has done nothing yet";
  const { at, verdict, command, outcome } = last;
  if (verdict === "tell")
    return `did so ${times(answered)}; ${formatAge(Math.max(0, now - Date.parse(at)))} ago: ${displayLine(outcome)}`;
  const word = rule.then === "send" ? "sent" : "answered";
  const did = mode === "shadow" ? `would have ${word} ${times(would_have)}` : `${word} ${times(answered)}`;
  const how = outcome === "delivered" || outcome === "in shadow" ? "" : ` (${displayLine(outcome)})`;
  const ago = formatAge(Math.max(0, now - Date.parse(at)));
  return `${did}; ${ago} ago it ${VERDICTS[verdict] ?? displayLine(verdict)} ${displayLine(command)}${how}`;
};

/** What is wrong with the file as a whole, as sentences. */
export const ruleProblems = ({ problems, blocks_approval: isBlocked }: RulesView): string[] => [
  ...problems.map(({ line, path, message }) =>
    displaySentence(`rules.json, line ${line}: ${path === "" ? "" : `${path}: `}${message}`),
  ),
  ...(isBlocked ? ["Nothing is approved until it's fixed."] : []),
];

/** Those that the person looks for; `runtimeId`: only those that did something for this agent last. */
export const findRules = (
  items: readonly RuleView[],
  { text, runtimeId }: { text: string; runtimeId: string | null },
): RuleView[] => {
  const isFound = searchFor(text);
  return items
    .filter(({ last }) => runtimeId === null || last?.runtime_id === runtimeId)
    .filter((rule) => isFound(() => [ruleTitle(rule), rulePlace(rule), ruleStatus(rule)].join("\n")));
};

export const isArmable = ({ then, mode }: RuleView): boolean =>
  (then === "approve" || then === "deny" || then === "send") && mode === "shadow";
export const isDisarmable = ({ mode }: RuleView): boolean => mode === "armed" || mode === "blocked";

const ARMS: Readonly<Record<Then, string>> = {
  approve: "It approves these immediately, without asking you, whenever an agent asks for one",
  deny: "It denies these immediately, without asking you",
  leave: "It leaves these to you",
  notify: "It tells you of these",
  send: "It types this text to an agent that is idle, without asking you",
};

/** A command is written as it is, also at the beginning. */
export const noteText = (note: string): string => `${displayLine(note)}.`;

/** What arming means, with all of the rule, sentence by sentence. */
export const armingText = (rule: RuleView): string[] => [
  `${ARMS[rule.then]}:`,
  ...(rule.text === null ? [] : [displayLine(rule.text)]),
  ...Object.entries(rule.when).map(([key, value]) => displayLine(`${key}: ${JSON.stringify(value)}`)),
  ...rule.notes.map(noteText),
];

/** What happens with a rule once it is in the file. */
export const addedText = (then: Then): string =>
  then === "leave"
    ? "It applies as soon as it's in the file, and presses no keys."
    : "It starts as a dry run: it logs what it would do and presses no keys until you arm it.";

export const DRAFT_VERDICTS = ["approve", "deny", "leave"] as const;
export type DraftVerdict = (typeof DRAFT_VERDICTS)[number];
export const DRAFT_WORDS: Readonly<Record<DraftVerdict, string>> = {
  approve: "Approve it",
  deny: "Refuse it",
  leave: "Always leave it to me",
};

/** Whoever approves answers for one kind of agent; what is refused or left to a person is so for all. */
export const draftInput = (
  { identity, agent, prompt_fingerprint: fingerprint }: PaneView,
  verdict: DraftVerdict,
) => ({
  runtimeId: identity.runtime_id ?? "none",
  fingerprint,
  verdict,
  agent: verdict === "approve" ? agent : null,
});

const ANSWERS: Readonly<Record<Then, string>> = {
  approve: "approve it",
  deny: "refuse it",
  leave: "leave it to me",
  notify: "tell me",
  send: "send the text",
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** `isField`: what the rule says here, among the words that hold it together. */
type SentencePart = Readonly<{ text: string; isField: boolean }>;

/**
 * A rule in words: "When Claude Code in ~/shop asks to run `npm test`, approve it." Null where it says more than these words do, or
 * anything but plain text: then only its JSON is all of it.
 */
export const draftSentence = ({ rule }: RuleDraft, pane: PaneView): readonly SentencePart[] | null => {
  const { agents, cwd, commands, ...others } = rule.when;
  const asked = commandsOf({ commands });
  if (asked === null || asked.length === 0 || !asked.every(isTexts) || Object.keys(others).length > 0)
    return null;
  if ((agents !== undefined && !isTexts(agents)) || (cwd !== undefined && !isTexts(cwd))) return null;
  // Words show every text on one line; what would look like another one there is shown as it stands in the file.
  if ([...(cwd ?? []), ...asked.flat()].some((text) => displayLine(text) !== text)) return null;
  const nameOf = (agent: string): string => (agent === pane.agent ? (pane.agent_name ?? agent) : agent);
  const field = (text: string): SentencePart => ({ text: displayLine(text), isField: true });
  const word = (text: string): SentencePart => ({ text, isField: false });
  return [
    word("When "),
    field(agents === undefined ? "any agent" : agents.map(nameOf).join(" or ")),
    word(" in "),
    field(cwd === undefined ? "any folder" : `${cwd.join(" or ")} or below`),
    word(" asks to run "),
    field(asked.map((words) => words.join(" ")).join("  or  ")),
    word(", "),
    field(ANSWERS[rule.then]),
    word("."),
  ];
};
