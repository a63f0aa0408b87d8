// The optional wrapper around an agent.
import type { CliContext } from "../context.ts";
import type { Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

export const addRun = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("run")
    .description("start an agent so that a crash can be told from a normal end; optional")
    .argument("<agent>")
    .argument("[arguments...]")
    .usage("[--] <agent> [arguments...]")
    .passThroughOptions()
    .example("agtmux run claude", "Starts Claude Code; a crash is then seen at once.")
    .example("agtmux run -- codex --model o4", "Everything after the agent's name is the agent's own.")
    .action(async (agent: string, rest: string[]) => {
      outcome.exitCode = await (await import("../verbs/run.ts")).runAgent(context, [agent, ...rest]);
    });
};
