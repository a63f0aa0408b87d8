// The optional wrapper around an agent.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import type { Outcome } from "./options.ts";

export const addRun = (program: Command, context: CliContext, outcome: Outcome): void => {
  program
    .command("run")
    .description("start an agent so that a crash is told from an orderly end; never required")
    .argument("<agent>")
    .argument("[arguments...]")
    .usage("[--] <agent> [arguments...]")
    .passThroughOptions()
    .action(async (agent: string, rest: string[]) => {
      outcome.exitCode = await (await import("../verbs/run.ts")).runAgent(context, [agent, ...rest]);
    });
};
