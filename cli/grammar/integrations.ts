// The verbs that put agtmux's hook into an agent's settings, look after it, and take it out again.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";

export const addIntegrations = (program: Command, context: CliContext, outcome: Outcome): void => {
  program
    .command("integrate")
    .description("install agtmux's hook into an agent's settings")
    .argument("<agent>")
    .option("--dry-run", "show the change only")
    .option("--verify", "check what is installed and whether events arrive")
    .option("--uninstall", "remove it again")
    .option("--repair", "put our entries in anew where they drifted")
    .option("--yes", "do not ask")
    .addOption(json())
    .action(async (agent, options) => {
      outcome.exitCode = await (await import("../verbs/integrate.ts")).runIntegrate(context, agent, options);
    });
};
