// A command of ours: commander's, with examples. The help, docs/cli.md, the man page and the completions are all made from the
// tree of these, so that there is one definition of each verb.
import { Command, type AddHelpTextContext, type AddHelpTextPosition } from "commander";

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
