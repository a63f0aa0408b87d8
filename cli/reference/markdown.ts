// docs/cli.md, from the tree of verbs and the topics.
import { TOPICS, type Topic } from "./topics.ts";
import { flatten, type OptionPage, type ValuePage, type VerbPage } from "./pages.ts";

const code = (text: string): string => `\`${text}\``;

/** Placeholders in running text would be read as HTML. */
const escape = (text: string): string => text.replaceAll("<", "\\<").replaceAll("*", "\\*");

const values = (value: ValuePage | null): string =>
  value?.values ? ` One of ${value.values.map(code).join(", ")}.` : "";

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const optionLine = ({ flags, says, value }: OptionPage): string =>
  `- ${code(flags)}: ${escape(ended(says))}${values(value)}`;

/** Of the arguments, those of which there is something to say. */
const positionalLine = (value: ValuePage): string[] =>
  value.says === "" && value.values === null
    ? []
    : [
        `- ${code(`<${value.name}>`)}:${value.says === "" ? "" : ` ${escape(ended(value.says))}`}${values(value)}`,
      ];

const verbSection = (page: VerbPage): string[] => [
  `### agtmux ${page.path.join(" ")}`,
  "",
  ended(escape(sentence(page.says))),
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
  ...intro.flatMap((paragraph) => [escape(paragraph), ""]),
  ...(entries.length > 0 ? [...entries.map(({ term, says }) => `- ${code(term)}: ${escape(says)}`), ""] : []),
];

const summaryLine = ({ path, says }: VerbPage): string => {
  const title = `agtmux ${path.join(" ")}`;
  return `- [${title}](#${title.replaceAll(" ", "-")}): ${escape(ended(says))}`;
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
