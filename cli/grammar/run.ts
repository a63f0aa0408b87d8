// One run of the command line: puts the grammar together from the groups of verbs beside this file, runs the verb in the context of
// the process, and turns its result or failure into output and an exit status.
import { type Command, CommanderError } from "commander";
import { AgtmuxError, ERROR_CODES } from "../../core/model/errors.ts";
import type { CliContext, Outcome } from "../command/context.ts";
import { addActions } from "./actions.ts";
import { addAgents, addWorkspaces } from "./agents.ts";
import { addAutomation } from "./automation.ts";
import { addDoc, agentDocExitCode, AS_AGENT_DOC, fromAgentDoc } from "./doc.ts";
import { addHistory } from "./history.ts";
import { addDoctor, addInsight, addLists, addPick } from "./lists.ts";
import { addCompletions, addItself, FOOT } from "./itself.ts";
import { Verb } from "../command/verb.ts";
import { addTargets } from "./targets.ts";
import { createContext } from "../command/createContext.ts";
import { exitCodeOf, renderFailure, toFailure } from "../command/document.ts";

// Grammar: a verb's code is loaded when the verb is called, so that `agtmux list` loads neither the database nor the daemon.

/** The verbs that must start fastest (the picker, lists, status bars, the TAB key), each with its group. */
const QUICK: Readonly<Record<string, (program: Verb, context: CliContext, outcome: Outcome) => void>> = {
  pick: addPick,
  list: addLists,
  status: addInsight,
  __complete: addCompletions,
};

/** Verbs whose output covers all others. */
const ABOUT_ALL: readonly string[] = ["help", "completions"];

const addAll = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addLists(program, context);
  addPick(program, context, outcome);
  addActions(program, context, outcome);
  addInsight(program, context);
  addDoctor(program, context, outcome);
  addTargets(program, context, outcome);
  addAgents(program, context, outcome);
  addHistory(program, context, outcome);
  addAutomation(program, context, outcome);
  addWorkspaces(program, context, outcome);
  addItself(program, context, outcome);
};

/**
 * `outcome` receives the exit status of verbs that have one of their own. `first` is the first word of the command line; if it
 * is a quick verb, the other groups are left out, because setting them up takes 4 ms.
 */
export const createProgram = (context: CliContext, outcome: Outcome, first?: string): Verb => {
  const program = new Verb("agtmux")
    .description("Which coding agent in which tmux pane works, waits, is done or is broken.")
    .version(context.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.print(text), writeErr: () => {} })
    .configureHelp(context.width === null ? {} : { helpWidth: Math.min(context.width, 100) })
    .example("agtmux list --needs-action", "What waits for you, on every machine.")
    .example("agtmux attach work:1.0", "Goes there: a reference as tmux has them, or %12, or a name.")
    .addHelpText("after", FOOT);
  const addQuick = first !== undefined && Object.hasOwn(QUICK, first) ? QUICK[first] : undefined;
  if (addQuick === undefined) addAll(program, context, outcome);
  else addQuick(program, context, outcome);
  // Its many verbs are set up only where they can be meant: by `doc` itself, by help, or by a word that is unknown so far.
  const isKnown = program.commands.some((command) => command.name() === first);
  if (!isKnown || ABOUT_ALL.includes(first ?? "")) addDoc(program, context, outcome);
  return program;
};

/** The command with which the words begin, as `agtmux help` takes it; empty where the first word is not a command. */
const commandNamed = (program: Verb, words: readonly string[]): string => {
  const path: string[] = [];
  let { commands } = program;
  for (const word of words) {
    const found = commands.find((command) => command.name() === word);
    if (found === undefined) break;
    path.push(word);
    commands = found.commands;
  }
  return path.join(" ");
};

/** The error for a command line that is not understood; its remedy names the help of the command with which the line begins. */
export const pointToHelp = (failure: AgtmuxError, program: Verb, words: readonly string[]): AgtmuxError => {
  const command = commandNamed(program, words);
  const { code, remedy, message, details } = failure;
  if (code !== "E_USAGE" || command === "" || remedy !== ERROR_CODES.E_USAGE.remedy) return failure;
  return new AgtmuxError(code, message, {
    cause: failure,
    details,
    remedy: `See 'agtmux help ${command}' for the command's form.`,
  });
};

const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** What is wrong with the word after a group such as `list`, and which words there are; null where no group is named. */
const wrongNoun = (program: Verb, words: readonly string[]): AgtmuxError | null => {
  const path = commandNamed(program, words);
  const names = path === "" ? [] : path.split(" ");
  let group: Command = program;
  for (const name of names) group = group.commands.find((command) => command.name() === name) ?? group;
  const nouns = group.commands.map((command) => command.name());
  if (group === program || nouns.length === 0) return null;
  const word = words.slice(names.length).find((one) => !one.startsWith("-"));
  const near = word === undefined ? [] : nouns.filter((noun) => noun.startsWith(word.slice(0, 3)));
  const remedy =
    near.length === 1 ? `Did you mean '${path} ${near[0]}'?` : `Say ${oneOf(nouns)} after '${path}'.`;
  const message = word === undefined ? `'${path}' needs a second word` : `'${path}' does not take '${word}'`;
  return new AgtmuxError("E_USAGE", message, { remedy });
};

/** What people type for a verb of another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  approve: "answer <ref> --approve",
  deny: "answer <ref> --deny",
  diff: "changes <ref>",
  focus: "attach <ref>",
  go: "attach <ref>",
  logs: "view-output <ref>",
  ls: "list",
  new: "start <agent>",
  notify: "tell <ref> --when done",
  open: "attach <ref>",
  ps: "list",
  reply: "send <ref> --text <text>",
  resume: "history resume <session>",
  run: "start <agent>",
  search: "history search <text>",
  show: "view-output <ref>",
  stop: "interrupt <ref>",
};

const NOUN_ERRORS: readonly string[] = [
  "commander.help",
  "commander.excessArguments",
  "commander.unknownCommand",
];

/** Turns commander's error into our own; null when it only printed help or the version. `words` are the arguments. */
export const fromCommander = (
  error: CommanderError,
  program: Verb,
  words: readonly string[],
): AgtmuxError | null => {
  if (error.exitCode === 0) return null;
  const noun = NOUN_ERRORS.includes(error.code) ? wrongNoun(program, words) : null;
  if (noun !== null) return noun;
  const text = error.message.replace(/^error: /, "");
  const [, message = text, nearest] = /^(.*?)\s*\(Did you mean (.*)\?\)$/s.exec(text) ?? [];
  const [first = ""] = words;
  const meant =
    error.code === "commander.unknownCommand" && Object.hasOwn(OTHER_NAMES, first)
      ? `agtmux ${OTHER_NAMES[first]}`
      : nearest?.replace(/^one of /, "");
  if (meant !== undefined) return new AgtmuxError("E_USAGE", message, { remedy: `Did you mean '${meant}'?` });
  const isText = error.code === "commander.excessArguments" && (first === "send" || first === "answer");
  return new AgtmuxError(
    "E_USAGE",
    message,
    isText ? { remedy: "Put the text after --text, in quotes." } : {},
  );
};

const unreachable = (): never => {
  throw new Error("the bare grammar executes nothing");
};

/** The grammar without a process, for the documents and for tests that parse but never execute. */
export const createBareProgram = (print: (text: string) => void = unreachable): Verb => {
  const context: CliContext = {
    env: {},
    version: "",
    root: "",
    get stdout(): never {
      return unreachable();
    },
    get stderr(): never {
      return unreachable();
    },
    get stdin(): never {
      return unreachable();
    },
    get signal(): never {
      return unreachable();
    },
    paint: (_colour, text) => text,
    width: null,
    now: unreachable,
    paths: unreachable,
    connect: unreachable,
    print,
  };
  return createProgram(context, { exitCode: 0 });
};

/** Runs the arguments, which are without `node` and the script, and sets the exit status of the process. */
export const runCli = async (given: readonly string[]): Promise<void> => {
  const isAgentDoc = given[0] === AS_AGENT_DOC;
  const args = isAgentDoc ? fromAgentDoc(given.slice(1)) : given;
  // `agtmux list --json | head -1` is not a failure: the reader has what it wanted.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const outcome: Outcome = { exitCode: 0 };
  // Without a verb: the picker in a terminal, the help in a script.
  const words = args.length > 0 ? args : [process.stdin.isTTY && process.stdout.isTTY ? "pick" : "help"];
  let program: Verb | null = null;
  try {
    program = createProgram(createContext(outcome), outcome, words[0]);
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    const found =
      program !== null && error instanceof CommanderError
        ? fromCommander(error, program, args)
        : toFailure(error);
    if (found !== null) {
      const failure = program === null ? found : pointToHelp(found, program, args);
      process.stderr.write(renderFailure(failure, args.includes("--json"), Date.now()));
      outcome.exitCode = exitCodeOf(failure);
    }
  }
  process.exitCode = isAgentDoc ? agentDocExitCode(outcome.exitCode) : outcome.exitCode;
};
