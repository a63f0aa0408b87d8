// `agtmux doc run`: asks an agent that needs no pane, and puts its answer into the document.
import { basename } from "node:path";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { PrintMode } from "../../core/ports/agentAdapter.ts";
import {
  askBackend,
  buildPrompt,
  readAnswer,
  type DocumentConfig,
} from "../../features/documents/agents/printBackend.ts";
import {
  locateDocument,
  shownPath,
  type DocumentPaths,
} from "../../features/documents/files/documentPaths.ts";
import { loadSnapshot } from "../../features/documents/files/snapshots.ts";
import { setResume, openDocument } from "../../features/documents/flow/documentChanges.ts";
import { checkAnswerable, writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { checkSettled, findRepository, commitDocument, mergeByLines } from "../../features/documents/git.ts";
import { lineDiff } from "../../features/documents/model/diffLines.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine, cleanLines, textFor } from "../render/clean.ts";
import { agentFor, readConfig, trustedRepositories } from "./documentConfig.ts";
import { localPath } from "./place.ts";

/** The words of the person's settings go before those that are known. */
const backendOf = (agent: string, { agents }: DocumentConfig): PrintMode => {
  const own = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  const known = createAdapterRegistry().byAgentType(agent)?.printMode;
  const command = own?.command ?? known?.command;
  if (command === undefined)
    throw new AgtmuxError("E_UNSUPPORTED", `can't tell how '${cleanLine(agent)}' answers without a pane`, {
      remedy: `Write [agents.${cleanLine(agent)}] with command and args into config.toml of agent-doc (docs/documents.md).`,
    });
  const args = own?.args;
  const ownWords = {
    command,
    forks: "none" as const,
    argv: () => args ?? [],
    withoutEnv: known?.withoutEnv ?? [],
    parse: readAnswer,
  };
  return known === undefined || args !== undefined ? ownWords : { ...known, command };
};

/**
 * What an agent with words of the person's own may change is not known from here: a document that nobody has read does not choose
 * one of several. @throws AgtmuxError E_UNSUPPORTED
 */
const checkChosen = (agent: string, { agents, default_agent: usual }: DocumentConfig): void => {
  if (agent === usual || !Object.hasOwn(agents, agent)) return;
  throw new AgtmuxError(
    "E_UNSUPPORTED",
    `the document chose '${cleanLine(agent)}', whose command is from config.toml, and nobody has read what changed`,
    { remedy: "Run 'agtmux doc run', make that agent the default_agent, or watch with --accept-edits." },
  );
};

/** What a document says goes into the arguments of a program: it must not become an option of it. */
const checkWord = (key: string, value: string | null): string | null => {
  if (value === null || /^[A-Za-z0-9][\w.:/@+-]{0,199}$/.test(value)) return value;
  throw new AgtmuxError(
    "E_DOCUMENT_INVALID",
    `'${key}' in the frontmatter isn't a word that an agent can take`,
    {
      remedy: "Correct it, or remove the line; nobody was asked.",
    },
  );
};

/** The conversation that is continued or copied; a new one where the agent cannot copy it, which is said. */
const conversationFor = (
  context: CliContext,
  { forks, command }: PrintMode,
  resume: string | null,
  wantsFork: boolean,
): { session: string | null; isFork: boolean } => {
  if (!wantsFork) return { session: resume, isFork: false };
  if (forks === "last too" || (forks === "named" && resume !== null))
    return { session: resume, isFork: true };
  const which = forks === "named" ? "only a conversation that the document names" : "no conversation";
  context.stderr.write(`agtmux: note: ${cleanLine(command)} can copy ${which}; this is a new one.\n`);
  return { session: null, isFork: false };
};

const branchFor = (paths: DocumentPaths): string =>
  `agent-doc/${basename(paths.file)
    .replace(/\.[^.]+$/, "")
    .replaceAll(/[^\w.-]+/g, "-")}`;

export const runRun = async (
  context: CliContext,
  file: string,
  options: {
    branch?: boolean;
    fork?: boolean;
    agent?: string;
    model?: string;
    dryRun?: boolean;
    /** commander's form of --no-git. */
    git: boolean;
    /** False: nobody has read what changed, so the agent changes no file without asking. Whoever types the command has. */
    acceptsEdits?: boolean;
  },
): Promise<void> => {
  const paths = await locateDocument(localPath(file), process.cwd());
  const name = cleanLine(shownPath(paths));
  const { text, frontmatter } = await openDocument(paths);
  // Found out before an agent works for minutes, as all else that can be.
  checkAnswerable(text, frontmatter);
  const config = await readConfig(context);
  const snapshot = await loadSnapshot(paths);
  const diff = lineDiff(snapshot ?? "", text);
  if (diff === null) {
    context.print(`${name} has nothing new.\n`);
    return;
  }
  const { format } = frontmatter;
  const [resume, model] = [checkWord("resume", frontmatter.resume), checkWord("model", frontmatter.model)];
  const promptFor = (session: string | null): string =>
    buildPrompt({ document: text, diff: session === null ? null : diff, format });
  if (options.dryRun === true) {
    context.print(textFor(context.stdout, promptFor(resume)));
    return;
  }
  const agent = agentFor(frontmatter, config, options.agent);
  if (options.acceptsEdits === false) checkChosen(agent, config);
  const backend = backendOf(agent, config);
  const repository = options.git
    ? await findRepository(paths.file, context.env, trustedRepositories(context, config))
    : null;
  if (repository !== null) await checkSettled(repository);
  if (options.branch === true && repository !== null)
    await repository.ask(["checkout", "-q", "-b", branchFor(paths)]);
  const conversation = conversationFor(context, backend, resume, options.fork === true);
  const prompt = promptFor(conversation.session);
  const question = {
    prompt,
    ...conversation,
    model: options.model ?? model,
    acceptsEdits: options.acceptsEdits ?? true,
  };
  const { env, signal } = context;
  const answer = await askBackend(backend, question, { cwd: paths.root, env, signal });
  try {
    await writeResponse({
      paths,
      response: answer.text,
      baseline: text,
      mergeByLines: mergeByLines(paths.root, context.env),
      way: "auto",
      now: context.now(),
      snapshot: config.snapshot,
    });
  } catch (error) {
    // One that was kept goes in later. Any other is shown: nobody asks for the same a second time for nothing.
    const isKept = error instanceof AgtmuxError && error.code === "E_DOCUMENT_BUSY";
    if (!isKept) context.print(`${cleanLines(answer.text).join("\n")}\n`);
    throw error;
  }
  if (answer.session !== null && answer.session !== resume) await setResume(paths, answer.session);
  context.print(`Answered in ${name}.\n`);
  if (repository !== null && (await commitDocument(repository, context.now())))
    context.print(`Committed ${name}.\n`);
};
