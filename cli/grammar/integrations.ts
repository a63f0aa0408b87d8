// The verbs that put agtmux's hook into an agent's settings, look after it, and take it out again.
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

export const addIntegrations = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("integrate")
    .description("install agtmux's hook into an agent's settings")
    .argument("<agent>")
    .option("--target <target>", "on this target instead of this machine")
    .option("--dry-run", "show the change only")
    .option("--verify", "check what is installed and whether events arrive")
    .option("--uninstall", "remove it again")
    .option("--repair", "write our entries again where they are missing or changed")
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux integrate claude --dry-run", "Shows what would change in the agent's settings.")
    .example("agtmux integrate claude", "Shows it, asks, and changes it; the old file is kept.")
    .example(
      "agtmux integrate claude --verify",
      "Sends a test event through the hook and says when a real one came.",
    )
    .example("agtmux integrate claude --uninstall --yes", "Takes our entries out again.")
    .example(
      "agtmux integrate claude --target vm1",
      "The same on a target: its events come over the connection, and nothing else has to be installed there.",
    )
    .action(async (agent, options) => {
      outcome.exitCode = await (await import("../verbs/integrate.ts")).runIntegrate(context, agent, options);
    });
};
