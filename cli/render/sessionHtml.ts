// A session as one HTML file, or as Markdown. The HTML is text and nothing else: everything that an agent wrote is escaped, there
// is no script, no link and no picture, and the file's own policy forbids the browser to load anything.
import { createHash } from "node:crypto";
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import { visibleLine, visibleText } from "../../core/model/words.ts";

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; background: #fff; color: #1b1b1f; }
h1 { font-size: 1.3rem; }
h2 { font-size: .85rem; margin: 1.5rem 0 .25rem; color: #4a4a55; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .85rem; color: #4a4a55; }
dd { margin: 0; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.user { border-left: 3px solid #3b6fd4; padding-left: .75rem; }
.tool .text, .note .text { font: .85rem/1.5 ui-monospace, monospace; color: #4a4a55; }
@media (prefers-color-scheme: dark) {
  body { background: #17171a; color: #ececf0; }
  h2, dl, .tool .text, .note .text { color: #b4b4c0; }
}
`;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escape = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "");

const renderEntry = ({ role, text, at }: HistoryEntry): string => {
  const when =
    at === null ? "" : ` <time datetime="${escape(at)}">${escape(at.slice(0, 16).replace("T", " "))}</time>`;
  return `<section class="${role}"><h2>${WHO[role]}${when}</h2><div class="text">${escape(visibleText(text))}</div></section>`;
};

/** What the file says of the session above its conversation. */
export const factsOf = (session: HistorySession): [name: string, value: string][] => {
  const facts: [name: string, value: string | null][] = [
    ["Agent", session.agent_name],
    ["Session", session.identity.session_id],
    ["Folder", session.folder],
    ["Branch", session.branch],
    ["Began", session.started_at],
    ["Last", session.last_at],
  ];
  return facts.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, visibleLine(value)]],
  );
};

export const titleOf = ({ title, first_prompt, agent_name }: HistorySession): string =>
  visibleLine(title ?? first_prompt ?? `Session of ${agent_name}`);

/** `remarks`: sentences below the facts. */
export const sessionHtml = (
  session: HistorySession,
  entries: readonly HistoryEntry[],
  remarks: readonly string[],
): string => {
  const hash = createHash("sha256").update(STYLE).digest("base64");
  const title = escape(titleOf(session));
  const facts = factsOf(session).map(([name, value]) => `<dt>${name}</dt><dd>${escape(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<dl>${facts.join("")}</dl>
${remarks.map((remark) => `<p>${escape(remark)}</p>`).join("\n")}
${entries.map(renderEntry).join("\n")}
</main>
</body>
</html>
`;
};

// Markdown, for a pull request or an issue: what an agent wrote stands in fenced blocks, so that nothing of it becomes a heading, a
// link, a picture or HTML wherever it is shown.

/** A text on a line of its own: its Markdown signs are shown and mean nothing. */
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
