// The tree of verbs as data, from which the documents, the man page and the completions are made.
import type { Argument, Option } from "commander";
import type { Example, Verb } from "../grammar/verb.ts";

export interface ValuePage {
  /** The word in angle brackets, such as `ref` or `target/session`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  /** The closed list of its values; null where there is none. */
  readonly values: readonly string[] | null;
  readonly says: string;
}

export interface OptionPage {
  /** As the help prints it: `--target <target>`. */
  readonly flags: string;
  /** `--target`, and `-h` where there is a short one. */
  readonly names: readonly string[];
  readonly says: string;
  /** Null for a switch. */
  readonly value: ValuePage | null;
}

export interface VerbPage {
  /** Words after `agtmux`: none for agtmux itself. */
  readonly path: readonly string[];
  readonly says: string;
  /** The whole command line, with placeholders. */
  readonly usage: string;
  readonly positionals: readonly ValuePage[];
  readonly options: readonly OptionPage[];
  /** Lines of text as the help prints them. */
  readonly notes: readonly string[];
  readonly examples: readonly Example[];
  readonly children: readonly VerbPage[];
}

const toPositional = (argument: Argument): ValuePage => ({
  name: argument.name(),
  isRequired: argument.required,
  isVariadic: argument.variadic,
  values: argument.argChoices ?? null,
  says: argument.description,
});

const toOption = (option: Option): OptionPage => {
  const [, name] = /[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/.exec(option.flags) ?? [];
  return {
    flags: option.flags,
    names: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
    says: option.description,
    value:
      name === undefined
        ? null
        : {
            name,
            isRequired: option.required,
            isVariadic: option.variadic,
            values: option.argChoices ?? null,
            says: option.description,
          },
  };
};

/** A verb with all below it, hidden ones left out. */
export const toPage = (verb: Verb, above: readonly string[] = []): VerbPage => {
  const help = verb.createHelp();
  const children = help.visibleCommands(verb).filter((child): child is Verb => "examples" in child);
  return {
    path: above,
    says: verb.description(),
    usage: ["agtmux", ...above, verb.usage()].filter((part) => part !== "").join(" "),
    positionals: verb.registeredArguments.map(toPositional),
    options: help.visibleOptions(verb).map(toOption),
    notes: verb.notes,
    examples: verb.examples,
    children: children.map((child) => toPage(child, [...above, child.name()])),
  };
};

/** A page and all pages below it, in order. */
export const flatten = (page: VerbPage): VerbPage[] => [page, ...page.children.flatMap(flatten)];
