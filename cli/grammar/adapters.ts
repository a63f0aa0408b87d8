// The verbs about what is known of each agent.
import type { CliContext } from "../context.ts";
import { json } from "./options.ts";
import type { Verb } from "./verb.ts";

export const addAdapters = (program: Verb, context: CliContext): void => {
  const adapters = program
    .command("adapters")
    .description("what is known of each agent, and files that add to it");
  adapters
    .command("list")
    .description("every adapter in force, and problems of files")
    .addOption(json())
    .example("agtmux adapters list", "Which agents are known, from where, and what can be done with them.")
    .action(async (options) => (await import("../verbs/adapters.ts")).runAdapterList(context, options));
  adapters
    .command("enable")
    .description("recognise an agent again")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters enable pi", "Panes in which it runs appear within two seconds.")
    .action(async (agent, options) =>
      (await import("../verbs/adapters.ts")).runAdapterSwitch(context, agent, true, options),
    );
  adapters
    .command("disable")
    .description("stop recognising an agent: its panes count as panes without one")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters disable pi", "Written into config.json, so that it lasts.")
    .action(async (agent, options) =>
      (await import("../verbs/adapters.ts")).runAdapterSwitch(context, agent, false, options),
    );
  adapters
    .command("check")
    .description("check a file, or all files in the adapters folder")
    .argument("[file]")
    .addOption(json())
    .example("agtmux adapters check ./myagent.json", "Names every problem of the file by its line.")
    .action(async (file, options) =>
      (await import("../verbs/adapters.ts")).runAdapterCheck(context, file, options),
    );
  adapters
    .command("try")
    .description("what the rules say about a live pane; nothing is changed")
    .argument("<ref>")
    .option("--file <file>", "the rules of this file instead of those in force")
    .addOption(json())
    .example(
      "agtmux adapters try pane:host/work/@1/%3 --file ./myagent.json",
      "What the file would say of this pane.",
    )
    .action(async (ref, options) =>
      (await import("../verbs/adapters.ts")).runAdapterTry(context, ref, options),
    );
};
