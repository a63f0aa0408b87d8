// The verbs about the machines that are watched: target list, add, connect, set, enable, disable, remove.
import type { CliContext, Outcome } from "../command/context.ts";
import { TRANSPORTS } from "../parse/values.ts";
import { choice, json, type Verb } from "../command/verb.ts";

const addSettings = (command: Verb): Verb =>
  command
    .addOption(
      choice("--transport <transport>", "which SSH client; auto chooses by the configuration", TRANSPORTS),
    )
    .option("--tmux-path <path>", "where tmux is on the target; auto searches for it");

const addAdd = (target: Verb, context: CliContext): void => {
  addSettings(
    target
      .command("add")
      .description("watch another machine, over SSH")
      .argument("<name>")
      .addOption(
        choice("--kind <kind>", "how it is reached: ssh (the default); local is only 'host', this machine", [
          "ssh",
          "local",
        ]),
      )
      .option(
        "--ssh-target <alias>",
        "its name in your SSH configuration, or user@host; by default the target's name",
      ),
  )
    .option("--no-wait", "do not wait for the first connection")
    .addOption(json())
    .example(
      "agtmux target add vm1",
      "Watches the host that 'ssh vm1' goes to; nothing has to be installed there.",
    )
    .example(
      "agtmux target add build --kind ssh --ssh-target me@10.0.0.7 --transport openssh",
      "Watches me@10.0.0.7 under the name build, through the OpenSSH client.",
    )
    .action(async (name, options) =>
      (await import("../verbs/target.ts")).runTargetAdd(context, name, options),
    );
};

const addConnect = (target: Verb, context: CliContext): void => {
  target
    .command("connect")
    .description("try to connect now, once, and say how it went")
    .argument("<target>")
    .addOption(json())
    .example("agtmux target connect vm1", "Says how it is connected, or why it is not and what to do.")
    .action(async (name, options) =>
      (await import("../verbs/target.ts")).runTargetConnect(context, name, options),
    );
};

const addChanges = (target: Verb, context: CliContext): void => {
  addSettings(target.command("set").description("change how a target is reached").argument("<target>"))
    .addOption(json())
    .example(
      "agtmux target set vm1 --tmux-path /opt/tmux/bin/tmux",
      "For a tmux that is in none of the usual places.",
    )
    .action(async (name, options) =>
      (await import("../verbs/target.ts")).runTargetSet(context, name, options),
    );
  target
    .command("enable")
    .description("watch a disabled target again")
    .argument("<target>")
    .addOption(json())
    .example("agtmux target enable vm1", "Connects, and does so again whenever the connection is lost.")
    .action(async (name, options) =>
      (await import("../verbs/target.ts")).runTargetSwitch(context, name, true, options),
    );
  target
    .command("disable")
    .description("stop watching a target, but keep its settings")
    .argument("<target>")
    .addOption(json())
    .example(
      "agtmux target disable vm1",
      "Ends the connection. agtmux does not connect until you enable it again.",
    )
    .action(async (name, options) =>
      (await import("../verbs/target.ts")).runTargetSwitch(context, name, false, options),
    );
};

const addRemove = (target: Verb, context: CliContext, outcome: Outcome): void => {
  target
    .command("remove")
    .description("forget a target and its panes")
    .argument("<target>")
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux target remove vm1", "Asks, then ends the connection and forgets it.")
    .action(async (name, options) => {
      outcome.exitCode = await (await import("../verbs/target.ts")).runTargetRemove(context, name, options);
    });
};

export const addTargets = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const target = program.command("target").description("the machines that are watched");
  addAdd(target, context);
  addConnect(target, context);
  target
    .command("list", { isDefault: true })
    .description("targets and how they are reached")
    .addOption(json())
    .example("agtmux target list", "Every machine, its tmux servers and what is wrong with them.")
    .action(async (options) => (await import("../verbs/target.ts")).runTargetList(context, options));
  addChanges(target, context);
  addRemove(target, context, outcome);
};
