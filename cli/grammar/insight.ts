// The verbs that tell why things are as they are: the one-line status, the reasons for a state, the record of actions.
import type { CliContext } from "../context.ts";
import { choice, json } from "./options.ts";
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
    .example("agtmux status", "How many need you, and how many agents are in each state, most urgent first.")
    .example("agtmux status --format tmux --no-start", "For tmux: set -g status-right '#(agtmux status …)'.")
    .example("agtmux status --json", "The counts by state, by agent and by target.")
    .action(async (options) => (await import("../verbs/status.ts")).runStatus(context, options));
  program
    .command("explain")
    .description("why a pane is in its state")
    .argument("<ref>")
    .addOption(json())
    .example(
      "agtmux explain pane:host/work/@1/%3",
      "The rule that decided, and every signal with its outcome.",
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
