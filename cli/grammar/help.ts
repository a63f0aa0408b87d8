// `agtmux help|schema|completions`: these verbs print without a daemon. The JSON Schemas are those shipped in resources/schemas.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import { bashScript, fishScript, zshScript } from "../reference/completions.ts";
import { completionTable, toPage } from "../reference/pages.ts";
import type { CliContext } from "../command/context.ts";
import type { Verb } from "../command/verb.ts";
import { TOPICS, type Topic } from "../reference/topics.ts";

const DEFAULT_WIDTH = 80;
const MAX_WIDTH = 100;

/** Wraps words into lines of at most `width`, each after `indent` spaces. */
const wrap = (text: string, width: number, indent: number): string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `${" ".repeat(indent)}${one}`);
};

const renderTopic = ({ title, intro, entries }: Topic, width: number): string[] => [
  title,
  ...intro.flatMap((paragraph) => ["", ...wrap(paragraph, width, 0)]),
  "",
  ...entries.flatMap(({ term, says }) => [`  ${term}`, ...wrap(says, width, 6)]),
];

/** The verb that the words name; null when there is none. */
const findVerb = (program: Verb, words: readonly string[]): Verb | null => {
  let verb = program;
  for (const word of words) {
    const next = verb.commands.find(
      (command): command is Verb => command.name() === word && "examples" in command,
    );
    if (next === undefined) return null;
    verb = next;
  }
  return verb;
};

/** Fails with E_USAGE when the words name neither a command nor a topic. */
export const runHelp = (context: CliContext, program: Verb, words: readonly string[]): void => {
  const topic = TOPICS.find(({ name }) => words.length === 1 && name === words[0]);
  if (topic !== undefined) {
    const width = Math.min(context.width ?? DEFAULT_WIDTH, MAX_WIDTH);
    context.print(`${renderTopic(topic, width).join("\n").trimEnd()}\n`);
    return;
  }
  const verb = findVerb(program, words);
  if (verb === null)
    throw new AgtmuxError("E_USAGE", `there is no help for '${words.join(" ")}'`, {
      remedy: `'agtmux help' lists the commands; topics are ${TOPICS.map(({ name }) => name).join(", ")}.`,
    });
  verb.outputHelp();
};

const ENDING = ".schema.json";

/** Names of the documents, with a space where the verb has one. */
const listSchemas = async (folder: string): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length).replaceAll("_", " "))
    .toSorted();

/** The JSON Schema of what a command prints. Fails with E_USAGE, which says how to list the documents. */
export const runSchema = async (
  context: CliContext,
  words: readonly string[],
  options: { list?: boolean },
): Promise<void> => {
  const folder = join(context.root, "resources", "schemas");
  const names = await listSchemas(folder);
  if (options.list === true || words.length === 0) {
    context.print(`${names.join("\n")}\n`);
    return;
  }
  const name = words.join(" ");
  if (!names.includes(name))
    throw new AgtmuxError("E_USAGE", `there is no JSON document '${name}'`, {
      remedy: "'agtmux schema --list' names them.",
    });
  context.print(await readFile(join(folder, `${name.replaceAll(" ", "_")}${ENDING}`), "utf8"));
};

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const runCompletions = (context: CliContext, program: Verb, shell: keyof typeof SCRIPTS): void =>
  context.print(SCRIPTS[shell](completionTable(toPage(program))));
