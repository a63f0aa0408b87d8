// The verbs that go to a pane or act on it: attach, next, view-output, send, answer, interrupt, kill, dismiss, mute, rename. Each passes the
// daemon's gate; all but next can carry explicit guards.
import type { CliContext, Outcome } from "../command/context.ts";
import { addGuards, choice, json, OUTCOMES, type Verb } from "../command/verb.ts";

const addAttach = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("attach").description("go to a pane").argument("<ref>"))
    .example(
      "agtmux attach work:1.0",
      "Shows exactly that pane, inside tmux and outside of it; %12, vm1/%12 or a name work too.",
    )
    .example(
      "agtmux attach runtime:4f2a --if-state waiting_approval",
      "Only while that agent still waits for you.",
    )
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/attach.ts")).runAttach(context, ref, options);
    });
};

const NEXT_HELP = `
Exit status: 1 when nothing waits, else as for 'attach'.
In ~/.tmux.conf: bind-key N if-shell -b 'TMUX_PANE=#{pane_id} agtmux next' '' 'display-message "Nothing waits"'
`;

const addNext = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("next")
    .description("go to the agent that has waited longest for you")
    .addHelpText("after", NEXT_HELP)
    .example("agtmux next", "Goes there as 'attach' does. Run it again to go on to the next.")
    .action(async () => {
      outcome.exitCode = await (await import("../verbs/attach.ts")).runNext(context);
    });
};

const addViewOutput = (program: Verb, context: CliContext): void => {
  addGuards(program.command("view-output").description("the last lines of a pane").argument("<ref>"))
    .option("--lines <number>", "how many lines (default 100)")
    .option("--ansi", "with colours")
    .option("--transcript", "the session from the agent's own log, instead of the screen")
    .addOption(json())
    .example("agtmux view-output %12 --lines 20", "The last 20 lines, without colours.")
    .example(
      "agtmux view-output runtime:4f2a --transcript --lines 200",
      "End of the session from the agent's own log. Lines begin with '> ' for you, '* ' for a tool, '! ' for a note.",
    )
    .action(async (ref, options) => (await import("../verbs/act.ts")).runViewOutput(context, ref, options));
};

const addSend = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("send").description("type a text into a pane and submit it").argument("<ref>"))
    .option(
      "--text <text>",
      "the text, taken literally; other users of the machine can see it while the command runs",
    )
    .option("--stdin", "read the text from standard input")
    .option("--no-enter", "type the text, but do not submit it")
    .option("--to-shell", "send it even if a shell would run it")
    .option("--idempotency-key <key>", "repeating the command with the same key sends once per runtime")
    .option("--when-ready", "send it when the agent is idle, one text per turn")
    .option("--at <time>", "send it at 07:00 or 2026-11-24T07:00, when the agent is idle")
    .option("--at-reset", "send it one to three minutes after the agent's limit resets")
    .option("--cron <schedule>", "send it on a schedule, such as '0 9 * * 1-5', when the agent is idle")
    .option("--times <number>", "most times a schedule sends; 200 by default")
    .option("--expires <duration>", "when to give up: 24h by default, 7d (the maximum) for a schedule")
    .option("--volatile", "keep the text only in memory; it is lost when the daemon ends")
    .addOption(json())
    .example("agtmux send work:1.0 --text 'run the tests'", "Types the text and submits it.")
    .example(
      "agtmux send work:1.0 --text 'now the docs' --when-ready",
      "Queues it: 'agtmux jobs list' shows what waits, and for what.",
    )
    .example(
      "git diff | agtmux send runtime:4f2a --stdin --no-enter",
      "Types the text from a pipe and does not submit it.",
    )
    .example(
      "agtmux send runtime:4f2a --text 'go on' --if-state idle --idempotency-key nightly-7",
      "Only while it is idle, and once, however often this is repeated.",
    )
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/act.ts")).runSend(context, ref, options);
    });
};

const addAnswer = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addGuards(
    program
      .command("answer")
      .description("answer the prompt that an agent shows: exactly that one, or nothing")
      .argument("<ref>"),
  )
    .option("--approve", "allow this one request, never similar ones")
    .option("--deny", "refuse it")
    .option("--reason <text>", "with --deny: why; sent as the next message once the agent is idle")
    .option("--option <number>", "choose this one of its options, from 1")
    .option("--choose <numbers>", "choose these: 1,3 of a question that takes several, or one number")
    .option("--text <text>", "answer a question with text")
    .option("--stdin", "read that text from standard input")
    .option("--idempotency-key <key>", "repeating the command with the same key answers once per runtime")
    .addOption(json())
    .example("agtmux answer %12", "Shows the prompt and asks what to answer.")
    .example(
      "agtmux answer runtime:4f2a --approve --if-prompt 9c1e5f0a7b3d2468",
      "For scripts: approves only the prompt of that prompt_fingerprint ('agtmux list panes --json').",
    )
    .example(
      "agtmux answer runtime:4f2a --option 2 --if-prompt 9c1e5f0a7b3d2468 --json",
      "Chooses the second of its options; the result as JSON.",
    )
    .example(
      "agtmux answer %12 --deny --reason 'use the staging database'",
      "Shows the prompt, denies it after you agreed, then sends the reason.",
    )
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/act.ts")).runAnswer(context, ref, options);
    });
};

const addInterrupt = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addGuards(
    program
      .command("interrupt")
      .description("interrupt an agent's turn with the agent's own keys")
      .argument("<ref>"),
  )
    .addOption(json())
    .example("agtmux interrupt work:1.0 --if-state running", "Interrupts the turn, if one is still running.")
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/act.ts")).runInterrupt(context, ref, options);
    });
};

const addKill = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addGuards(program.command("kill").description("send a signal to an agent's process").argument("<ref>"))
    .addOption(choice("--signal <signal>", "which one; INT by default", ["INT", "TERM", "KILL"]))
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux kill runtime:4f2a", "Sends INT to that agent's process, after asking.")
    .example("agtmux kill %12 --signal TERM --yes", "Sends TERM without asking.")
    .addHelpText("after", OUTCOMES)
    .action(async (ref, options) => {
      outcome.exitCode = await (await import("../verbs/act.ts")).runKill(context, ref, options);
    });
};

const addDismiss = (program: Verb, context: CliContext): void => {
  addGuards(
    program
      .command("dismiss")
      .description(
        "mark as seen: an error becomes idle, a crashed agent leaves the list, a finished turn is no longer new",
      )
      .argument("<ref>"),
  )
    .addOption(json())
    .example("agtmux dismiss runtime:4f2a", "You have seen the error: from now on the agent is idle.")
    .action(async (ref, options) => (await import("../verbs/act.ts")).runDismiss(context, ref, options));
};

const addMute = (program: Verb, context: CliContext): void => {
  addGuards(
    program
      .command("mute")
      .description("show no notification of one agent, for an hour or as you say; watches still tell")
      .argument("<ref>"),
  )
    .option("--for <duration>", "for so long; 1h by default, 7d at most")
    .option("--until-end", "until the agent ends")
    .option("--off", "unmute it")
    .addOption(json())
    .example("agtmux mute %12", "For an hour. What it still waits for then is told then.")
    .example("agtmux mute runtime:4f2a --until-end", "Another agent in the same pane is not muted.")
    .action(async (ref, options) => (await import("../verbs/act.ts")).runMute(context, ref, options));
};

const addRename = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addGuards(
    program
      .command("rename")
      .description("name an agent's row; an empty name restores its title")
      .argument("<ref>")
      .argument("<name>"),
  )
    .option(
      "--in-agent",
      "give the agent's own session the name, too, while it is idle (where agtmux knows how)",
    )
    .addOption(json())
    .example("agtmux rename %12 'refunds, second try'", "Its row has that title as long as the agent runs.")
    .example("agtmux rename %12 ''", "The title is its work again.")
    .action(async (ref, name, options) => {
      outcome.exitCode = await (await import("../verbs/act.ts")).runRename(context, ref, name, options);
    });
};

export const addActions = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addAttach(program, context, outcome);
  addNext(program, context, outcome);
  addViewOutput(program, context);
  addSend(program, context, outcome);
  addAnswer(program, context, outcome);
  addInterrupt(program, context, outcome);
  addKill(program, context, outcome);
  addDismiss(program, context);
  addMute(program, context);
  addRename(program, context, outcome);
};
