// The verbs of history, for sessions that agents keep on disk: list, search, show, usage, export, resume, handoff.
import type { CliContext, Outcome } from "../command/context.ts";
import { addAgentFilter, choice, collect, json, type Verb } from "../command/verb.ts";

const SEARCH_STATUS = `
Exit status: 1 when nothing is found. Outputs of tools are not looked at.
`;

const USAGE_NOTE = `
An answer that stands in several logs counts once. A cost is shown only where a log states one; nothing is computed from prices.
`;

const addFilters = (command: Verb): Verb =>
  addAgentFilter(
    command.option(
      "--target <target>",
      "only of this machine ('host' is this one); for several, use commas or repeat it",
      collect,
    ),
  )
    .option("--cwd <folder>", "only sessions in this folder and below it")
    .option("--since <when>", "only those that went on since then: 7d, or 2026-11-21");

const addHistoryList = (history: Verb, context: CliContext): void => {
  addFilters(
    history
      .command("list", { isDefault: true })
      .description("the sessions that agents keep, here and on targets, newest first"),
  )
    .argument("[words...]", "only those with this text in their name, first prompt or folder")
    .option("--limit <number>", "how many (default 30)")
    .addOption(json())
    .example("agtmux history list", "The newest 30, of every agent.")
    .example("agtmux history list --cwd . --since 7d", "Of this folder, and of the last seven days.")
    .example(
      "agtmux history list payments retry",
      "Those whose name, first prompt or folder has 'payments retry'.",
    )
    .action(async (words, options) =>
      (await import("../verbs/history.ts")).runHistoryList(context, words, options),
    );
};

const addHistoryShow = (history: Verb, context: CliContext): void => {
  history
    .command("show")
    .description("the end of a session, as its agent's log tells it")
    .argument("<session>", "the beginning or the end of its id, or the pane that has it open")
    .option("--lines <number>", "how many lines (default 100)")
    .option("--all", "the whole session")
    .addOption(json())
    .example("agtmux history show 1fad2c9b", "Its end: '> ' you, '* ' a tool, '! ' a note.")
    .example("agtmux history show codex:1fad2c9b --all --json", "All of it, for a script.")
    .action(async (ref, options) =>
      (await import("../verbs/history.ts")).runHistoryShow(context, ref, options),
    );
};

const addHistorySearch = (history: Verb, context: CliContext, outcome: Outcome): void => {
  addFilters(
    history.command("search").description("look inside the sessions for something that was said or asked"),
  )
    .argument("<words...>", "the text; upper and lower case are the same")
    .option("--limit <number>", "how many sessions (default 20)")
    .addOption(json())
    .addHelpText("after", SEARCH_STATUS)
    .example(
      "agtmux history search retry budget",
      "The newest sessions in which 'retry budget' was said, asked or run.",
    )
    .example(
      "agtmux history search --agent codex --since 30d 'npm publish'",
      "Only Codex, and the last 30 days.",
    )
    .action(async (words, options) => {
      outcome.exitCode = await (
        await import("../verbs/history.ts")
      ).runHistorySearch(context, words, options);
    });
};

const addHistoryExport = (history: Verb, context: CliContext): void => {
  history
    .command("export")
    .description("one file with what was said in a session, to hand on")
    .argument("<session>", "the beginning or the end of its id, or the pane that has it open")
    .addOption(
      choice("--format <format>", "Markdown by default; one HTML file without scripts", ["md", "html"]),
    )
    .option("--tools", "the calls of tools, too")
    .option("--raw", "with known secrets in it")
    .option("-o, --output <file>", "write it there, for you alone, instead of printing it")
    .example("agtmux history export 1fad2c9b -o session.md", "For a pull request; says what it took out.")
    .example(
      "agtmux history export %12 --tools -o session.html",
      "The session that a pane has open, with its calls.",
    )
    .action(async (ref, options) =>
      (await import("../verbs/history.ts")).runHistoryExport(context, ref, options),
    );
};

const addPlace = (command: Verb): Verb =>
  command
    .option("--session <session>", "in this tmux session, made if missing (default: the folder's name)")
    .option("--split <ref>", "beside this pane, in its window")
    .option("--cwd <folder>", "in this folder instead of the session's")
    .option("--dry-run", "only say what would be done");

const addHistoryResume = (history: Verb, context: CliContext, outcome: Outcome): void => {
  addPlace(history.command("resume").description("go on with a session, in a new pane in its folder"))
    .argument("<session>", "the beginning or the end of its id")
    .addOption(json())
    .example(
      "agtmux history resume 1fad2c9b",
      "Starts its agent with it; refused while an agent still runs it.",
    )
    .example("agtmux history resume 1fad2c9b --dry-run", "Only says what would be started, and where.")
    .action(async (ref, options) => {
      outcome.exitCode = await (
        await import("../verbs/historyHandoff.ts")
      ).runHistoryResume(context, ref, options);
    });
};

const addHistoryHandoff = (history: Verb, context: CliContext, outcome: Outcome): void => {
  addPlace(
    history.command("handoff").description("what another agent needs to go on with a session, from its log"),
  )
    .argument("<session>", "the beginning or the end of its id, or the pane that has it open")
    .option("--to <agent>", "start this agent with it, after you have edited it in your editor")
    .option(
      "--account <name>",
      "with --to: with this account of the agent, as 'agtmux usage --limits' names it",
    )
    .option("--worktree <branch>", "with --to: in a worktree of this branch, which is made if missing")
    .option("--base <commit>", "where a new branch begins (default: what is checked out)")
    .option("--ask", "let the agent write it itself, if it has the session open and is idle")
    .option("--yes", "with --to: hand it over as it is")
    .addOption(json())
    .example(
      "agtmux history handoff 1fad2c9b",
      "Goal, requests, last words, what was touched. It only prints.",
    )
    .example(
      "agtmux history handoff %12 --to codex",
      "Opens your editor with it, then starts Codex in the same folder with what you left.",
    )
    .action(async (ref, options) => {
      outcome.exitCode = await (
        await import("../verbs/historyHandoff.ts")
      ).runHistoryHandoff(context, ref, options);
    });
};

const addUsageOptions = (command: Verb): Verb =>
  addFilters(command)
    .addOption(
      choice("--by <group>", "what to add up by (default day)", [
        "day",
        "agent",
        "model",
        "target",
        "session",
      ]),
    )
    .addOption(json());

const LIMITS_NOTE = `
Limits are what the agents' own files say: Codex writes them into its session logs, Claude Code gives them to a status line, which can keep
them (docs/history.md). Nobody is asked, and nothing is computed: where no file says it, or its time has passed, nothing is shown.
`;

const addUsage = (program: Verb, context: CliContext): void => {
  addUsageOptions(
    program.command("usage").description("tokens that agents used, and the limits of your accounts"),
  )
    .option("--limits", "how much of each limit is used, and when it resets, instead of tokens")
    .addHelpText("after", LIMITS_NOTE)
    .example("agtmux usage", "The same as 'agtmux history usage': tokens per day, of every agent.")
    .example("agtmux usage --limits", "Each account's limits, as its agent says.")
    .example("agtmux usage --limits --json", "The same for a script.")
    .action(async (options) => (await import("../verbs/usage.ts")).runUsage(context, options));
};

const addHistoryUsage = (history: Verb, context: CliContext): void => {
  addUsageOptions(history.command("usage").description("tokens that agents used, as their logs state them"))
    .addHelpText("after", USAGE_NOTE)
    .example("agtmux history usage --since 7d", "Per day, of every agent.")
    .example("agtmux history usage --by session --cwd .", "Which session of this folder used most.")
    .action(async (options) => (await import("../verbs/history.ts")).runHistoryUsage(context, options));
};

export const addHistory = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const history = program.command("history").description("sessions of agents, to find again and to read");
  addHistoryList(history, context);
  addHistorySearch(history, context, outcome);
  addHistoryShow(history, context);
  addHistoryUsage(history, context);
  addHistoryExport(history, context);
  addHistoryResume(history, context, outcome);
  addHistoryHandoff(history, context, outcome);
  addUsage(program, context);
};
