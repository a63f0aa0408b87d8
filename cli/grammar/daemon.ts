// The verbs about the daemon and the page in the browser.
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

export const addDaemon = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const daemon = program.command("daemon").description("the process behind it all");
  daemon
    .command("run")
    .description("run it here, until it is stopped")
    .option("--on-demand", "leave when nobody has needed it for a while")
    .option("--foreground", "log to stderr instead of the log file")
    .example("agtmux daemon run --foreground", "In this terminal, with its log; Ctrl-C ends it.")
    .action(async (options) => (await import("../daemon.ts")).runDaemon(context, options));
  daemon
    .command("status")
    .description("whether it runs")
    .addOption(json())
    .example("agtmux daemon status", "Which daemon answers; exit status 8 when none does.")
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/daemonControl.ts")).runDaemonStatus(context, options);
    });
  daemon
    .command("stop")
    .description("stop it")
    .example("agtmux daemon stop", "Asks it to leave; the next command starts another one.")
    .action(async () => (await import("../verbs/daemonControl.ts")).runDaemonStop(context));
  program
    .command("ui")
    .description("the popover in a browser")
    .option("--port <number>", "a fixed port instead of a free one")
    .addOption(json())
    .example("agtmux ui", "Prints an address that works once, and serves the popover until Ctrl-C.")
    .action(async (options) => (await import("../verbs/ui.ts")).runUi(context, options));
};
