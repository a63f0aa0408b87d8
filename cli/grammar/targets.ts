// The verbs about the machines that are watched.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { json } from "./options.ts";

export const addTargets = (program: Command, context: CliContext): void => {
  const target = program.command("target").description("the machines that are watched");
  target
    .command("list")
    .description("targets and how they are reached")
    .addOption(json())
    .action(async (options) => (await import("../verbs/targetList.ts")).runTargetList(context, options));
};
