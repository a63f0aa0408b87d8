// The man page agtmux(1), from the tree of verbs and the topics, in the classic man macros.
import { TOPICS, type Topic } from "./topics.ts";
import { flatten, type OptionPage, type ValuePage, type VerbPage } from "./pages.ts";

/** Text as roff shows it: a backslash, a leading dot and the quotes and dashes that typesetting would change are escaped. */
const escape = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("~", "\\(ti")
    .replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha")
    .replace(/^\./, "\\&.");

const bold = (text: string): string => `\\fB${escape(text)}\\fR`;
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
const sentence = (text: string): string => ended(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);

const optionLines = ({ flags, says, value }: OptionPage): string[] => [
  ".TP",
  bold(flags),
  escape(sentence(says)),
  ...(value?.values ? [escape(`One of ${value.values.join(", ")}.`)] : []),
];

const positionalLines = ({ name, says, values }: ValuePage): string[] =>
  says === "" && values === null
    ? []
    : [
        ".TP",
        bold(`<${name}>`),
        ...(says === "" ? [] : [escape(sentence(says))]),
        ...(values === null ? [] : [escape(`One of ${values.join(", ")}.`)]),
      ];

const verbLines = (page: VerbPage): string[] => [
  `.SS "${escape(page.usage)}"`,
  escape(sentence(page.says)),
  ...page.positionals.flatMap(positionalLines),
  ...page.options.flatMap(optionLines),
  ...page.notes.flatMap((note) => [".PP", ...note.split("\n").map(escape)]),
];

const exampleLines = (page: VerbPage): string[] =>
  page.examples.flatMap(({ line, says }) => [".TP", bold(line), escape(says)]);

const topicLines = ({ title, intro, entries }: Topic): string[] => [
  `.SH ${escape(title.toUpperCase())}`,
  ...intro.flatMap((paragraph, index) => [...(index > 0 ? [".PP"] : []), escape(paragraph)]),
  ...entries.flatMap(({ term, says }) => [".TP", bold(term), escape(says)]),
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
    escape(root.says),
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
