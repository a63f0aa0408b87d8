// The verbs of workspaces: starting agents, their work trees, and bringing back what a tmux server took along.
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

const START_HELP = `
The task goes in once the agent is ready for it; a question of the agent (do you trust this folder?) is never answered with it.
Exit status: 0 started (and the task went in, or waits), 20 the task did not go in, 21 it was sent but not seen.
`;

const addStart = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("start")
    .description(
      "start an agent in a new pane: in a folder or a work tree, with a task or an earlier session",
    )
    .argument("<agent>")
    .option("--target <target>", "on this machine behind SSH")
    .option("--session <session>", "in this tmux session, made if missing (default: the folder's name)")
    .option("--split <ref>", "beside this pane, in its window")
    .option("--cwd <folder>", "where it works (default: here; on a target the home)")
    .option(
      "--worktree <branch>",
      "in a work tree of this branch, which is made beside the repository if missing",
    )
    .option("--base <commit>", "where a new branch begins (default: what is checked out)")
    .option("--text <text>", "the task; other users can read it in the arguments")
    .option("--stdin", "read the task from standard input")
    .option("--resume <id>", "go on with this session of the agent")
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
    .action(async (agent, options) => {
      outcome.exitCode = await (await import("../verbs/start.ts")).runStart(context, agent, options);
    });
};

const KEPT = `
Only a linked work tree is removed, and only if all of it is committed, its commits are in the branch of the main work tree, nobody
works in it and it is not locked. Its branch stays.
`;

const addWorktree = (program: Verb, context: CliContext): void => {
  const worktree = program.command("worktree").description("the work trees of a git repository");
  worktree
    .command("list")
    .description("every work tree with its branch, what is not committed, and why it would be kept")
    .option("--target <target>", "on this machine behind SSH")
    .option("--cwd <folder>", "a folder in the repository (default: here)")
    .addOption(json())
    .example("agtmux worktree list", "The work trees of the repository of this folder.")
    .action(async (options) => (await import("../verbs/worktree.ts")).runWorktreeList(context, options));
  worktree
    .command("remove")
    .description(
      "remove a work tree that is merged and clean; without --yes it only says what would be removed",
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
      (await import("../verbs/worktree.ts")).runWorktreeRemove(context, name, options),
    );
};

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
      outcome.exitCode = await (await import("../verbs/restore.ts")).runRestore(context, options);
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
    .action(async (typed, options) => (await import("../verbs/loads.ts")).runLoads(context, typed, options));
};

export const addWorkspaces = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addStart(program, context, outcome);
  addWorktree(program, context);
  addLoads(program, context);
  addRestore(program, context, outcome);
};
