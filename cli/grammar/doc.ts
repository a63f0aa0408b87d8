// The verbs of document sessions, in which a person and an agent write one Markdown file: its pane, text and history, the project,
// editors. Called as `agent-doc`, they serve editors and skills that know only that, with its version and its few exit codes.
import { Option } from "commander";
import type { CliContext, Outcome } from "../command/context.ts";
import { choice, collect, type Verb, json } from "../command/verb.ts";
import { ERROR_CODES } from "../../core/model/errors.ts";

/** What runs the verbs: a bundle of its own, loaded when one of them runs. */
const load = () => import("../doc/doc.ts");

const ROUTED = `
If the document has no pane, or its pane is gone, it gets another one: that of --pane; else the front pane of the tmux session
that is named after the agent (claude), if that agent is idle there in this project and no other document has the pane; else a new
pane with the agent.
Exit status: 0 delivered (the agent began), 20 not delivered, 21 unverified; other numbers: refused, nothing was sent.
`;

const SIDES = ["left", "right", "top", "bottom"];

const addBinding = (doc: Verb, context: CliContext, outcome: Outcome): void => {
  doc
    .command("start")
    .description("start the document's agent in this pane, and let it answer in the document")
    .argument("<file>")
    .example("agtmux doc start plan.md", "At the prompt of a pane; the agent takes the place of the command.")
    .action(async (file) => (await load()).runStart(context, file));
  doc
    .command("claim")
    .description("let the agent of a pane answer in the document")
    .argument("<file>")
    .option("--pane <pane>", "this pane of your tmux server, instead of the one that you are in")
    .addOption(choice("--position <side>", "the pane at this side of the window", SIDES))
    .option(
      "--window <window>",
      "with --position: in this window; if it is gone, in a window of the project's other documents",
    )
    .example("agtmux doc claim plan.md", "In the pane of an agent; the last claim of a document counts.")
    .example(
      "agtmux doc claim plan.md --position left --window @3",
      "For an editor that shows the same split.",
    )
    .example("agtmux doc claim vm1:/srv/plan.md --pane %4", "On another machine; %4 is a pane there.")
    .action(async (file, options) => (await load()).runClaim(context, file, options));
  doc
    .command("route")
    .description("tell the agent of the document's pane to answer, and go there")
    .argument("<file>")
    .option("--pane <pane>", "let the agent of this pane answer where the document's own pane is gone")
    .addHelpText("after", ROUTED)
    .example(
      "agtmux doc route plan.md",
      "Never into a prompt, a shell, or a pane that is another one by now.",
    )
    .action(async (file, options) => {
      outcome.exitCode = await (await load()).runRoute(context, file, options);
    });
  doc
    .command("focus")
    .description("go to the document's pane")
    .argument("<file>")
    .option("--pane <pane>", "to this pane instead")
    .example("agtmux doc focus plan.md", "Selects its window and pane in tmux.")
    .action(async (file, options) => (await load()).runFocus(context, file, options));
  doc
    .command("prompt")
    .description("show what the document's agent asks, as JSON for an editor")
    .argument("[file]")
    .option("--all", "of all documents of the project")
    .option("--answer <number>", "choose this option of the prompt that was shown last")
    .example("agtmux doc prompt --all", "For an editor that looks every few seconds.")
    .example("agtmux doc prompt plan.md --answer 2", "Refused where that prompt is gone, or was never shown.")
    .action(async (file, options) => {
      outcome.exitCode = await (await load()).runPrompt(context, file, options);
    });
  doc
    .command("resync")
    .description("forget claims of panes that are gone")
    .example("agtmux doc resync", "Says why: the pane is gone, or its id means another pane by now.")
    .action(async () => (await load()).runResync(context));
};

const PANE_PLACES_HELP = `
Files without a pane are left out, with a warning. Panes that leave the window go on in windows of their own.
`;

const addPlaces = (doc: Verb, context: CliContext): void => {
  doc
    .command("layout")
    .description("bring the panes of documents into one window, side by side as in the editor")
    .argument("<files...>")
    .option("--stacked", "one above the other")
    // agent-doc's own form: h or v. Elsewhere the word means another thing.
    .addOption(new Option("--split <how>").hideHelp())
    .option("--window <window>", "only panes that were claimed in this window, in this window")
    .addHelpText("after", PANE_PLACES_HELP)
    .example("agtmux doc layout plan.md notes.md", "Other documents' panes leave the window; shells stay.")
    .action(async (files, options) => (await load()).runLayout(context, files, options));
  doc
    .command("sync")
    .description("bring the panes of documents into columns, as the editor shows them")
    .option(
      "--col <files>",
      "a column: files with commas between them, top to bottom; once for each column",
      collect,
    )
    .option("--window <window>", "in this window; if it is gone, in a window of the project's documents")
    .option("--focus <file>", "go to this document's pane")
    .option("--keep-foreign", "panes that no document has stay in the window, at its right")
    .addHelpText("after", PANE_PLACES_HELP)
    .example(
      "agtmux doc sync --col plan.md,notes.md --col code.md --focus plan.md",
      "Two columns; where they stand so already, nothing moves.",
    )
    .action(async (options) => (await load()).runSync(context, options));
};

/** Which pane belongs to a document, who answers there, and where panes are placed. */
const addPanes = (doc: Verb, context: CliContext, outcome: Outcome): void => {
  addBinding(doc, context, outcome);
  addPlaces(doc, context);
};

const addBasics = (doc: Verb, context: CliContext): void => {
  doc
    .command("init")
    .description("begin a document")
    .argument("<file>")
    .argument("[title]")
    .option("--agent <agent>", "the agent that answers in it")
    .example("agtmux doc init plan.md 'The plan'", "A new file with room for the first question.")
    .action(async (file, title, options) => (await load()).runInit(context, file, title, options));
  doc
    .command("diff")
    .description("show what was written since the agent saw the document")
    .argument("<file>")
    .option("--strip-comments", "leave HTML comments and link reference comments out")
    .addOption(json())
    .example(
      "agtmux doc diff plan.md",
      "Every line with '+', '-' or a space before it; nothing where nothing changed.",
    )
    .action(async (file, options) => (await load()).runDiff(context, file, options));
  doc
    .command("outline")
    .description("show the sections of a document, with their length in lines and tokens")
    .argument("<file>")
    .addOption(json())
    .example("agtmux doc outline plan.md", "What is where, and how much it takes to read it.")
    .action(async (file, options) => (await load()).runOutline(context, file, options));
  doc
    .command("reset")
    .description("let the agent begin again: its conversation and its snapshot are forgotten")
    .argument("<file>")
    .example("agtmux doc reset plan.md", "The document keeps its text and its own id.")
    .action(async (file) => (await load()).runReset(context, file));
};

const HOOKS = `
Commands in .agent-doc/components.toml (pre_patch, post_patch) come from the project: they run after a yes, which holds until
they change.
`;

const addWriting = (doc: Verb, context: CliContext, outcome: Outcome): void => {
  doc
    .command("write")
    .description("put an agent's response, from standard input, into the document")
    .argument("<file>")
    .option(
      "--baseline-file <file>",
      "the document as the agent had seen it, to merge what was written since",
    )
    .option("--ipc", "through the editor's plugin, even where none was seen yet")
    .option("--force-disk", "on the disk, without the editor's plugin")
    .option("--stream", "accepted because agent-doc has it; it changes nothing")
    .example(
      "cat answer.md | agtmux doc write plan.md --baseline-file seen.md",
      "Its blocks <!-- patch:NAME --> go into their components; nothing that was typed meanwhile is lost.",
    )
    .example(
      "cat answer.md | agtmux doc write vm1:/srv/plan.md",
      "Into the file on that machine; nothing is installed there.",
    )
    .action(async (file, options) => (await load()).runWrite(context, file, options));
  doc
    .command("patch")
    .description("put new content into one component")
    .argument("<file>")
    .argument("<component>")
    .argument("[content]", "from standard input without it")
    .option("--yes", "run the project's own commands without asking")
    .addHelpText("after", HOOKS)
    .example(
      "agtmux doc patch plan.md status '3 of 5 done'",
      "Replaces, appends or prepends, as the component says.",
    )
    .action(async (file, component, content, options) =>
      (await load()).runPatch(context, file, component, content, options),
    );
  doc
    .command("run")
    .description("ask an agent that needs no pane, and put its answer into the document")
    .argument("<file>")
    .option("-b, --branch", "on a branch of the document's own")
    .option(
      "--agent <agent>",
      "this agent; else the document's, else the default of config.toml, else claude",
    )
    .option("--model <model>", "this model")
    .option("--fork", "in a copy of the document's conversation, or of the agent's last one in the folder")
    .option("--dry-run", "print what would be asked, and ask nobody")
    .option("--no-git", "commit nothing")
    .example("agtmux doc run plan.md --dry-run", "The prompt: the document, and what changed in it since.")
    .example("agtmux doc run plan.md -b", "Asks, answers in the document, and commits it on agent-doc/plan.")
    .action(async (file, options) => (await load()).runRun(context, file, options));
  doc
    .command("watch")
    .description("ask the agents of the project's documents, without a pane, whenever one is saved")
    .option("--status", "say whether a watch runs in this project; exit status 1: none")
    .option("--stop", "end it")
    .option(
      "--debounce <ms>",
      "wait this long after a save (default 500); documents that merge by themselves do not wait",
    )
    .option("--max-cycles <number>", "at most so many answers in a row without a person (default 3)")
    .option("--accept-edits", "whatever is saved, its agent may change files of the project without asking")
    .example("agtmux doc watch", "Goes on until Ctrl-C; claimed documents are watched.")
    .action(async (options) => {
      outcome.exitCode = await (await load()).runWatch(context, options);
    });
  doc
    .command("recover")
    .description("put in the responses that could not be written when they came")
    .argument("<file>")
    .example(
      "agtmux doc recover plan.md",
      "After a crash, or when an editor was too busy; 'write' does it as well.",
    )
    .action(async (file) => (await load()).runRecover(context, file));
};

const addHistory = (doc: Verb, context: CliContext): void => {
  doc
    .command("commit")
    .description("commit the document, and nothing else")
    .argument("<file>")
    .example(
      "agtmux doc commit plan.md",
      "As 'agent-doc: <time>', also where .gitignore names it; no hook runs.",
    )
    .action(async (file) => (await load()).runCommit(context, file));
  doc
    .command("clean")
    .description("make one commit of all such commits of the document")
    .argument("<file>")
    .option(
      "--force",
      "even if commits of others lie between; they become part of it, but for those of other documents",
    )
    .example(
      "agtmux doc clean plan.md",
      "Refuses where others' commits lie between, or where they are pushed.",
    )
    .action(async (file, options) => (await load()).runClean(context, file, options));
  doc
    .command("history")
    .description("show the versions of a document's conversation, from git")
    .argument("<file>")
    .option("--restore <commit>", "put the conversation of this commit above the one that is there")
    .example("agtmux doc history plan.md", "Each commit with its time and how the conversation ended.")
    .action(async (file, options) => (await load()).runHistory(context, file, options));
};

const CHECKED = `
Exit status: 0 nothing found, 1 something is wrong.
`;

const addProject = (doc: Verb, context: CliContext, outcome: Outcome): void => {
  doc
    .command("audit-docs")
    .description("check whether the documents that agents are given are still true")
    .option("--root <folder>", "the project's folder")
    .addHelpText("after", CHECKED)
    .example(
      "agtmux doc audit-docs",
      "Paths that are gone, more than 1000 lines, sources that are much newer.",
    )
    .action(async (options) => {
      outcome.exitCode = await (await load()).runAudit(context, options);
    });
  const skill = doc.command("skill").description("the instructions by which an agent answers in a document");
  const folder = ["--folder <folder>", "of the agent's skills, instead of .claude/skills"] as const;
  skill
    .command("install")
    .description("write the instructions into this project")
    .option(...folder)
    .option("--reload <how>", "also print what makes the agent read them again: compact")
    .example("agtmux doc skill install", "Nothing happens where they are current.")
    .action(async (options) => (await load()).runSkillInstall(context, options));
  skill
    .command("check")
    .description("check whether the instructions are current")
    .option(...folder)
    .addHelpText("after", CHECKED)
    .example("agtmux doc skill check", "Exit status 1 where they are missing or old.")
    .action(async (options) => {
      outcome.exitCode = await (await load()).runSkillCheck(context, options);
    });
};

const addEditors = (doc: Verb, context: CliContext, outcome: Outcome): void => {
  const plugin = doc
    .command("plugin")
    .description("what puts answers into an editor's buffer, beside what is typed there");
  plugin
    .command("list")
    .description("show for which editors there is a plugin, and which is installed")
    .example("agtmux doc plugin list", "The extension for VS Code comes with agtmux.")
    .action(async () => (await load()).runPluginList(context));
  for (const [name, says] of [
    ["install", "let an editor install its plugin"],
    ["update", "let an editor install the plugin of this version"],
  ] as const)
    plugin
      .command(name)
      .description(says)
      .argument("<editor>", "vscode or jetbrains")
      .option("--file <file>", "for jetbrains: the ZIP of agent-doc's plugin, which agtmux does not fetch")
      .example(`agtmux doc plugin ${name} vscode`, "Calls 'code --install-extension'; nothing is fetched.")
      .action(async (editor, options) => (await load()).runPluginInstall(context, editor, options));
  doc
    .command("upgrade")
    .description("as 'agtmux upgrade'")
    .option("--check", "only say which release is the newest and how to get it")
    .option("--yes", "without asking")
    .example("agtmux doc upgrade", "For those who know agent-doc's verb of this name.")
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/upgrade.ts")).runUpgrade(context, options);
    });
};

/** The version whose formats and verbs these are; the skill compares it. */
const AGENT_DOC_VERSION = "0.17.14";

/** What editors and skills ask the command for. */
const addSelf = (doc: Verb, context: CliContext): void => {
  doc.command("version", { hidden: true }).action(() => context.print(`agent-doc ${AGENT_DOC_VERSION}\n`));
  doc.command("commands", { hidden: true }).action(() => {
    const commands = doc.commands.map((command) => ({
      name: command.name(),
      args: command.registeredArguments
        .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
        .join(" "),
      description: command.description(),
    }));
    context.print(`${JSON.stringify(commands.filter(({ description }) => description !== ""))}\n`);
  });
};

/** The first word of a command line that was called `agent-doc`; bin/agtmux puts it there. */
export const AS_AGENT_DOC = "__agent-doc";

/** The words after it, as words of ours. */
export const fromAgentDoc = (words: readonly string[]): string[] => {
  const [first = "--help"] = words;
  return ["--version", "-V"].includes(first)
    ? ["doc", "version"]
    : ["doc", ...(words.length === 0 ? [first] : words)];
};

/** 0; 2 for a command line that is not understood; 75 for "once more, later"; 1 for everything else. */
export const agentDocExitCode = (code: number): number =>
  [0, 2, ERROR_CODES.E_DOCUMENT_BUSY.exit].includes(code) ? code : 1;

const DOCUMENT_PLACES_HELP = `
A file of another machine is vm1:/path/plan.md. diff, outline, write, claim (with --pane), route, focus and prompt take it.
`;

export const addDoc = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const doc = program
    .command("doc")
    .description("documents that a person and an agent write together")
    .addHelpText("after", DOCUMENT_PLACES_HELP);
  addBasics(doc, context);
  addWriting(doc, context, outcome);
  addHistory(doc, context);
  addPanes(doc, context, outcome);
  addProject(doc, context, outcome);
  addEditors(doc, context, outcome);
  addSelf(doc, context);
};
