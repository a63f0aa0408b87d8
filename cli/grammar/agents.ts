// The verbs about agents: agtmux's hook in their settings, what is known of each of them, and the optional wrapper around one.
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

const addIntegrate = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("integrate")
    .description("install agtmux's hook in an agent's settings; without an agent, list the hooks of all")
    .argument("[agent]")
    .option("--target <target>", "on this target instead of this machine")
    .option("--dry-run", "show the change only")
    .option("--verify", "check what is installed and whether events arrive")
    .option("--uninstall", "remove it again")
    .option("--repair", "write our entries again where they are missing or changed")
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux integrate", "Every agent: whether the hook is installed, and what can be done.")
    .example("agtmux integrate claude --dry-run", "Shows what would change in the agent's settings.")
    .example("agtmux integrate claude", "Shows it, asks, and changes it; the old file is kept.")
    .example(
      "agtmux integrate claude --verify",
      "Sends a test event through the hook and says when a real one came.",
    )
    .example("agtmux integrate claude --uninstall --yes", "Takes our entries out again.")
    .example(
      "agtmux integrate claude --target vm1",
      "The same on a target: events come over the SSH connection, and nothing else has to be installed there.",
    )
    .action(async (agent, options) => {
      outcome.exitCode = await (await import("../verbs/integrate.ts")).runIntegrate(context, agent, options);
    });
};

const addSetup = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("setup")
    .description("install the hooks of every agent that is found, or take everything out again")
    .option("--target <target>", "on this target instead of this machine")
    .option("--remove", "take out what agtmux put here: hooks, spool, login item, files on targets")
    .option("--dry-run", "show the changes only")
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux setup", "Says what was found, asks once, and says what is left to do.")
    .example("agtmux setup --yes --json", "For scripts: installs without asking; the result as JSON.")
    .example("agtmux setup --remove --dry-run", "Shows everything that would be taken out, and what stays.")
    .action(async ({ remove, ...options }) => {
      outcome.exitCode =
        remove === true
          ? await (await import("../verbs/setupRemove.ts")).runRemove(context, options)
          : await (await import("../verbs/setup.ts")).runSetup(context, options);
    });
};

const addAdapters = (program: Verb, context: CliContext): void => {
  const adapters = program
    .command("adapters")
    .description("what agtmux knows of each agent (its adapter), and files of yours that add to it");
  adapters
    .command("list", { isDefault: true })
    .description("list what agtmux knows of each agent, and problems in files of yours")
    .addOption(json())
    .example("agtmux adapters list", "Which agents are known, from where, and what can be done with them.")
    .action(async (options) => (await import("../verbs/adapters.ts")).runAdapterList(context, options));
  adapters
    .command("enable")
    .description("recognise an agent again")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters enable pi", "Panes in which it runs are listed within two seconds.")
    .action(async (agent, options) =>
      (await import("../verbs/adapters.ts")).runAdapterSwitch(context, agent, true, options),
    );
  adapters
    .command("disable")
    .description("stop recognising an agent: its panes count as panes without one")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters disable pi", "It is written into config.json, so it lasts.")
    .action(async (agent, options) =>
      (await import("../verbs/adapters.ts")).runAdapterSwitch(context, agent, false, options),
    );
  adapters
    .command("check")
    .description("check an adapter file, or all files in the adapters folder")
    .argument("[file]")
    .addOption(json())
    .example("agtmux adapters check ./myagent.json", "Names every problem of the file by its line.")
    .action(async (file, options) =>
      (await import("../verbs/adapters.ts")).runAdapterCheck(context, file, options),
    );
  adapters
    .command("try")
    .description("show what the adapters make of a live pane; nothing is changed")
    .argument("<ref>")
    .option("--file <file>", "use the rules of this file instead of those in force")
    .addOption(json())
    .example("agtmux adapters try %12 --file ./myagent.json", "The state that this file would give the pane.")
    .action(async (ref, options) =>
      (await import("../verbs/adapters.ts")).runAdapterTry(context, ref, options),
    );
};

const addRun = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("run")
    .description("start an agent so that agtmux can tell a crash from a normal end; optional")
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

export const addAgents = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addSetup(program, context, outcome);
  addIntegrate(program, context, outcome);
  addAdapters(program, context);
  addRun(program, context, outcome);
};
