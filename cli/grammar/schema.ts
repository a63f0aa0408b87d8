// The verb that tells what the JSON documents look like.
import type { CliContext } from "../context.ts";
import type { Verb } from "./verb.ts";

export const addSchema = (program: Verb, context: CliContext): void => {
  program
    .command("schema")
    .description("the JSON Schema of what a command prints with --json")
    .argument("[command...]")
    .option("--list", "the names of all of them")
    .example("agtmux schema list panes", "The document of 'agtmux list panes --json'.")
    .example("agtmux schema watch", "One line of 'agtmux watch --format jsonl'.")
    .example("agtmux schema error", "What a failed command prints on stderr with --json.")
    .example(
      "agtmux schema --list",
      "Every document, and the files that a person writes: adapter and config.",
    )
    .action(async (words: string[], options) =>
      (await import("../verbs/schema.ts")).runSchema(context, words, options),
    );
};
