// The verbs about agents. Workspaces: start, worktree, changes, loads, restore. Knowledge and hooks: setup, integrate, adapters, and run,
// the optional wrapper around an agent.
import type { CliContext, Outcome } from "../command/context.ts";
import { choice, json, type Verb } from "../command/verb.ts";
import { NOTIFIERS } from "../../core/model/words.ts";

// Workspaces: starting agents, their worktrees, what they read in a folder, and bringing back what ended with a tmux server.

const START_HELP = `
The task is sent once the agent is ready; a question of the agent (do you trust this folder?) is never answered with it.
Exit status: 0 started (and the task went in, or waits), 20 the task did not go in, 21 it was sent but not seen.
`;

const addStart = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("start")
    .description("start an agent in a new pane: in a folder or a worktree, with a task or an earlier session")
    .argument("<agent>")
    .option("--target <target>", "on this machine behind SSH")
    .option("--session <session>", "in this tmux session, made if missing (default: the folder's name)")
    .option("--split <ref>", "beside this pane, in its window")
    .option("--cwd <folder>", "where it works (default: here; on a target the home)")
    .option(
      "--worktree <branch>",
      "in a worktree of this branch, which is made beside the repository if missing",
    )
    .option("--base <commit>", "where a new branch begins (default: what is checked out)")
    .option("--text <text>", "the task; other users can read it in the arguments")
    .option("--stdin", "read the task from standard input")
    .option("--resume <id>", "go on with this session of the agent")
    .option(
      "--account <name>",
      "with this account of the agent: its configuration folder, or that one's name",
    )
    .option("--background", "without a pane, for agents that can; needs a task")
    .option("--dry-run", "only say what would be done")
    .addOption(json())
    .addHelpText("after", START_HELP)
    .example("agtmux start claude", "Claude Code in this folder, in a session of its name.")
    .example(
      "agtmux start codex --worktree split-refunds --text 'split refunds by currency'",
      "Codex on a branch of its own, beside the repository, with a task.",
    )
    .example("agtmux start claude --target vm1 --cwd ~/shop-api", "On another machine.")
    .example(
      "agtmux start claude --resume 5f2d5b0a-4b7e-4f0a-9c61-0b1f6f0c5b11",
      "Goes on with a session that ended; refused while an agent still runs it.",
    )
    .example(
      "agtmux start claude --background --text 'update the changelog'",
      "Claude Code runs it without a pane: 'agtmux attach bg-…' opens it.",
    )
    .action(async (agent, options) => {
      outcome.exitCode = await (await import("../verbs/start.ts")).runStart(context, agent, options);
    });
};

const KEPT = `
Only a linked worktree is removed, and only if all of it is committed, its commits are in the branch of the main worktree, nobody
works in it and it is not locked. Its branch stays.
`;

const addWorktree = (program: Verb, context: CliContext): void => {
  const worktree = program.command("worktree").description("the worktrees of a git repository");
  worktree
    .command("list")
    .description("every worktree with its branch, what is not committed, and why it would be kept")
    .option("--target <target>", "on this machine behind SSH")
    .option("--cwd <folder>", "a folder in the repository (default: here)")
    .addOption(json())
    .example("agtmux worktree list", "The worktrees of the repository of this folder.")
    .action(async (options) => (await import("../verbs/workspaces.ts")).runWorktreeList(context, options));
  worktree
    .command("remove")
    .description(
      "remove a worktree that is merged and clean; without --yes it only says what would be removed",
    )
    .argument("<worktree>", "its path or its branch")
    .option("--target <target>", "on this machine behind SSH")
    .option("--cwd <folder>", "a folder in the repository (default: here)")
    .option("--with-ignored", "also where there are ignored files in it")
    .option("--yes", "remove it")
    .addOption(json())
    .addHelpText("after", KEPT)
    .example("agtmux worktree remove split-refunds", "Says whether it could be removed, or why it is kept.")
    .example("agtmux worktree remove split-refunds --yes", "Removes it, if nothing can be lost with it.")
    .action(async (name, options) =>
      (await import("../verbs/workspaces.ts")).runWorktreeRemove(context, name, options),
    );
};

const CHANGES_NOTE = `
What is not committed and new files count, too. It begins where the branch left the closest main branch or the one that it follows;
where there is none, with the agent's turn, else with the last commit. No program of the repository is run.
`;

const addRestore = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("restore")
    .description("bring back the sessions of agents that ended with their tmux server: a reboot, kill-server")
    .option("--dry-run", "only list them")
    .option("--yes", "without asking")
    .option("--forget", "do not bring them back, and do not offer them again")
    .addOption(json())
    .example("agtmux restore", "Lists what can be brought back, and asks once.")
    .example("agtmux restore --dry-run --json", "The same list for a script.")
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/workspaces.ts")).runRestore(context, options);
    });
};

const addLoads = (program: Verb, context: CliContext): void => {
  program
    .command("loads")
    .description("what each agent reads when it starts in a folder: instructions, servers, hooks, skills")
    .argument("[folder-or-ref]", "a folder (./x, ~/x), or a pane that works in it (default: here)")
    .option("--agent <agent>", "only this agent")
    .option("--target <target>", "a folder on this machine behind SSH")
    .addOption(json())
    .example(
      "agtmux loads",
      "Names and places by level (managed, person, project), and what takes the place of what.",
    )
    .example("agtmux loads %12 --agent claude", "Where that pane works, only what Claude Code reads.")
    .action(async (typed, options) =>
      (await import("../verbs/workspaces.ts")).runLoads(context, typed, options),
    );
};

const addChanges = (program: Verb, context: CliContext): void => {
  program
    .command("changes")
    .description("what an agent has changed in its worktree since its branch began, by file and line by line")
    .argument("<ref>")
    .option("--stat", "only the files, with lines added and removed")
    .addOption(json())
    .addHelpText("after", CHANGES_NOTE)
    .example("agtmux changes work:1.0", "The files, then their lines, with colours on a terminal.")
    .example("agtmux changes work:1.0 --stat", "Only the files.")
    .example("agtmux changes work:1.0 --json", "For a script: every line by file.")
    .action(async (ref, options) => (await import("../verbs/changes.ts")).runChanges(context, ref, options));
};

const CONFLICTS_NOTE = `
Git merges the branches of each two worktrees of one repository, 20 at most, in a folder of agtmux's own; nothing is written into the
repository, and none of its programs is run. It takes git 2.39 or newer. 'agtmux config set conflicts true' marks the rows as well, and
'agtmux tell %12 --when conflict' tells you then.
`;

const addConflicts = (program: Verb, context: CliContext): void => {
  program
    .command("conflicts")
    .description("what agents in worktrees of one repository would conflict about, before anybody merges")
    .addOption(json())
    .addHelpText("after", CONFLICTS_NOTE)
    .example("agtmux conflicts", "Each two agents whose branches conflict or that edit the same files.")
    .example("agtmux conflicts --json", "The same for a script.")
    .action(async (options) => (await import("../verbs/workspaces.ts")).runConflicts(context, options));
};

const PULLS_NOTE = `
Your own 'gh' and 'glab' are asked, on the machine where the agent works, at most once a minute for each repository; log in there
with 'gh auth login' or 'glab auth login'. No token is read. 'agtmux config set pull_requests true' shows them in rows as well, and
'agtmux tell %12 --when checks:failed' tells you then.
`;

const addPulls = (program: Verb, context: CliContext): void => {
  program
    .command("pulls")
    .argument("[ref]", "only that of this agent's branch")
    .description(
      "pull requests of the branches that agents work on: their state, and what became of their checks",
    )
    .option("--open", "open its page in your browser; with a ref")
    .addOption(json())
    .addHelpText("after", PULLS_NOTE)
    .example("agtmux pulls", "Each agent on a branch with a pull request.")
    .example("agtmux pulls %12 --open", "Opens that agent's pull request in the browser.")
    .example("agtmux pulls --json", "The same for a script.")
    .action(async (ref, options) => (await import("../verbs/pulls.ts")).runPulls(context, ref, options));
};

export const addWorkspaces = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addStart(program, context, outcome);
  addWorktree(program, context);
  addChanges(program, context);
  addConflicts(program, context);
  addPulls(program, context);
  addLoads(program, context);
  addRestore(program, context, outcome);
};

// Knowledge and hooks: agtmux's hooks in the settings of agents, and what is known of each agent.

const NOTIFY = "who notifies you about agents with their own notifications";

const addIntegrate = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("integrate")
    .description("install agtmux's hook in an agent's settings; without an agent, list the hooks of all")
    .argument("[agent]")
    .option("--target <target>", "on this target instead of this machine")
    .option("--dry-run", "show the change only")
    .option("--verify", "check what is installed and whether events arrive")
    .option("--uninstall", "remove it again")
    .option("--repair", "write our entries again where they are missing or changed")
    .addOption(choice("--notify <who>", NOTIFY, NOTIFIERS))
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux integrate", "Every agent: whether the hook is installed, and what can be done.")
    .example("agtmux integrate claude --dry-run", "Shows what would change in the agent's settings.")
    .example("agtmux integrate claude", "Shows it, asks, and changes it; the old file is kept.")
    .example(
      "agtmux integrate claude --verify",
      "Sends a test event through the hook and says when a real one came.",
    )
    .example("agtmux integrate claude --uninstall --yes", "Removes agtmux's entries.")
    .example(
      "agtmux integrate claude --notify agtmux",
      "Turns off the agent's own notifications, so that you are notified once; 'both' puts that back.",
    )
    .example(
      "agtmux integrate claude --target vm1",
      "The same on a target: events come over the SSH connection, and nothing else has to be installed there.",
    )
    .action(async (agent, options) => {
      outcome.exitCode = await (await import("../verbs/setup.ts")).runIntegrate(context, agent, options);
    });
};

const addSetup = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("setup")
    .description("install the hooks of every agent that is found, or remove everything again")
    .option("--target <target>", "on this target instead of this machine")
    .option("--remove", "take out what agtmux put here: hooks, spool, login item, files on targets")
    .addOption(choice("--notify <who>", NOTIFY, NOTIFIERS))
    .option("--dry-run", "show the changes only")
    .option("--yes", "do not ask")
    .addOption(json())
    .example("agtmux setup", "Says what was found, asks once, and says what is left to do.")
    .example("agtmux setup --yes --json", "For scripts: installs without asking; the result as JSON.")
    .example(
      "agtmux setup --yes --notify agent",
      "The same, and agtmux mutes agents that send their own notifications.",
    )
    .example("agtmux setup --remove --dry-run", "Shows everything that would be removed, and what stays.")
    .action(async ({ remove, ...options }) => {
      outcome.exitCode =
        remove === true
          ? await (await import("../verbs/setup.ts")).runRemove(context, options)
          : await (await import("../verbs/setup.ts")).runSetup(context, options);
    });
};

const PACK_HELP = `
A detection pack is a signed file of the project with what agtmux reads of one agent. It is checked against the screens that it
carries before it counts. It never widens what may be answered, unless you allow just that at the terminal. Nothing is fetched
without --from-release.
`;

const addPacks = (adapters: Verb, context: CliContext, outcome: Outcome): void => {
  adapters
    .command("update")
    .description("cure what is read of an agent, from a detection pack")
    .argument("[agent]", "with --from-release: this one alone")
    .option("--file <file>", "take this pack")
    .option("--from-release", "take what the project has released since")
    .addOption(json())
    .addHelpText("after", PACK_HELP)
    .example(
      "agtmux adapters update --file claude.agtmux-pack",
      "Says what changes, and puts it in force at once.",
    )
    .example("agtmux adapters update --from-release", "The newest pack of each agent, where there is one.")
    .action(async (agent, options) =>
      (await import("../verbs/packs.ts")).runPackUpdate(context, outcome, agent, options),
    );
  adapters
    .command("show")
    .description("show what reads an agent's screens: the program's own rules, and a pack before them")
    .argument("[agent]")
    .option("--file <file>", "what this pack would change; nothing is taken")
    .addOption(json())
    .example("agtmux adapters show claude", "What is in force, in words, and what a rollback leads to.")
    .example("agtmux adapters show --file claude.agtmux-pack", "What it would change.")
    .action(async (agent, options) =>
      (await import("../verbs/packs.ts")).runPackShow(context, agent, options),
    );
  adapters
    .command("rollback")
    .description("go back to the pack before, or to the program's own rules")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters rollback claude", "In force at once.")
    .action(async (agent, options) =>
      (await import("../verbs/packs.ts")).runPackRollback(context, agent, options),
    );
};

const addAdapters = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const adapters = program
    .command("adapters")
    .description("what agtmux knows of each agent (its adapter), and files of yours that add to it");
  adapters
    .command("list", { isDefault: true })
    .description("list what agtmux knows of each agent, and problems in files of yours")
    .addOption(json())
    .example("agtmux adapters list", "Which agents are known, from where, and what can be done with them.")
    .action(async (options) => (await import("../verbs/adapters.ts")).runAdapterList(context, options));
  adapters
    .command("enable")
    .description("detect an agent again")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters enable pi", "Panes in which it runs are listed within two seconds.")
    .action(async (agent, options) =>
      (await import("../verbs/adapters.ts")).runAdapterSwitch(context, agent, true, options),
    );
  adapters
    .command("disable")
    .description("stop detecting an agent: its panes count as panes without one")
    .argument("<agent>")
    .addOption(json())
    .example("agtmux adapters disable pi", "It is written into config.json, so it lasts.")
    .action(async (agent, options) =>
      (await import("../verbs/adapters.ts")).runAdapterSwitch(context, agent, false, options),
    );
  adapters
    .command("check")
    .description("check an adapter file, or all files in the adapters folder")
    .argument("[file]")
    .addOption(json())
    .example("agtmux adapters check ./myagent.json", "Lists every problem with its line.")
    .action(async (file, options) =>
      (await import("../verbs/adapters.ts")).runAdapterCheck(context, file, options),
    );
  adapters
    .command("try")
    .description("show what the adapters make of a live pane; nothing is changed")
    .argument("<ref>")
    .option("--file <file>", "use the rules of this file instead of those in force")
    .addOption(json())
    .example("agtmux adapters try %12 --file ./myagent.json", "The state that this file would give the pane.")
    .action(async (ref, options) =>
      (await import("../verbs/adapters.ts")).runAdapterTry(context, ref, options),
    );
  addPacks(adapters, context, outcome);
};

const addRun = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("run")
    .description("start an agent so that agtmux can tell a crash from a normal end; optional")
    .argument("<agent>")
    .argument("[arguments...]")
    .usage("[--] <agent> [arguments...]")
    .passThroughOptions()
    .example("agtmux run claude", "Starts Claude Code; a crash is then seen at once.")
    .example("agtmux run -- codex --model o4", "Everything after the agent's name is the agent's own.")
    .action(async (agent: string, rest: string[]) => {
      outcome.exitCode = await (await import("../verbs/run.ts")).runAgent(context, [agent, ...rest]);
    });
};

export const addAgents = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addSetup(program, context, outcome);
  addIntegrate(program, context, outcome);
  addAdapters(program, context, outcome);
  addRun(program, context, outcome);
};
