// A session as Markdown, for a pull request or an issue. What an agent wrote stands in fenced blocks, so that nothing of it
// becomes a heading, a link, a picture or HTML wherever it is shown.
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import { visibleText } from "../../core/model/visibleText.ts";
import { factsOf, titleOf } from "./sessionHtml.ts";

/** A text that stands in a line of its own: its signs are shown and mean nothing. */
const plain = (text: string): string => text.replaceAll(/[\\`*_{}[\]()<>#+.!|~@:/&-]/g, String.raw`\$&`);

/** Longer than every run of the sign in the text. */
const fenceFor = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
};

const block = (text: string): string => {
  const shown = visibleText(text.toWellFormed());
  const fence = fenceFor(shown);
  return `${fence}text\n${shown}\n${fence}`;
};

const WHO: Readonly<Record<HistoryEntry["role"], string>> = {
  user: "Person",
  agent: "Agent",
  tool: "Call",
  note: "Note",
};

/** `remarks`: sentences below the facts. */
export const sessionMarkdown = (
  session: HistorySession,
  entries: readonly HistoryEntry[],
  remarks: readonly string[],
): string =>
  [
    `# ${plain(titleOf(session))}`,
    factsOf(session)
      .map(([name, value]) => `- ${name}: ${plain(value)}`)
      .join("\n"),
    ...remarks,
    ...entries.flatMap(({ role, text, at }) => [
      `## ${WHO[role]}${at === null ? "" : `, ${at.slice(0, 16).replace("T", " ")}`}`,
      block(text),
    ]),
    "",
  ].join("\n\n");
