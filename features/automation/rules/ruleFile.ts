// The rules file, `rules.json` in the home: its form, how it is read (`readRules`), the hash that a person arms (`hashOf`), and the
// text of one more rule (`addRule`, `draftRule`); it writes no file. A rule that is wrong is not in force, and the others are; but
// where it may have been one that refuses or leaves, nothing is approved until it is right.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { createHash } from "node:crypto";
import * as z from "zod";
import { placesOf, type Config } from "../../../core/model/config.ts";
import {
  JsonSyntaxError,
  lineOf,
  nodeAt,
  parseJsonTree,
  type JsonNode,
} from "../../../core/model/jsonTree.ts";
import { watchConditionSchema, type WatchCondition } from "../../../core/model/job.ts";
import { requestKindSchema } from "../../../core/model/request.ts";
import type { RuleProblem } from "../../../core/model/rule.ts";
import { conditionText, CONDITION_FORMS, readCondition, visibleText } from "../../../core/model/words.ts";
import { createDeadline, findPatternProblem } from "../../../core/pattern/pattern.ts";
import { patternProblem } from "./rulePaths.ts";
import { commandNotes, commandProblem, MORE } from "./ruleCommands.ts";

const MAX_RULES = 200;
/** Each is decided on in every pass of the watches. */
const MAX_WATCHES = 50;
/** How often a rule answers one agent in ten minutes at most. */
export const MAX_LIMIT = 20;
export const MAX_FILE = 262_144;

const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/, "a rule's name is up to 40 letters, digits, '.', '-' and '_'");
const wordSchema = z.string().min(1, "a word is not empty").max(200);
const commandSchema = z
  .array(wordSchema)
  .min(1, 'a command is a list of words, as in ["git", "status"]')
  .max(50)
  .refine((words) => words.indexOf(MORE) < 0 || words.indexOf(MORE) === words.length - 1, {
    message: "'*' stands for any further words, and goes last",
  })
  .refine(([program]) => program !== MORE, { message: "name the program: '*' isn't one" });
const folderSchema = z
  .string()
  .max(1_000)
  .refine((path) => path.startsWith("/") && !path.split("/").some((part) => part === "." || part === ".."), {
    message: "write the folder in full, from '/', without '.' and '..'",
  });
const pathSchema = z.string().superRefine((pattern, context) => {
  const message = patternProblem(pattern);
  if (message !== null) context.addIssue({ code: "custom", message });
});
/** To probe a pattern takes time, and the file is read again and again. */
const goodPatterns = new Set<string>();
const MAX_KNOWN = 500;

const problemOfPattern = (pattern: string): string | null => {
  if (goodPatterns.has(pattern)) return null;
  const probe = (): string | null => findPatternProblem(pattern, createDeadline());
  // On a machine that is held up for a moment any pattern takes too long.
  const problem = probe() === null ? null : probe();
  if (goodPatterns.size >= MAX_KNOWN) goodPatterns.clear();
  if (problem === null) goodPatterns.add(pattern);
  return problem;
};

/** Why nobody can wait for it; null: one can. */
const watchProblem = (text: string): string | null => {
  const condition = readCondition(text);
  if (condition === null) return `a watch waits for ${CONDITION_FORMS}`;
  if (!watchConditionSchema.safeParse(condition).success)
    return condition.kind === "quiet"
      ? "a watch waits for a silence of 1s to 1d"
      : "a pattern has at most 500 characters";
  const problem = condition.kind === "match" ? problemOfPattern(condition.pattern) : null;
  return problem === null ? null : `the pattern is refused: ${problem}`;
};

const watchSchema = z
  .string()
  .max(600)
  .superRefine((text, context) => {
    const message = watchProblem(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
const names = z.array(z.string().min(1).max(200)).min(1).max(50);

/** Stands for the name of the first check that failed. */
const CHECK = "{check}";
const MAX_TEXT = 500;
/** Of the name of a check, in a text that is typed. */
const MAX_CHECK = 60;
/** What agents take for a command, a shell or a memory begins in another way. */
const textSchema = z
  .string()
  .max(MAX_TEXT)
  .regex(/^[\p{L}\p{N}][^\p{C}\p{Zl}\p{Zp}]*$/u, "a text is one line that begins with a letter or a digit");

const shape = z
  .object({
    name: nameSchema,
    when: z
      .object({
        agents: names.optional(),
        targets: names.optional(),
        sessions: names.optional(),
        /** The folder in which the agent works, or one above it. */
        cwd: z.array(folderSchema).min(1).max(50).optional(),
        kinds: z.array(requestKindSchema).min(1).max(10).optional(),
        tools: names.optional(),
        commands: z.array(commandSchema).min(1).max(100).optional(),
        /** Of files that a word of the command, or the edit, may be about. */
        paths: z.array(pathSchema).min(1).max(50).optional(),
        /** What comes true of an agent, in place of what one asks. */
        watch: watchSchema.optional(),
      })
      .strict(),
    then: z.enum(["deny", "leave", "approve", "notify", "send"]),
    /** What is sent: see `textOfRule`. */
    text: textSchema.optional(),
    /** Over this one alone, at any hour. */
    channel: z.string().min(1).max(100).optional(),
    limit: z.number().int().min(1).max(MAX_LIMIT).default(MAX_LIMIT),
  })
  .strict();
export type Rule = z.infer<typeof shape>;

export const ruleSchema = shape.superRefine(({ when, then, channel, text }, context) => {
  const refuse = (path: (string | number)[], message: string): void => {
    context.addIssue({ code: "custom", path, message });
  };
  if (when.watch === undefined && channel !== undefined)
    refuse(["channel"], "only a rule with a watch names a channel: others tell over all of them");
  const watched = when.watch === undefined ? null : readCondition(when.watch);
  if (then === "send") {
    if (watched?.kind !== "checks" && watched?.kind !== "pr")
      refuse(["when"], "a rule that sends watches checks:failed, checks:passed or pr:approved");
    else if (text === undefined && conditionText(watched) !== "checks:failed")
      refuse(["text"], "write what is sent");
    if (channel !== undefined) refuse(["channel"], "a rule that sends tells nothing: leave this out");
  }
  if (text !== undefined && then !== "send") refuse(["text"], 'only a rule with "send" has a text');
  if (text?.includes(CHECK) === true && when.watch !== "checks:failed")
    refuse(["text"], `${CHECK} is known only where checks failed`);
  if (when.watch !== undefined) {
    if (then !== "notify" && then !== "send")
      refuse(["then"], 'a rule with a watch only tells or sends: write "notify" or "send"');
    for (const key of ["commands", "kinds", "tools", "paths"] as const)
      if (when[key] !== undefined)
        refuse(["when", key], "a watch is about agents, not about what they ask: leave this out");
  }
  const { commands, kinds, tools, paths } = when;
  if (then === "deny" && [commands, kinds, tools, paths].every((one) => one === undefined))
    refuse(["when"], "a rule that denies names commands, kinds, tools or paths");
  if (then !== "approve") return;
  if (commands === undefined) refuse(["when"], "a rule that approves names its commands");
  for (const key of ["kinds", "tools", "targets", "paths"] as const)
    if (when[key] !== undefined)
      refuse(
        ["when", key],
        key === "targets"
          ? "a rule approves on this machine only: leave this out"
          : key === "paths"
            ? "paths can only stop something: write a separate rule that denies or leaves it to you"
            : "a rule approves only commands: leave this out",
      );
  for (const [index, words] of (commands ?? []).entries()) {
    const problem = commandProblem(words);
    if (problem !== null) refuse(["when", "commands", index], problem);
  }
});

/** What a rule waits for; null: it is about what agents ask. */
export const watchOf = ({ when }: Rule): WatchCondition | null =>
  when.watch === undefined ? null : readCondition(when.watch);

/** What a rule sends, as a person reads it before arming it; null: it sends nothing. */
export const textOfRule = ({ then, text }: Rule): string | null =>
  then === "send" ? (text ?? `checks failed: ${CHECK}; look at them`) : null;

/** The same with the name that a pull request gives: what a host says is a name, bounded, in quotation marks, and nothing else. */
export const fillText = (text: string, check: string | null): string => {
  const name = (check ?? "")
    .replaceAll(/[^\p{L}\p{N} ._/()+:#@,-]+/gu, " ")
    .replaceAll(/ +/g, " ")
    .trim()
    .slice(0, MAX_CHECK)
    .replace(/\p{Cs}$/u, "");
  return text.replaceAll(CHECK, () => (name === "" ? "see the pull request" : `“${name}”`));
};

export interface RulesRead {
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
  /** What is wrong may have been a rule that refuses or leaves: until it is right nothing may be approved. */
  readonly blocksApproval: boolean;
}

const EVERYTHING_WRONG = (line: number, message: string): RulesRead => ({
  rules: [],
  problems: [{ line, path: "", message, rule: null }],
  blocksApproval: true,
});

/** The first property that stands twice in one object, below `node`. */
const repeatedIn = (node: JsonNode): JsonNode | null => {
  const seen = new Set<unknown>();
  for (const child of node.children) {
    if (child.kind === "property" && seen.has(child.value)) return child;
    if (child.kind === "property") seen.add(child.value);
    const deeper = repeatedIn(child);
    if (deeper !== null) return deeper;
  }
  return null;
};

const ruleNameOf = (element: unknown): string | null => {
  const parsed = z.object({ name: z.string().max(40) }).safeParse(element);
  return parsed.success ? parsed.data.name : null;
};

/** It only allows, tells or sends: without it there is less, not more. */
const isHarmlessIfMissing = (element: unknown): boolean =>
  z.object({ then: z.enum(["approve", "notify", "send"]) }).safeParse(element).success;

const listSchema = z.object({ rules: z.array(z.unknown()).max(MAX_RULES) }).strict();

/** Never throws on content. */
export const readRules = (text: string): RulesRead => {
  if (text.length > MAX_FILE) return EVERYTHING_WRONG(1, "the file is too long: rules may take 256 kB");
  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return EVERYTHING_WRONG(lineOf(text, error.offset), "this is not JSON");
  }
  const list = listSchema.safeParse(JSON.parse(text));
  const repeatedAbove = root.children.length > 1 || root.kind !== "object";
  if (!list.success || repeatedAbove)
    return EVERYTHING_WRONG(1, 'the file holds { "rules": [ ... ] } and nothing else');
  const rules: Rule[] = [];
  const problems: RuleProblem[] = [];
  let blocksApproval = false;
  for (const [index, element] of list.data.rules.entries()) {
    const at = (path: readonly (string | number)[], message: string): RuleProblem => ({
      line: lineOf(text, nodeAt(root, ["rules", index, ...path]).start),
      path: ["rules", index, ...path].join("."),
      message,
      rule: ruleNameOf(element),
    });
    const repeated = repeatedIn(nodeAt(root, ["rules", index]));
    const read = ruleSchema.safeParse(element);
    const own =
      repeated !== null
        ? [
            {
              ...at([], `'${String(repeated.value)}' appears twice here`),
              line: lineOf(text, repeated.start),
            },
          ]
        : !read.success
          ? placesOf(read.error.issues).map(({ path, message }) => at(path, message))
          : rules.some(({ name }) => name === read.data.name)
            ? [at(["name"], `a rule before it is already called '${read.data.name}'`)]
            : watchOf(read.data) !== null &&
                rules.filter((rule) => watchOf(rule) !== null).length >= MAX_WATCHES
              ? [at(["when", "watch"], `there are ${MAX_WATCHES} watches before it, the most there can be`)]
              : [];
    if (own.length === 0 && read.success) rules.push(read.data);
    else {
      problems.push(...own);
      if (repeated !== null || !isHarmlessIfMissing(element)) blocksApproval = true;
    }
  }
  return { rules, problems, blocksApproval };
};

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
      ? Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => [key, canonical(one)])
      : value;
const textOf = (rule: Rule): string => JSON.stringify(canonical(rule));

export const stops = ({ then }: Rule): boolean => then === "deny" || then === "leave";

/** Of a list that was read: they are asked for with every request. */
const hashes = new WeakMap<readonly Rule[], Map<Rule, string>>();

const readHash = (rule: Rule, rules: readonly Rule[]): string => {
  const before = rule.then === "approve" ? rules.filter(stops).map(textOf).toSorted() : [];
  return createHash("sha256")
    .update(JSON.stringify([textOf(rule), before]))
    .digest("hex");
};

/**
 * What a person arms: the rule to the letter; one that approves with those that go before it, so that a change of these disarms it.
 */
export const hashOf = (rule: Rule, rules: readonly Rule[]): string => {
  const known = hashes.get(rules) ?? new Map<Rule, string>();
  hashes.set(rules, known);
  const hash = known.get(rule) ?? readHash(rule, rules);
  known.set(rule, hash);
  return hash;
};

/** The setting without which nothing tells of what this rule waits for. */
const settingOf = (rule: Rule): "conflicts" | "pull_requests" | null => {
  const kind = watchOf(rule)?.kind;
  if (kind === "conflict") return "conflicts";
  return kind === "checks" || kind === "pr" ? "pull_requests" : null;
};

const contentNotes = (rule: Rule): string[] => {
  const { when, then } = rule;
  const text = textOfRule(rule);
  if (text !== null)
    return [
      "it is typed once for each commit, when the agent is idle and its input box is empty",
      ...(text.includes(CHECK)
        ? [
            "the name of the check comes from the pull request: whoever may name one there chooses these words",
          ]
        : []),
    ];
  return then === "approve" ? (when.commands ?? []).flatMap(commandNotes) : [];
};

/** What a person should know before arming a rule. */
export const notesOf = (rule: Rule, settings: Pick<Config, "conflicts" | "pull_requests">): string[] => {
  const off = settingOf(rule);
  return [
    ...(off !== null && !settings[off]
      ? [`it never fires while '${off}' is off: agtmux config set ${off} true`]
      : []),
    ...contentNotes(rule),
  ];
};

// Adding: one more rule goes into the text of the rules file, and every other byte stays as the person wrote it. Pure.

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

type Added = { readonly text: string; readonly rule: Rule } | { readonly problem: string };

/**
 * `text` null: no file yet. `added`: one rule in JSON, put in to the letter. Refused where the file is wrong, before or afterwards.
 */
export const addRule = (text: string | null, added: string): Added => {
  const alone = readRules(`{ "rules": [${added}\n] }`);
  const [only, ...more] = alone.rules;
  const [wrong] = alone.problems;
  if (wrong !== undefined) return { problem: `this isn't a rule: ${wrong.message}` };
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

// Drafts: a rule about what an agent asks now, and its text as a person would write it.

const MAX_NAME = 40;

/** Of the first words; with a number where another rule has it. */
const newRuleName = (words: readonly string[], taken: ReadonlySet<string>): string => {
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
  { folder, agent }: { folder: string | null; agent: string | null },
  then: Rule["then"],
  taken: ReadonlySet<string> = new Set(),
): Rule | null => {
  const drafted = {
    name: newRuleName(words, taken),
    when: {
      commands: [words],
      ...(agent === null ? {} : { agents: [agent] }),
      ...(folder === null || then !== "approve" ? {} : { cwd: [folder] }),
    },
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
