// The verbs about agtmux itself: its daemon, log and report, the popover in a browser, settings, upgrading, completions for a shell,
// the JSON Schemas, and help.
import { Argument } from "commander";
import { SETTING_KEYS } from "../../core/model/settingKeys.ts";
import { isLiveKind } from "../parse/values.ts";
import type { CliContext, Outcome } from "../command/context.ts";
import { choice, json, type Verb } from "../command/verb.ts";

const addDaemon = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const daemon = program.command("daemon").description("the background program that watches the agents");
  daemon
    .command("run")
    .description("run the daemon here, until it is stopped")
    .option("--on-demand", "end when nobody has needed it for a while")
    .option("--foreground", "log to stderr instead of the log file")
    .example("agtmux daemon run --foreground", "Runs in this terminal and shows its log; Ctrl-C ends it.")
    .action(async (options) => (await import("../host/daemon.ts")).runDaemon(context, options));
  daemon
    .command("status")
    .description("say whether the daemon runs")
    .addOption(json())
    .example("agtmux daemon status", "Which daemon answers; exit status 8 when none does.")
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/daemonControl.ts")).runDaemonStatus(context, options);
    });
  daemon
    .command("stop")
    .description("stop the daemon")
    .example("agtmux daemon stop", "Asks it to end; the next command starts another one.")
    .action(async () => (await import("../verbs/daemonControl.ts")).runDaemonStop(context));
  program
    .command("log")
    .description("what the daemon wrote into its log; secrets are not in it")
    .option("--lines <number>", "how many lines (default 100)")
    .addOption(
      choice("--level <level>", "this level and above (default info)", [
        "trace",
        "debug",
        "info",
        "warn",
        "error",
        "fatal",
      ]),
    )
    .option("--since <when>", "only since then: 10m, or 2026-11-21")
    .option("--follow", "then go on with new lines as they come")
    .option("--raw", "the lines as they are, one JSON document each")
    .example("agtmux log --level warn --since 1d", "What went wrong since yesterday.")
    .example("agtmux log --follow", "Shows what comes, until Ctrl-C.")
    .action(async (options) => (await import("../verbs/log.ts")).runLog(context, options));
  program
    .command("report")
    .description("what helps somebody else to see what is wrong, as one text without names and secrets")
    .option("-o, --output <file>", "write it there, for you alone, after you were told what is in it")
    .option("--yes", "with --output: without asking")
    .example("agtmux report", "Prints it: versions, counts, doctor, settings, the newest lines of the log.")
    .example("agtmux report -o report.txt", "Lists what is in it, shows it if you like, and asks.")
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/report.ts")).runReport(context, options);
    });
  program
    .command("ui")
    .description("serve the popover, agtmux's window, to a browser")
    .option("--port <number>", "a fixed port instead of a free one")
    .addOption(json())
    .example("agtmux ui", "Prints an address that works once, and serves the popover until Ctrl-C.")
    .action(async (options) => (await import("../verbs/ui.ts")).runUi(context, options));
};

const isShell = (text: string): text is "bash" | "zsh" | "fish" => ["bash", "zsh", "fish"].includes(text);

/** The verbs behind the TAB key: the scripts for the shells, and the hidden verb that they call. */
export const addCompletions = (program: Verb, context: CliContext): void => {
  program
    .command("completions")
    .description("print a script that completes agtmux in a shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .example(
      "agtmux completions bash > ~/.local/share/bash-completion/completions/agtmux",
      "For every new bash.",
    )
    .example(
      "agtmux completions zsh > ~/.zfunc/_agtmux",
      "For zsh, where ~/.zfunc is in fpath before compinit runs.",
    )
    .example("agtmux completions fish > ~/.config/fish/completions/agtmux.fish", "For every new fish shell.")
    .action(async (shell: string) => {
      if (isShell(shell)) (await import("./help.ts")).runCompletions(context, program, shell);
    });
  program
    .command("__complete", { hidden: true })
    .argument("<kind>")
    .argument("[prefix]")
    .action(async (kind: string, prefix: string | undefined) => {
      if (isLiveKind(kind))
        await (await import("../verbs/complete.ts")).runComplete(context, kind, prefix ?? "");
    });
};

const settingKey = (): Argument => {
  const argument = new Argument("<key>");
  // For help and completions; the verb refuses others with a remedy.
  argument.argChoices = [...SETTING_KEYS];
  return argument;
};

const addConfig = (program: Verb, context: CliContext): void => {
  const config = program
    .command("config")
    .description("the settings that commands and the popover can change");
  config
    .command("list", { isDefault: true })
    .description("list every setting, and the default of those that were changed")
    .addOption(json())
    .example(
      "agtmux config list",
      "Every setting that 'config set' can change; edit the rest of config.json yourself.",
    )
    .action(async (options) => (await import("../verbs/daemonControl.ts")).runConfigList(context, options));
  config
    .command("get")
    .description("print the value of a setting that is in force")
    .addArgument(settingKey())
    .addOption(json())
    .example(
      "agtmux config get notifications.quiet_hours",
      "The value alone: a text as it is, everything else as JSON.",
    )
    .action(async (key, options) =>
      (await import("../verbs/daemonControl.ts")).runConfigGet(context, key, options),
    );
  config
    .command("set")
    .description("change a setting in config.json; it is in force at once")
    .addArgument(settingKey())
    .argument("<value>", "as JSON, or a text without quotes; null brings the default back")
    .addOption(json())
    .example(
      "agtmux config set notifications.completed true",
      "From now on you get a notification for every finished turn.",
    )
    .example(
      `agtmux config set notifications.muted_targets '["vm1"]'`,
      "Everything else in the file stays as it is; a file with mistakes is not changed.",
    )
    .action(async (key, value, options) =>
      (await import("../verbs/daemonControl.ts")).runConfigSet(context, key, value, options),
    );
};

const addSchema = (program: Verb, context: CliContext): void => {
  program
    .command("schema")
    .description("print the JSON Schema of what a command prints with --json")
    .argument("[command...]")
    .option("--list", "the names of all of them")
    .example("agtmux schema list panes", "The document of 'agtmux list panes --json'.")
    .example("agtmux schema watch", "One line of 'agtmux watch --format jsonl'.")
    .example("agtmux schema error", "What a failed command prints on stderr with --json.")
    .example("agtmux schema --list", "Every document, and the two files that you write: adapter and config.")
    .action(async (words: string[], options) =>
      (await import("./help.ts")).runSchema(context, words, options),
    );
};

const addUpgrade = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("upgrade")
    .description("say which release is the newest and how to get it; one from an archive is upgraded")
    .option("--check", "only say it")
    .option("--yes", "without asking")
    .example(
      "agtmux upgrade",
      "Asks the address of releases for one small file, and you before it does more.",
    )
    .example("agtmux upgrade --check", "Whether there is a newer one, and how this installation is upgraded.")
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/upgrade.ts")).runUpgrade(context, options);
    });
};

/** Printed below agtmux's own help. It is written out here, because loading the topics would slow down every command. */
export const FOOT = `
More: 'agtmux help <command>', and the topics references, exit-codes, environment, files and json.
`;

const addHelp = (program: Verb, context: CliContext): void => {
  program
    .command("help")
    .description("help for a command or a topic")
    .argument("[command...]")
    .example("agtmux help list panes", "Every option of a command, with examples.")
    .example(
      "agtmux help exit-codes",
      "What each exit status means. Other topics: references, environment, files, json.",
    )
    .action(async (words: string[]) => (await import("./help.ts")).runHelp(context, program, words));
};

export const addItself = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addDaemon(program, context, outcome);
  addConfig(program, context);
  addUpgrade(program, context, outcome);
  addCompletions(program, context);
  addSchema(program, context);
  addHelp(program, context);
};
