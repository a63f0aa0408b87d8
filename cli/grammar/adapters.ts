// The verbs about what is known of each agent.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { json } from "./options.ts";

export const addAdapters = (program: Command, context: CliContext): void => {
  const adapters = program
    .command("adapters")
    .description("what is known of each agent, and files that add to it");
  adapters
    .command("list")
    .description("every adapter in force, and problems of files")
    .addOption(json())
    .action(async (options) => (await import("../verbs/adapters.ts")).runAdapterList(context, options));
  adapters
    .command("check")
    .description("check a file, or all files in the adapters folder")
    .argument("[file]")
    .addOption(json())
    .action(async (file, options) =>
      (await import("../verbs/adapters.ts")).runAdapterCheck(context, file, options),
    );
  adapters
    .command("try")
    .description("what the rules say about a live pane; nothing is changed")
    .argument("<ref>")
    .option("--file <file>", "the rules of this file instead of those in force")
    .addOption(json())
    .action(async (ref, options) =>
      (await import("../verbs/adapters.ts")).runAdapterTry(context, ref, options),
    );
};
