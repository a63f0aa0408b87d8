// The verbs that show what is there: list and watch.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addPaneFilters, addTargetFilters, json } from "./options.ts";

const addList = (program: Command, context: CliContext): void => {
  const list = program.command("list").description("list panes, windows or sessions");
  addPaneFilters(list.command("panes").description("panes with an agent, by session"))
    .addOption(json())
    .action(async (options) => (await import("../verbs/list.ts")).runList(context, "panes", options));
  addTargetFilters(list.command("windows").description("windows with their most urgent state"))
    .option("--with-agent-status", "with the number of agents in each state")
    .addOption(json())
    .action(async (options) => (await import("../verbs/list.ts")).runList(context, "windows", options));
  addTargetFilters(list.command("sessions").description("sessions with their most urgent state"))
    .option("--agent-summary", "with the number of each agent")
    .option("--group-by <grouping>", "target-session (the default) or session-name: merged across targets")
    .addOption(json())
    .action(async (options) => (await import("../verbs/list.ts")).runList(context, "sessions", options));
};

const addWatch = (program: Command, context: CliContext): void => {
  addPaneFilters(program.command("watch").description("show changes as they happen"))
    .option("--scope <scope>", "panes (the default), windows or sessions")
    .option("--format <format>", "table (the default) or jsonl: one change per line")
    .option("--interval <duration>", "how often ages are redrawn (default 1s)")
    .option("--since <when>", "jsonl: go on after this version, timestamp, or as long ago as 10m")
    .option("--once", "what is there now, then end")
    .action(async (options) => (await import("../verbs/watch.ts")).runWatch(context, options));
};

export const addLists = (program: Command, context: CliContext): void => {
  addList(program, context);
  addWatch(program, context);
};
