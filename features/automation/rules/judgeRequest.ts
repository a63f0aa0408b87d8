// What the rules make of a request. Pure. What refuses goes before what leaves, and that before what approves; where no rule
// fits, it is the person's. Refusals match whatever may become the command; an approval only exactly what it names.
import type { PromptRequest } from "../../../core/model/request.ts";
import { commandsIn, wordsOf, MORE } from "./ruleCommands.ts";
import { fitsPath } from "./rulePaths.ts";
import { hashOf, stops, watchOf, type Rule, type RulesRead } from "./ruleFile.ts";

export interface Asked {
  readonly agent: string;
  readonly target: string;
  readonly session: string;
  readonly kind: PromptRequest["kind"];
  /** Null: not known. */
  readonly tool: string | null;
  /** To the letter; null where the request is about no command. */
  readonly command: string | null;
  /** In which the agent works; null: not known. */
  readonly folder: string | null;
  /** Where the links of a folder lead on the agent's machine; null: nobody knows. */
  readonly leadsTo: (folder: string) => string | null;
  /** Of all files that it may be about, and where their links lead. */
  readonly paths: readonly string[];
}

export interface RulesNow extends Omit<RulesRead, "problems"> {
  /** The hashes that a person armed. */
  readonly armed: ReadonlySet<string>;
}

export interface Judged {
  readonly verdict: "deny" | "leave" | "approve" | "nothing";
  /** The rule that decides. */
  readonly rule: Rule | null;
  readonly hash: string | null;
  /** Without it the rule presses no key. A rule that leaves needs none. */
  readonly isArmed: boolean;
  readonly why: string;
  /** Rules that tell of it. */
  readonly notify: readonly Rule[];
}

/** A plain word below the folder of now, that no program takes for an option, an assignment or an address. */
const MORE_WORD = /^[A-Za-z0-9_.][A-Za-z0-9_./@+,%-]*$/;
const isMore = (word: string): boolean => MORE_WORD.test(word) && !word.split("/").includes("..");

/** Exactly these words; behind a star more of them. */
const isNamed = (named: readonly string[], words: readonly string[]): boolean => {
  const fixed = named.at(-1) === MORE ? named.slice(0, -1) : named;
  if (words.length < fixed.length || fixed.some((word, index) => word !== words[index])) return false;
  const rest = words.slice(fixed.length);
  return fixed === named ? rest.length === 0 : rest.every(isMore);
};

/** The last part of a path. */
const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1).toLowerCase();

const isProgram = (named: string, word: string): boolean => {
  const [one, other] = [named.toLowerCase(), word.toLowerCase()];
  return one === other || other.endsWith(`/${one}`);
};

/** A long option also with a value, a short one also among others. */
const isWord = (named: string, word: string): boolean => {
  if (named === word) return true;
  if (/^--./.test(named)) return word.startsWith(`${named}=`);
  return /^-[A-Za-z]$/.test(named) && /^-[A-Za-z]+$/.test(word) && word.includes(named.slice(1));
};

/** The words in their order, whatever stands between them. */
const mayBe = (named: readonly string[], words: readonly string[]): boolean => {
  const sought = named.filter((word) => word !== MORE);
  let at = 0;
  for (const word of words) {
    const next = sought[at];
    if (next !== undefined && (at === 0 ? isProgram(next, word) : isWord(next, word))) at += 1;
  }
  return at === sought.length;
};

export const isBelow = (folder: string, above: string): boolean => {
  const base = above.endsWith("/") ? above.slice(0, -1) : above;
  return folder === base || folder.startsWith(`${base}/`);
};
const isPlainFolder = (folder: string): boolean =>
  folder.startsWith("/") && !folder.split("/").some((part) => part === "." || part === "..");

interface Seen {
  asked: Asked;
  /** Null: not understood. */
  words: readonly string[] | null;
  parts: readonly (readonly string[])[];
  /** Of all words in them: where a program is not among these, no part is compared. An agent may ask with thousands of parts. */
  names: ReadonlySet<string>;
}

const isListed = (named: readonly string[] | undefined, value: string | null): boolean =>
  named === undefined || (value !== null && named.includes(value));

/**
 * `isStop`: a rule that stops counts by the name of a folder as well as by where it leads, and where nobody knows. For an approval
 * it counts only where the folder leads: a name may be a link that lies in the folder of the rule, and leads out of it.
 */
const isThere = ({ when }: Rule, { asked }: Seen, isStop: boolean): boolean => {
  const { agent, target, session, folder, leadsTo } = asked;
  if (!isListed(when.agents, agent) || !isListed(when.targets, target) || !isListed(when.sessions, session))
    return false;
  if (when.cwd === undefined) return true;
  const real = folder === null || !isPlainFolder(folder) ? null : leadsTo(folder);
  if (folder === null || real === null) return isStop;
  return when.cwd.some((above) => {
    const realAbove = leadsTo(above);
    if (!isStop) return realAbove !== null && isBelow(real, realAbove);
    return [folder, real].some((one) => [above, realAbove ?? above].some((other) => isBelow(one, other)));
  });
};

const mayHold = (named: readonly string[], { parts, names }: Seen): boolean =>
  names.has(nameOf(named[0] ?? "")) && parts.some((words) => mayBe(named, words));

const isStopped = (rule: Rule, seen: Seen): boolean => {
  const { kinds, tools, commands, paths } = rule.when;
  return (
    isThere(rule, seen, true) &&
    isListed(kinds, seen.asked.kind) &&
    isListed(tools, seen.asked.tool) &&
    (commands === undefined || commands.some((named) => mayHold(named, seen))) &&
    (paths === undefined || paths.some((pattern) => seen.asked.paths.some((path) => fitsPath(pattern, path))))
  );
};

const isApproved = (rule: Rule, seen: Seen): boolean => {
  const { words } = seen;
  if (words === null || seen.asked.kind !== "command" || !isThere(rule, seen, false)) return false;
  return (rule.when.commands ?? []).some((named) => isNamed(named, words));
};

export const judgeRequest = ({ rules, blocksApproval, armed }: RulesNow, asked: Asked): Judged => {
  const { command } = asked;
  const parts = command === null ? [] : commandsIn(command);
  const seen: Seen = {
    asked,
    words: command === null ? null : wordsOf(command),
    parts,
    names: new Set(parts.flat().map(nameOf)),
  };
  const notify = rules.filter(
    (rule) => rule.then === "notify" && watchOf(rule) === null && isStopped(rule, seen),
  );
  const nothing = { rule: null, hash: null, isArmed: false, notify };
  const by = (rule: Rule, verdict: Judged["verdict"], why: string): Judged => {
    const hash = hashOf(rule, rules);
    return { verdict, rule, hash, isArmed: verdict === "leave" || armed.has(hash), why, notify };
  };
  const stopping = rules.filter((rule) => stops(rule) && isStopped(rule, seen));
  const deny = stopping.find(({ then }) => then === "deny");
  if (deny !== undefined) return by(deny, "deny", `the rule '${deny.name}' refuses it`);
  const leave = stopping[0];
  if (leave !== undefined) return by(leave, "leave", `the rule '${leave.name}' leaves it to you`);
  const approving = rules.filter((rule) => rule.then === "approve" && isApproved(rule, seen));
  const approve = approving.find((rule) => armed.has(hashOf(rule, rules))) ?? approving[0];
  if (approve === undefined) {
    const isOdd = command !== null && seen.words === null;
    const why = isOdd ? "it isn't a simple command, so no rule can approve it" : "no rule matches it";
    return { ...nothing, verdict: "nothing", why };
  }
  if (blocksApproval)
    return {
      ...by(approve, "leave", "the rules file has a mistake in it, so nothing is approved"),
      isArmed: false,
    };
  return by(approve, "approve", `the rule '${approve.name}' approves it`);
};
