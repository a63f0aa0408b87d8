// The verbs of documents that have to do with panes: which one belongs to a document, who answers there, and where panes stand.
import { Option } from "commander";
import type { CliContext } from "../context.ts";
import { choice, collect, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

/** In a bundle of its own beside the others, loaded when one of these verbs runs. */
const load = () => import("../doc/doc.ts");

const ROUTED = `
If the document has no pane, or its pane is gone, it gets another one: that of --pane; else the front pane of the tmux session
that is named after the agent (claude), if that agent rests there in this project and no other document has the pane; else a new
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

const PLACES = `
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
    .addHelpText("after", PLACES)
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
    .addHelpText("after", PLACES)
    .example(
      "agtmux doc sync --col plan.md,notes.md --col code.md --focus plan.md",
      "Two columns; where they stand so already, nothing moves.",
    )
    .action(async (options) => (await load()).runSync(context, options));
};

export const addPanes = (doc: Verb, context: CliContext, outcome: Outcome): void => {
  addBinding(doc, context, outcome);
  addPlaces(doc, context);
};
