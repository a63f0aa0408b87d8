// The verbs that inform: the one-line status, the reasons for a state, the record of actions, and the doctor, which proves the
// chain from the agents' hooks to the command line.
import type { CliContext } from "../context.ts";
import { choice, json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

export const addInsight = (program: Verb, context: CliContext): void => {
  program
    .command("status")
    .description("one line for status bars")
    .addOption(
      choice("--format <format>", "text by default; tmux: short, with tmux's colours; plain: no colours", [
        "text",
        "plain",
        "tmux",
      ]),
    )
    .option("--no-start", "fail where no daemon runs, instead of starting one")
    .addOption(json())
    .example(
      "agtmux status",
      "How many agents need you, and how many are in each state, the most urgent first.",
    )
    .example("agtmux status --format tmux --no-start", "For tmux: set -g status-right '#(agtmux status …)'.")
    .example("agtmux status --json", "The counts by state, by agent and by target.")
    .action(async (options) => (await import("../verbs/status.ts")).runStatus(context, options));
  program
    .command("explain")
    .description("why a pane is in its state")
    .argument("<ref>")
    .addOption(json())
    .example(
      "agtmux explain work:1.0",
      "The rule that decided, and every sign of a state with what became of it.",
    )
    .action(async (ref, options) => (await import("../verbs/explain.ts")).runExplain(context, ref, options));
  program
    .command("audit")
    .description("what was done to panes")
    .option("--limit <number>", "how many entries (default 50)")
    .addOption(json())
    .example("agtmux audit --limit 10", "The last ten actions, by whom, and how each ended.")
    .action(async (options) => (await import("../verbs/audit.ts")).runAudit(context, options));
};

const DOCTOR_STATUS = `
Exit status: 0 no problem, 1 at least one problem (with --strict also at least one warning).
Nothing is changed: when the test event arrives, it is recognised and not used.
`;

export const addDoctor = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("doctor")
    .description("check every step from the agents' hooks to here, and say what to do where one fails")
    .option("--target <target>", "of the targets, check only this one")
    .option("--strict", "exit with status 1 for warnings too")
    .addOption(json())
    .addHelpText("after", DOCTOR_STATUS)
    .example("agtmux doctor", "Every step with what was found, and what to do about each problem.")
    .example(
      "agtmux doctor --strict --json",
      "For a script: every finding, and exit status 1 for warnings too.",
    )
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/doctor.ts")).runDoctor(context, options);
    });
};
