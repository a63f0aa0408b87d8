// `agtmux help`: the help of any verb, however deep, and of the topics that belong to no verb.
import type { CliContext } from "../context.ts";
import type { Verb } from "./verb.ts";

/** Below the help of agtmux itself. Written out, because it must not cost the start of every other command. */
export const FOOT = `
More: 'agtmux help <command>', and the topics references, exit-codes, environment, files and json.
`;

export const addHelp = (program: Verb, context: CliContext): void => {
  program
    .command("help")
    .description("help for a command or a topic")
    .argument("[command...]")
    .example("agtmux help list panes", "Every option of a command, with examples.")
    .example(
      "agtmux help exit-codes",
      "What each exit status means. Other topics: references, environment, files, json.",
    )
    .action(async (words: string[]) => (await import("../verbs/help.ts")).runHelp(context, program, words));
};
