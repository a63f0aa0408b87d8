// The verbs that show what is there: status, explain, audit and doctor; list, watch and wait; and the picker.
import type { CliContext, Outcome } from "../command/context.ts";
import {
  background,
  choice,
  json,
  type Verb,
  addAgentFilter,
  addContentFilters,
  addPaneFilters,
  addTableView,
  addTargetFilters,
  collect,
  plain,
} from "../command/verb.ts";
import { SESSION_FIELDS, WINDOW_FIELDS, PANE_FIELDS } from "../render/field.ts";
import { PANE_SORT, SESSION_SORT, WINDOW_SORT, CONDITION_NAMES } from "../parse/filters.ts";

/** The one-line status, the reasons for a state, and the record of actions. */
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
    .action(async (options) => (await import("../verbs/explain.ts")).runAudit(context, options));
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

const PANES = { keys: Object.keys(PANE_SORT), columns: Object.keys(PANE_FIELDS) };
const WINDOWS = { keys: Object.keys(WINDOW_SORT), columns: Object.keys(WINDOW_FIELDS) };
const SESSIONS = { keys: Object.keys(SESSION_SORT), columns: Object.keys(SESSION_FIELDS) };

const addList = (program: Verb, context: CliContext): void => {
  const list = program
    .command("list")
    .description("list panes, windows or sessions; without another word, panes")
    .example(
      "agtmux list",
      "One line per agent, those that need you first, each with the reference to type.",
    );
  addTableView(
    addPaneFilters(
      list
        .command("panes", { isDefault: true })
        .description("panes with an agent; 'agtmux list' alone shows them too"),
    ),
    PANES,
  )
    .addOption(plain())
    .option("--look", "look now for what is not committed in the agents' worktrees")
    .addOption(json())
    .addOption(background())
    .example("agtmux list panes --sort needs,-age", "What waits for you first, the longest wait on top.")
    .example(
      "agtmux list panes --needs-action --plain --columns ref,kind,body",
      "Three fields of each, separated by tabs, for a shell script.",
    )
    .example("agtmux list panes --needs-action", "Only what waits for you: approvals, questions and errors.")
    .example(
      "agtmux list panes --target vm1 --agent claude",
      "Filters combine: Claude Code on the target vm1.",
    )
    .example(
      "agtmux list panes --columns task,where,changed_files,shares_with",
      "What is not committed in each agent's worktree, and which agents share one.",
    )
    .example(
      "agtmux list panes --state waiting_approval --json",
      "The same for a script, as one JSON document.",
    )
    .action(async (options) => (await import("../verbs/list.ts")).runList(context, "panes", options));
  const windows = list.command("windows").description("windows with their most urgent state");
  addTableView(addContentFilters(addTargetFilters(windows), "groups"), WINDOWS)
    .addOption(plain())
    .option("--with-agent-status", "with the number of agents in each state")
    .addOption(json())
    .example(
      "agtmux list windows --with-agent-status",
      "Each window's most urgent state, and how many of its agents are in each state.",
    )
    .action(async (options) => (await import("../verbs/list.ts")).runList(context, "windows", options));
  const sessions = list.command("sessions").description("sessions with their most urgent state");
  addTableView(addContentFilters(addTargetFilters(sessions), "groups"), SESSIONS)
    .addOption(plain())
    .option("--agent-summary", "with the number of each agent")
    .addOption(
      choice("--group-by <grouping>", "target-session by default; session-name merges across targets", [
        "target-session",
        "session-name",
      ]),
    )
    .addOption(json())
    .addOption(background())
    .example("agtmux list sessions --agent-summary", "Each session with the number of each agent.")
    .example(
      "agtmux list sessions --group-by session-name",
      "Sessions of the same name on several targets, as one row.",
    )
    .action(async (options) => (await import("../verbs/list.ts")).runList(context, "sessions", options));
};

const addWatch = (program: Verb, context: CliContext): void => {
  addTableView(addPaneFilters(program.command("watch").description("show changes as they happen")), PANES)
    .addOption(choice("--scope <scope>", "what a row is; panes by default", ["panes", "windows", "sessions"]))
    .addOption(
      choice("--format <format>", "a table by default; jsonl: one change per line", ["table", "jsonl"]),
    )
    .option("--interval <duration>", "how often a table redraws ages (default 1s)")
    .option(
      "--since <when>",
      "a version, a timestamp or a duration such as 10m: jsonl continues from there, a table marks what changed since",
    )
    .option("--once", "show what is there now, then end")
    .example("agtmux watch", "A table that redraws in place until Ctrl-C.")
    .example("agtmux watch --since 10m --sort needs", "What changed in the last ten minutes has a mark.")
    .example("agtmux watch --needs-action --format jsonl", "One JSON object per change, for a script.")
    .example("agtmux watch --format jsonl --since 10m", "Begins with the changes of the last ten minutes.")
    .example(
      "agtmux watch --format jsonl --since 4711",
      "Continues after a version: that of the last line that you read.",
    )
    .action(async (options) => (await import("../verbs/watch.ts")).runWatch(context, options));
};

const PICK_HELP = `
Keys: arrows or j k move, Enter attaches, n next that waits, a approve, d deny, 1-9 options, w show all of a long request,
r reply (Tab: when the agent is ready), o output, i interrupt, x kill, e dismiss, / search, ? all keys, q ends.
Views: g agents, s sessions, m machines, h history, l what is armed and what it did.
A key answers only a request that has been on the screen for a moment. A held key answers one request, a pasted one none.
In ~/.tmux.conf: bind-key a display-popup -E -w 90% -h 85% 'agtmux pick'
`;

const WAIT_HELP = `
Conditions of --until, several with commas: a state (or state=<state>), needs-action, gone (the agent ended).
Without --after, a condition that already holds ends the wait at once. In a loop, pass the state_version that you got last.
Exit status: 0 the condition holds, 3 nothing is at the reference, 18 no such target, 19 the agent ended, 124 time-out.
`;

const addWait = (program: Verb, context: CliContext): void => {
  const wait = program
    .command("wait")
    .description("wait until a pane, or any pane that matches, is in a state")
    .argument("[ref]", "this pane or runtime; without one, all that match the filters")
    .addOption(choice("--until <conditions>", "what to wait for", CONDITION_NAMES).argParser(collect))
    .option("--needs-action", "short for --until needs-action");
  addAgentFilter(addTargetFilters(wait))
    .option(
      "--any",
      "end when one of them is in such a state; of several, the one that is in it longest (the default)",
    )
    .option("--every", "end only when all that match the filters are in such a state")
    .option("--after <version>", "ignore states whose state_version is not higher than this")
    .option("--timeout <duration>", "give up after this time; otherwise wait for ever")
    .addOption(
      choice("--columns <names>", "only these columns, in this order", PANES.columns).argParser(collect),
    )
    .addOption(plain())
    .addOption(json())
    .addHelpText("after", WAIT_HELP)
    .example(
      "agtmux wait work:1.0 --until completed,idle,needs-action",
      "Until its turn is over or it asks something.",
    )
    .example("agtmux wait --needs-action --timeout 10m", "Until any agent on any target needs you.")
    .example(
      "agtmux wait --every --session api --until completed,idle",
      "Until no agent of that session works any more.",
    )
    .example(
      "agtmux wait --until waiting_approval --after 4711 --plain --columns state_version,ref,body",
      "The next approval after that state, as fields for a script.",
    )
    .action(async (ref, options) => (await import("../verbs/wait.ts")).runWait(context, ref, options));
};

/** Added without the other lists for `agtmux pick`, which has to be quick to start. */
export const addPick = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("pick")
    .description("show the agents in this terminal, to choose from and to answer")
    .option("--popup", "in a popup, from inside tmux")
    .addHelpText("after", PICK_HELP)
    .example(
      "agtmux pick",
      "Lists what needs you first; Enter goes to the pane. 'agtmux' alone does the same.",
    )
    .example(
      "agtmux pick --popup",
      "The same in a popup above your panes; it closes when you go to a pane or quit.",
    )
    .action(async (options) => {
      outcome.exitCode = await (await import("../picker/picker.ts")).runPicker(context, options);
    });
};

export const addLists = (program: Verb, context: CliContext): void => {
  addList(program, context);
  addWatch(program, context);
  addWait(program, context);
};
