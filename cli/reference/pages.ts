// The tree of verbs as data, and what is made from it: the table of completions, docs/cli.md and the man page.
import type { Argument, Option } from "commander";
import type { Example, Verb } from "../command/verb.ts";
import { TOPICS, type Topic } from "./topics.ts";
import type { LiveKind } from "../parse/values.ts";

interface ValuePage {
  /** The word in angle brackets, such as `ref` or `target/session`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  /** The closed list of its values; null where there is none. */
  readonly values: readonly string[] | null;
  readonly says: string;
}

interface OptionPage {
  /** As the help prints it: `--target <target>`. */
  readonly flags: string;
  /** `--target`, and `-h` where there is a short one. */
  readonly names: readonly string[];
  readonly says: string;
  /** Null for a switch. */
  readonly value: ValuePage | null;
}

interface VerbPage {
  /** Words after `agtmux`: none for agtmux itself. */
  readonly path: readonly string[];
  readonly says: string;
  /** The whole command line, with placeholders. */
  readonly usage: string;
  readonly positionals: readonly ValuePage[];
  readonly options: readonly OptionPage[];
  /** Lines of text as the help prints them. */
  readonly notes: readonly string[];
  readonly examples: readonly Example[];
  readonly children: readonly VerbPage[];
}

const toPositional = (argument: Argument): ValuePage => ({
  name: argument.name(),
  isRequired: argument.required,
  isVariadic: argument.variadic,
  values: argument.argChoices ?? null,
  says: argument.description,
});

const toOption = (option: Option): OptionPage => {
  const [, name] = /[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/.exec(option.flags) ?? [];
  return {
    flags: option.flags,
    names: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
    says: option.description,
    value:
      name === undefined
        ? null
        : {
            name,
            isRequired: option.required,
            isVariadic: option.variadic,
            values: option.argChoices ?? null,
            says: option.description,
          },
  };
};

/** A verb with all below it, hidden ones left out. */
export const toPage = (verb: Verb, above: readonly string[] = []): VerbPage => {
  const help = verb.createHelp();
  const children = help.visibleCommands(verb).filter((child): child is Verb => "examples" in child);
  return {
    path: above,
    says: verb.description(),
    usage: ["agtmux", ...above, verb.usage()].filter((part) => part !== "").join(" "),
    positionals: verb.registeredArguments.map(toPositional),
    options: help.visibleOptions(verb).map(toOption),
    notes: verb.notes,
    examples: verb.examples,
    children: children.map((child) => toPage(child, [...above, child.name()])),
  };
};

/** A page and all pages below it, in order. */
export const flatten = (page: VerbPage): VerbPage[] => [page, ...page.children.flatMap(flatten)];

// Completions: what can be completed where, flattened from the tree; the one source of the scripts for bash, zsh and fish.

/** Where the candidates for a value come from; `none`: there are none, the person has to type it. */
export type Source =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "live"; readonly live: LiveKind }
  | { readonly kind: "files" }
  | { readonly kind: "none" };

interface CompletedOption {
  readonly names: readonly string[];
  readonly says: string;
  /** Null for a switch. */
  readonly source: Source | null;
}

export interface CompletedVerb {
  /** Words after `agtmux`, with spaces between them. */
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly says: string }[];
  readonly options: readonly CompletedOption[];
  readonly positionals: readonly Source[];
  /** After its first argument, all words belong to another program. */
  readonly isOpen: boolean;
}

/** The source of candidates, by the word in angle brackets that names the value. */
const LIVE_BY_NAME: Readonly<Record<string, LiveKind>> = {
  ref: "refs",
  runtime: "runtimes",
  target: "targets",
  session: "sessions",
  "target/session": "target-sessions",
  agent: "agents",
};

const sourceOf = ({ name, values }: ValuePage, root: VerbPage): Source => {
  if (values !== null) return { kind: "words", words: values };
  if (name === "command")
    return {
      kind: "words",
      words: [...root.children.flatMap(({ path }) => path), ...TOPICS.map((topic) => topic.name)],
    };
  const live = LIVE_BY_NAME[name];
  if (live !== undefined) return { kind: "live", live };
  return name === "file" ? { kind: "files" } : { kind: "none" };
};

/** One entry per verb, agtmux itself first. */
export const completionTable = (root: VerbPage): CompletedVerb[] =>
  flatten(root).map((page) => ({
    path: page.path.join(" "),
    verbs: page.children.map(({ path, says }) => ({ name: path.at(-1) ?? "", says })),
    options: page.options.map(({ names, says, value }) => ({
      names,
      says,
      source: value === null ? null : sourceOf(value, root),
    })),
    positionals: page.positionals.map((value) => sourceOf(value, root)),
    isOpen: page.positionals.some(({ name, isVariadic }) => isVariadic && name === "arguments"),
  }));

// docs/cli.md, from the tree and the topics.

const code = (text: string): string => `\`${text}\``;

/** Placeholders in running text would be read as HTML. */
const escapeMarkdown = (text: string): string => text.replaceAll("<", "\\<").replaceAll("*", "\\*");

const values = (value: ValuePage | null): string =>
  value?.values ? ` One of ${value.values.map(code).join(", ")}.` : "";

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const optionLine = ({ flags, says, value }: OptionPage): string =>
  `- ${code(flags)}: ${escapeMarkdown(ended(says))}${values(value)}`;

/** Of the arguments, those of which there is something to say. */
const positionalLine = (value: ValuePage): string[] =>
  value.says === "" && value.values === null
    ? []
    : [
        `- ${code(`<${value.name}>`)}:${value.says === "" ? "" : ` ${escapeMarkdown(ended(value.says))}`}${values(value)}`,
      ];

const verbSection = (page: VerbPage): string[] => [
  `### agtmux ${page.path.join(" ")}`,
  "",
  ended(escapeMarkdown(capitalised(page.says))),
  "",
  ["```sh", page.usage, "```"].join("\n"),
  "",
  ...page.positionals.flatMap(positionalLine),
  ...page.options.map(optionLine),
  "",
  ...page.notes.flatMap((note) => [["```text", note, "```"].join("\n"), ""]),
  ...page.examples.flatMap(({ line, says }) => [says, "", ["```sh", line, "```"].join("\n"), ""]),
];

const topicSection = ({ title, intro, entries }: Topic): string[] => [
  `## ${title}`,
  "",
  ...intro.flatMap((paragraph) => [escapeMarkdown(paragraph), ""]),
  ...(entries.length > 0
    ? [...entries.map(({ term, says }) => `- ${code(term)}: ${escapeMarkdown(says)}`), ""]
    : []),
];

const summaryLine = ({ path, says }: VerbPage): string => {
  const title = `agtmux ${path.join(" ")}`;
  return `- [${title}](#${title.replaceAll(" ", "-")}): ${escapeMarkdown(ended(says))}`;
};

/** The whole document, with its final newline. Verbs that only group others have no section. */
export const renderMarkdown = (root: VerbPage): string => {
  const verbs = flatten(root).filter(({ children }) => children.length === 0);
  const lines = [
    "# The command line",
    "",
    "<!-- Made from the grammar by `npm run docs`; edit cli/grammar and cli/reference instead. -->",
    "",
    `${root.says} ${code("agtmux help <command>")} says the same of one command. Words such as target and runtime are in the [glossary](glossary.md), the states in [agents](agents.md#the-states).`,
    "",
    ...verbs.map(summaryLine),
    "",
    "## Commands",
    "",
    ...verbs.flatMap(verbSection),
    ...TOPICS.flatMap(topicSection),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
};

// The man page agtmux(1), from the tree and the topics, in the classic man macros.

/** Text as roff shows it: a backslash, a leading dot and the quotes and dashes that typesetting would change are escaped. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("~", "\\(ti")
    .replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha")
    .replace(/^\./, "\\&.");

const bold = (text: string): string => `\\fB${escapeRoff(text)}\\fR`;
const roffSentence = (text: string): string => ended(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);

const optionLines = ({ flags, says, value }: OptionPage): string[] => [
  ".TP",
  bold(flags),
  escapeRoff(roffSentence(says)),
  ...(value?.values ? [escapeRoff(`One of ${value.values.join(", ")}.`)] : []),
];

const positionalLines = ({ name, says, values }: ValuePage): string[] =>
  says === "" && values === null
    ? []
    : [
        ".TP",
        bold(`<${name}>`),
        ...(says === "" ? [] : [escapeRoff(roffSentence(says))]),
        ...(values === null ? [] : [escapeRoff(`One of ${values.join(", ")}.`)]),
      ];

const verbLines = (page: VerbPage): string[] => [
  `.SS "${escapeRoff(page.usage)}"`,
  escapeRoff(roffSentence(page.says)),
  ...page.positionals.flatMap(positionalLines),
  ...page.options.flatMap(optionLines),
  ...page.notes.flatMap((note) => [".PP", ...note.split("\n").map(escapeRoff)]),
];

const exampleLines = (page: VerbPage): string[] =>
  page.examples.flatMap(({ line, says }) => [".TP", bold(line), escapeRoff(says)]);

const topicLines = ({ title, intro, entries }: Topic): string[] => [
  `.SH ${escapeRoff(title.toUpperCase())}`,
  ...intro.flatMap((paragraph, index) => [...(index > 0 ? [".PP"] : []), escapeRoff(paragraph)]),
  ...entries.flatMap(({ term, says }) => [".TP", bold(term), escapeRoff(says)]),
];

/** The whole page, with its final newline. It has no date, so that the same definitions give the same page. */
export const renderRoff = (root: VerbPage): string => {
  const verbs = flatten(root).filter(({ children }) => children.length === 0);
  const lines = [
    '.\\" Made from the grammar by "npm run docs"; edit cli/grammar and cli/reference instead.',
    '.TH AGTMUX 1 "" "agtmux" "User Commands"',
    ".SH NAME",
    `agtmux \\- see which coding agent in which tmux pane waits for you, and act on it`,
    ".SH SYNOPSIS",
    `${bold("agtmux")} \\fIcommand\\fR [\\fIoptions\\fR]`,
    ".SH DESCRIPTION",
    escapeRoff(root.says),
    ".SH COMMANDS",
    ...verbs.flatMap(verbLines),
    ".SH EXAMPLES",
    ...flatten(root).flatMap(exampleLines),
    ...TOPICS.flatMap(topicLines),
    ".SH SEE ALSO",
    `${bold("tmux")}(1)`,
  ];
  return `${lines.join("\n")}\n`;
};
