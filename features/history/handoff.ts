// What another agent needs to go on with a session: what the person asked, what was said last, what was touched, and where it
// stopped. It is put together from the log alone, because the agent may be out of tokens; nothing is made up, so what a log cannot
// tell (why something was decided) is not in it.
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";

/** Of the whole document, and of single texts in it, in characters. */
const MAX_LENGTH = 12_000;
const MAX_GOAL = 2_500;
const MAX_REQUEST = 600;
const MAX_ANSWER = 2_000;
const MAX_REQUESTS = 8;
const MAX_ANSWERS = 2;
const MAX_FILES = 30;
const MAX_COMMANDS = 8;

/** Tools that change a file, by the names that agents give them; what follows is the file. */
const CHANGES =
  /^(?:edit|multi_?edit|write|create|replace|write_file|edit_file|apply_patch|str_replace\w*|notebook_?edit) +(\S.*)$/i;
const RUNS = /^(?:bash|shell|exec_command|run_shell_command|run_in_terminal|local_shell) +(\S.*)$/i;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).trimEnd()} […${text.length - max} more characters]`;

/** The last different ones, in their order. */
const newest = (texts: readonly string[], count: number): string[] =>
  [...new Set(texts.toReversed())].slice(0, count).toReversed();

const matching = (calls: readonly string[], pattern: RegExp): string[] =>
  calls.flatMap((call) => pattern.exec(call)?.[1]?.trim() ?? []);

const listOf = (texts: readonly string[]): string =>
  texts.map((text) => `- ${text.replaceAll("\n", "\n  ")}`).join("\n");

const section = (title: string, body: string): string[] => (body === "" ? [] : [`## ${title}\n\n${body}`]);

/** `entries`: the newest of the session, oldest first; the first prompt may be older than they are. */
export const composeHandoff = (session: HistorySession, entries: readonly HistoryEntry[]): string => {
  const textsOf = (role: HistoryEntry["role"]): string[] =>
    entries.filter((entry) => entry.role === role).map(({ text }) => text);
  const prompts = textsOf("user");
  const answers = textsOf("agent");
  const calls = textsOf("tool");
  const goal = session.first_prompt ?? prompts[0] ?? session.title ?? "";
  const whole = prompts.find((prompt) => prompt.startsWith(goal.replace(/…$/, "").slice(0, 200)));
  const later = prompts.filter((prompt) => prompt !== whole);
  const last = entries.at(-1);
  const stopped =
    last === undefined || last.role === "agent" ? "" : `The log ends with: ${cut(last.text, MAX_REQUEST)}`;
  const [open = ""] = last?.role === "user" ? [last.text] : [];
  const context = [
    ...(session.folder === null ? [] : [`Folder: ${session.folder}`]),
    `Session: ${session.identity.agent}:${session.identity.session_id}`,
    ...(session.branch === null ? [] : [`Branch when it began: ${session.branch}`]),
    ...newest(matching(calls, CHANGES), MAX_FILES).map((file) => `Changed: ${cut(file, 200)}`),
    ...newest(matching(calls, RUNS), MAX_COMMANDS).map((command) => `Ran: ${cut(command, 200)}`),
  ];
  const document = [
    `# Work handed over from ${session.agent_name}`,
    "You take over work that another coding agent began. This was put together from its log. Look at the files and at git before you rely on it.",
    ...section("Goal", cut(whole ?? goal, MAX_GOAL)),
    ...section(
      "What the person asked since",
      listOf(later.slice(-MAX_REQUESTS).map((text) => cut(text, MAX_REQUEST))),
    ),
    ...section(
      "What the agent said last",
      answers
        .slice(-MAX_ANSWERS)
        .map((text) => cut(text, MAX_ANSWER))
        .join("\n\n---\n\n"),
    ),
    ...section("Context", listOf(context)),
    ...section(
      "Next steps",
      [
        open === "" ? stopped : `This was asked last and is not answered: ${cut(open, MAX_REQUEST)}`,
        "Find out what of the goal is not done yet, and go on with it.",
      ]
        .filter((text) => text !== "")
        .join("\n\n"),
    ),
  ].join("\n\n");
  return `${cut(document, MAX_LENGTH)}\n`;
};
