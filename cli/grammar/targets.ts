// The verbs about the machines that are watched.
import type { CliContext } from "../context.ts";
import { json } from "./options.ts";
import type { Verb } from "./verb.ts";

export const addTargets = (program: Verb, context: CliContext): void => {
  const target = program.command("target").description("the machines that are watched");
  target
    .command("list")
    .description("targets and how they are reached")
    .addOption(json())
    .example("agtmux target list", "Every machine, its tmux servers and what is wrong with them.")
    .action(async (options) => (await import("../verbs/targetList.ts")).runTargetList(context, options));
};
