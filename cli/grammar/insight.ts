// The verbs that tell why things are as they are: the one-line status, the reasons for a state, the record of actions.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { json } from "./options.ts";

export const addInsight = (program: Command, context: CliContext): void => {
  program
    .command("status")
    .description("one line for status bars")
    .addOption(json())
    .action(async (options) => (await import("../verbs/status.ts")).runStatus(context, options));
  program
    .command("explain")
    .description("why a pane is in its state")
    .argument("<ref>")
    .addOption(json())
    .action(async (ref, options) => (await import("../verbs/explain.ts")).runExplain(context, ref, options));
  program
    .command("audit")
    .description("what was done to panes")
    .option("--limit <number>", "how many entries (default 50)")
    .addOption(json())
    .action(async (options) => (await import("../verbs/audit.ts")).runAudit(context, options));
};
