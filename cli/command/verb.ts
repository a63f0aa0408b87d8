// `Verb` is commander's command with examples, and here are the options that verbs share. The help, docs/cli.md, the man page and
// the completions are all made from the tree of verbs, so that there is one definition of each.
import { STATE_NAMES } from "../../core/model/words.ts";
import { Command, type AddHelpTextContext, type AddHelpTextPosition, Option } from "commander";

/** A command line as a person would type it, and what it does in one sentence. */
export interface Example {
  readonly line: string;
  readonly says: string;
}

/** The examples as the help prints them; empty without examples. */
const renderExamples = (examples: readonly Example[]): string =>
  examples.length === 0
    ? ""
    : `\nExamples:\n${examples.map(({ line, says }) => `  ${line}\n      ${says}`).join("\n")}`;

export class Verb extends Command {
  readonly examples: Example[] = [];
  /** Texts below the help, such as what each exit status means. */
  readonly notes: string[] = [];

  constructor(name?: string) {
    super(name);
    // There is a single `agtmux help`, which takes commands of any depth.
    this.helpCommand(false);
    this.addHelpText("after", () => renderExamples(this.examples));
  }

  override createCommand(name?: string): Verb {
    return new Verb(name);
  }

  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    if (typeof text === "function") return super.addHelpText(position, text);
    this.notes.push(text.trim());
    return super.addHelpText(position, text);
  }

  /** Adds an example. A test parses every example, so that none becomes wrong. */
  example(line: string, says: string): this {
    this.examples.push({ line, says });
    return this;
  }
}

// Options: the same flag means and says the same everywhere. The word in angle brackets names the kind of value (<ref>, <target>,
// <duration>); the completions use it.

/** An option with a closed list of values. The list is for help and completions; the verb itself refuses others, with a remedy. */
export const choice = (flags: string, description: string, values: readonly string[]): Option => {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
};

/** For options that can be repeated: every value, in order. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

export const addTargetFilters = (command: Verb): Verb =>
  command
    .option("--target <target>", "only this machine; for several, use commas or repeat it", collect)
    .option("--all-targets", "every machine (the default)")
    .option(
      "--target-session <target/session>",
      "only this session of this machine; may be repeated",
      collect,
    )
    .option("--session <session>", "only sessions of this name; may be repeated", collect);

export const addAgentFilter = (command: Verb): Verb =>
  command.option("--agent <agent>", "only this agent; for several, use commas or repeat it", collect);

/** `rows`: what the list shows, panes or things that have panes. */
export const addContentFilters = (command: Verb, rows: "panes" | "groups"): Verb => {
  const only = rows === "panes" ? "only" : "only those with";
  return addAgentFilter(
    command.addOption(
      choice(
        "--state <state>",
        `${only} this state; for several, use commas or repeat it`,
        STATE_NAMES,
      ).argParser(collect),
    ),
  ).option("--needs-action", `${only} what waits for you`);
};

export const addPaneFilters = (command: Verb): Verb =>
  addContentFilters(addTargetFilters(command), "panes").option("--all", "panes without an agent too");

/** What a table shows and in which order. */
export const addTableView = (
  command: Verb,
  { keys, columns }: { keys: readonly string[]; columns: readonly string[] },
): Verb =>
  command
    .addOption(
      choice("--sort <keys>", "by these keys; '-' before a key reverses its order", keys).argParser(collect),
    )
    .addOption(choice("--columns <names>", "only these columns, in this order", columns).argParser(collect))
    .option("--totals", "below the table, the number of panes by agent and by machine");

/** With `--columns`, a script can read single fields without a JSON parser. */
export const plain = () =>
  new Option("--plain", "for scripts: a line per row, raw columns separated by tabs, '-' for none");

export const addGuards = (command: Verb): Verb =>
  command
    .option("--if-runtime <runtime>", "only if this runtime (one life of one agent) is still there")
    .addOption(choice("--if-state <state>", "only while it is in this state", STATE_NAMES))
    .option("--if-version <number>", "only while its state has this state_version")
    .option("--if-prompt <fingerprint>", "only while this prompt is open, by its prompt_fingerprint")
    .option("--if-updated-within <duration>", "only if its state was confirmed that recently")
    .option("--force-stale", "even if its state changed while the command ran; the guards above still hold");

export const json = () => new Option("--json", "as one JSON document");

export const background = () =>
  new Option("--background", "with --json: also sessions of agents that no pane shows");

/** Below the help of every verb that acts on a pane. */
export const OUTCOMES = `
Exit status: 0 delivered (the effect was seen), 20 not delivered, 21 unverified (sent, but the effect was not seen);
other numbers: refused, nothing was sent. 'agtmux help exit-codes' names them.
`;
