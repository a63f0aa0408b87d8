// A report as Markdown: for the terminal, and as the part of a document between two marks.
import type { BenchReport, Check, PartReport, Table } from "./model.ts";
import { digits } from "./words.ts";

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

export const rowLines = (head: readonly string[], rows: Table["rows"]): string[] => [
  line(head),
  line(head.map(() => "---")),
  ...rows.map(line),
  "",
];

const tableLines = ({ caption, head, rows }: Table): string[] => [`${caption}:`, "", ...rowLines(head, rows)];

const checkTable = (parts: readonly PartReport[]): Table => ({
  caption: "Targets",
  head: ["part", "target", "measured", "limit", "result"],
  rows: parts.flatMap(({ name, checks }) =>
    checks.map(({ what, measured, limit, unit, atMost, isMet }: Check) => [
      name,
      what,
      `${measured >= 1_000 ? Math.round(measured).toLocaleString("en") : digits(measured)} ${unit}`,
      `${atMost ? "≤" : "≥"} ${limit >= 1_000 ? limit.toLocaleString("en") : digits(limit)} ${unit}`,
      isMet ? "met" : "**missed**",
    ]),
  ),
});

const partLines = ({ title, how, tables, notes, seconds, name }: PartReport): string[] => [
  `### ${title}`,
  "",
  `${how} (\`npm run bench -- --only ${name}\`, ${seconds.toFixed(0)} s.)`,
  "",
  ...tables.flatMap(tableLines),
  ...notes.map((note) => `- ${note}`),
  ...(notes.length > 0 ? [""] : []),
];

/** All of it: machine, targets, then part by part. */
export const toMarkdown = ({
  date,
  command,
  machine: m,
  loadBefore,
  loadAfter,
  parts,
}: BenchReport): string =>
  [
    `\`${command}\` on ${date}: ${m.cpu}, ${m.cores} cores, ${m.memoryGb} GB, ${m.system}, Node ${m.node}, ${m.tmux}.`,
    `Load average ${loadBefore.toFixed(2)} at the start, ${loadAfter.toFixed(2)} at the end (the bench itself included).`,
    "",
    ...tableLines(checkTable(parts)),
    ...parts.flatMap(partLines),
  ].join("\n");

const marksOf = (suite: string): readonly [string, string] => [
  `<!-- ${suite}: begin -->`,
  `<!-- ${suite}: end -->`,
];

/** Where there is no document yet. */
export const EMPTY_DOCUMENT = `# agtmux figures\n\n${marksOf("bench").join("\n\n")}\n`;

/** The document with the text between the two marks of `suite` replaced. @throws Error when it has no such marks. */
export const intoDocument = (document: string, markdown: string, suite = "bench"): string => {
  const [begin, end] = marksOf(suite);
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`the document has no lines "${begin}" and "${end}" to write between`);
  return `${document.slice(0, from + begin.length)}\n\n${markdown.trim()}\n\n${document.slice(to)}`;
};
