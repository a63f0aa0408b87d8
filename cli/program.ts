// The command line's grammar: verbs, options and help. Each verb's code is loaded when it is called and not before, so that
// `agtmux list` loads neither the database nor the daemon.
import { Command, CommanderError, Option } from "commander";
import { AgtmuxError } from "../core/model/errors.ts";
import type { CliContext } from "./context.ts";

/** The exit status that a verb ends with; nothing means 0. */
export interface Outcome {
  exitCode: number;
}

const addTargetFilters = (command: Command): Command =>
  command
    .option("--target <name>", "only this target")
    .option("--all-targets", "every target (the default)")
    .option("--target-session <target/session>", "only this session of this target")
    .option("--session <name>", "only sessions of this name");

const addPaneFilters = (command: Command): Command =>
  addTargetFilters(command)
    .option("--state <state>", "only this state")
    .option("--agent <type>", "only this agent")
    .option("--needs-action", "only what waits for you")
    .option("--all", "panes without an agent too");

const addGuards = (command: Command): Command =>
  command
    .option("--if-runtime <id>", "only if this runtime is still there")
    .option("--if-state <state>", "only while it is in this state")
    .option("--if-version <number>", "only while its state has this version")
    .option("--if-updated-within <duration>", "only if its state was confirmed that recently")
    .option("--force-stale", "even if it changed since it was looked at");

const json = () => new Option("--json", "as one JSON document");

const addList = (program: Command, context: CliContext): void => {
  const list = program.command("list").description("list panes, windows or sessions");
  addPaneFilters(list.command("panes").description("panes with an agent, by session"))
    .addOption(json())
    .action(async (options) => (await import("./verbs/list.ts")).runList(context, "panes", options));
  addTargetFilters(list.command("windows").description("windows with their most urgent state"))
    .option("--with-agent-status", "with the number of agents in each state")
    .addOption(json())
    .action(async (options) => (await import("./verbs/list.ts")).runList(context, "windows", options));
  addTargetFilters(list.command("sessions").description("sessions with their most urgent state"))
    .option("--agent-summary", "with the number of each agent")
    .option("--group-by <grouping>", "target-session (the default) or session-name: merged across targets")
    .addOption(json())
    .action(async (options) => (await import("./verbs/list.ts")).runList(context, "sessions", options));
};

const addWatch = (program: Command, context: CliContext): void => {
  addPaneFilters(program.command("watch").description("show changes as they happen"))
    .option("--scope <scope>", "panes (the default), windows or sessions")
    .option("--format <format>", "table (the default) or jsonl: one change per line")
    .option("--interval <duration>", "how often ages are redrawn (default 1s)")
    .option("--since <when>", "jsonl: go on after this version, timestamp, or as long ago as 10m")
    .option("--once", "what is there now, then end")
    .action(async (options) => (await import("./verbs/watch.ts")).runWatch(context, options));
};

const addActions = (program: Command, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("attach").description("go to a pane").argument("<ref>")).action(
    async (ref, options) => {
      outcome.exitCode = await (await import("./verbs/attach.ts")).runAttach(context, ref, options);
    },
  );
  program
    .command("explain")
    .description("why a pane is in its state")
    .argument("<ref>")
    .addOption(json())
    .action(async (ref, options) => (await import("./verbs/explain.ts")).runExplain(context, ref, options));
  addGuards(
    program.command("dismiss").description("take an ended or failed row out of the lists").argument("<ref>"),
  )
    .addOption(json())
    .action(async (ref, options) => (await import("./verbs/dismiss.ts")).runDismiss(context, ref, options));
  program
    .command("status")
    .description("one line for status bars")
    .addOption(json())
    .action(async (options) => (await import("./verbs/status.ts")).runStatus(context, options));
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
      outcome.exitCode = await (await import("./verbs/integrate.ts")).runIntegrate(context, agent, options);
    });
};

const OUTCOMES = `
Exit status: 0 delivered (the effect was seen), 20 not delivered, 21 unverified (sent, but the effect was not seen);
other numbers: refused, nothing was sent.
`;

const addActing = (program: Command, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("send").description("type a text into a pane and submit it").argument("<ref>"))
    .option("--text <text>", "the text, taken literally")
    .option("--stdin", "read the text from standard input")
    .option("--no-enter", "type it only")
    .option("--to-shell", "also where a shell would run it")
    .option("--idempotency-key <key>", "send once per runtime, however often this is repeated")
    .addOption(json())
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("./verbs/send.ts")).runSend(context, ref, options);
    });
  addGuards(
    program.command("interrupt").description("stop an agent's turn by its own keys").argument("<ref>"),
  )
    .addOption(json())
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("./verbs/interrupt.ts")).runInterrupt(context, ref, options);
    });
  addGuards(program.command("kill").description("signal an agent's process").argument("<ref>"))
    .option("--signal <name>", "INT (the default), TERM or KILL")
    .option("--yes", "do not ask")
    .addOption(json())
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("./verbs/kill.ts")).runKill(context, ref, options);
    });
  addGuards(program.command("view-output").description("the last lines of a pane").argument("<ref>"))
    .option("--lines <number>", "how many lines (default 100)")
    .option("--ansi", "with colours")
    .addOption(json())
    .action(async (ref, options) =>
      (await import("./verbs/viewOutput.ts")).runViewOutput(context, ref, options),
    );
  program
    .command("audit")
    .description("what was done to panes")
    .option("--limit <number>", "how many entries (default 50)")
    .addOption(json())
    .action(async (options) => (await import("./verbs/audit.ts")).runAudit(context, options));
};

const addAdapters = (program: Command, context: CliContext): void => {
  const adapters = program
    .command("adapters")
    .description("what is known of each agent, and files that add to it");
  adapters
    .command("list")
    .description("every adapter in force, and problems of files")
    .addOption(json())
    .action(async (options) => (await import("./verbs/adapters.ts")).runAdapterList(context, options));
  adapters
    .command("check")
    .description("check a file, or all files in the adapters folder")
    .argument("[file]")
    .addOption(json())
    .action(async (file, options) =>
      (await import("./verbs/adapters.ts")).runAdapterCheck(context, file, options),
    );
  adapters
    .command("try")
    .description("what the rules say about a live pane; nothing is changed")
    .argument("<ref>")
    .option("--file <file>", "the rules of this file instead of those in force")
    .addOption(json())
    .action(async (ref, options) =>
      (await import("./verbs/adapters.ts")).runAdapterTry(context, ref, options),
    );
};

const addRun = (program: Command, context: CliContext, outcome: Outcome): void => {
  program
    .command("run")
    .description("start an agent so that a crash is told from an orderly end; never required")
    .argument("<agent>")
    .argument("[arguments...]")
    .usage("[--] <agent> [arguments...]")
    .passThroughOptions()
    .action(async (agent: string, rest: string[]) => {
      outcome.exitCode = await (await import("./verbs/run.ts")).runAgent(context, [agent, ...rest]);
    });
};

const addHosts = (program: Command, context: CliContext, outcome: Outcome): void => {
  const daemon = program.command("daemon").description("the process behind it all");
  daemon
    .command("run")
    .description("run it here, until it is stopped")
    .option("--on-demand", "leave when nobody has needed it for a while")
    .option("--foreground", "log to stderr instead of the log file")
    .action(async (options) => (await import("./daemon.ts")).runDaemon(context, options));
  daemon
    .command("status")
    .description("whether it runs")
    .addOption(json())
    .action(async (options) => {
      outcome.exitCode = await (await import("./verbs/daemonControl.ts")).runDaemonStatus(context, options);
    });
  daemon
    .command("stop")
    .description("stop it")
    .action(async () => (await import("./verbs/daemonControl.ts")).runDaemonStop(context));
  program
    .command("ui")
    .description("the popover in a browser")
    .option("--port <number>", "a fixed port instead of a free one")
    .addOption(json())
    .action(async (options) => (await import("./verbs/ui.ts")).runUi(context, options));
  program
    .command("target")
    .description("the machines that are watched")
    .command("list")
    .description("targets and how they are reached")
    .addOption(json())
    .action(async (options) => (await import("./verbs/targetList.ts")).runTargetList(context, options));
};

const ENVIRONMENT = `
References: runtime:<id> or pane:<target>/<session>/<window>/<pane>, as 'agtmux list panes' prints them.
Environment: AGTMUX_HOME (default ~/.agtmux), AGTMUX_NO_START=1 (never start a daemon), NO_COLOR.
`;

/** `outcome` receives the exit status of verbs that have one of their own. */
export const createProgram = (context: CliContext, outcome: Outcome): Command => {
  const program = new Command("agtmux")
    .description("Which coding agent in which tmux pane works, waits, is done or is broken.")
    .version(context.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.print(text), writeErr: () => {} })
    .configureHelp(context.width === null ? {} : { helpWidth: Math.min(context.width, 100) })
    .helpCommand("help [command]", "help for a command")
    .addHelpText("after", ENVIRONMENT);
  addList(program, context);
  addWatch(program, context);
  addActions(program, context, outcome);
  addRun(program, context, outcome);
  addActing(program, context, outcome);
  addAdapters(program, context);
  addHosts(program, context, outcome);
  return program;
};

/**
 * What commander stopped with, as our own error; null when it only printed help or the version.
 * `words` are the arguments, for naming the command that lacks its second word.
 */
export const fromCommander = (error: CommanderError, words: readonly string[]): AgtmuxError | null => {
  if (error.exitCode === 0) return null;
  if (error.code === "commander.help") {
    const verb = words.find((word) => !word.startsWith("-")) ?? "";
    return new AgtmuxError("E_USAGE", `'${verb}' needs a second word`, {
      remedy: `See 'agtmux help ${verb}' for what there is.`,
    });
  }
  const text = error.message.replace(/^error: /, "");
  const [, message = text, nearest] = /^(.*?)\s*\(Did you mean (.*)\?\)$/s.exec(text) ?? [];
  return new AgtmuxError(
    "E_USAGE",
    message,
    nearest === undefined ? {} : { remedy: `Did you mean '${nearest.replace(/^one of /, "")}'?` },
  );
};
