// The verbs that go to a pane or act on it. Every one of them passes the daemon's gate and can carry explicit guards.
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addGuards, json, OUTCOMES, type Outcome } from "./options.ts";

const addAttach = (program: Command, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("attach").description("go to a pane").argument("<ref>")).action(
    async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/attach.ts")).runAttach(context, ref, options);
    },
  );
};

const addViewOutput = (program: Command, context: CliContext): void => {
  addGuards(program.command("view-output").description("the last lines of a pane").argument("<ref>"))
    .option("--lines <number>", "how many lines (default 100)")
    .option("--ansi", "with colours")
    .addOption(json())
    .action(async (ref, options) =>
      (await import("../verbs/viewOutput.ts")).runViewOutput(context, ref, options),
    );
};

const addSend = (program: Command, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("send").description("type a text into a pane and submit it").argument("<ref>"))
    .option("--text <text>", "the text, taken literally")
    .option("--stdin", "read the text from standard input")
    .option("--no-enter", "type it only")
    .option("--to-shell", "also where a shell would run it")
    .option("--idempotency-key <key>", "send once per runtime, however often this is repeated")
    .addOption(json())
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/send.ts")).runSend(context, ref, options);
    });
};

const addInterrupt = (program: Command, context: CliContext, outcome: Outcome): void => {
  addGuards(
    program.command("interrupt").description("stop an agent's turn by its own keys").argument("<ref>"),
  )
    .addOption(json())
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/interrupt.ts")).runInterrupt(context, ref, options);
    });
};

const addKill = (program: Command, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("kill").description("signal an agent's process").argument("<ref>"))
    .option("--signal <name>", "INT (the default), TERM or KILL")
    .option("--yes", "do not ask")
    .addOption(json())
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/kill.ts")).runKill(context, ref, options);
    });
};

const addDismiss = (program: Command, context: CliContext): void => {
  addGuards(
    program.command("dismiss").description("take an ended or failed row out of the lists").argument("<ref>"),
  )
    .addOption(json())
    .action(async (ref, options) => (await import("../verbs/dismiss.ts")).runDismiss(context, ref, options));
};

export const addActions = (program: Command, context: CliContext, outcome: Outcome): void => {
  addAttach(program, context, outcome);
  addViewOutput(program, context);
  addSend(program, context, outcome);
  addInterrupt(program, context, outcome);
  addKill(program, context, outcome);
  addDismiss(program, context);
};
