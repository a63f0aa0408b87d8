// `agtmux doc run`: asks an agent that needs no pane, and puts its answer into the document.
import { basename, join, resolve } from "node:path";
import { AgtmuxError } from "../../core/model/errors.ts";
import {
  askBackend,
  buildPrompt,
  INSTRUCTIONS,
  parseDocumentConfig,
  type DocumentConfig,
  type PrintBackend,
} from "../../features/documents/agents/printBackend.ts";
import {
  locateDocument,
  shownPath,
  type DocumentPaths,
} from "../../features/documents/files/documentPaths.ts";
import { loadSnapshot } from "../../features/documents/files/snapshots.ts";
import { readTextIfThere } from "../../features/documents/files/wholeFile.ts";
import { setResume } from "../../features/documents/flow/documentChanges.ts";
import { openDocument } from "../../features/documents/flow/openDocument.ts";
import { writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { checkSettled, findRepository } from "../../features/documents/git/git.ts";
import { commitDocument } from "../../features/documents/git/commitDocument.ts";
import { mergeByLines } from "../../features/documents/git/mergeByLines.ts";
import { lineDiff } from "../../features/documents/model/diffLines.ts";
import type { CliContext } from "../context.ts";
import { cleanLine } from "../render/clean.ts";

export interface RunOptions {
  branch?: boolean;
  agent?: string;
  model?: string;
  dryRun?: boolean;
  /** commander's form of --no-git. */
  git: boolean;
}

const FALLBACK = "claude";

/** Claude Code's print mode; a variable of a session around us would make it refuse to start. */
const CLAUDE: PrintBackend = {
  command: "claude",
  argv: ({ session, model }) => [
    "-p",
    "--output-format",
    "json",
    "--permission-mode",
    "acceptEdits",
    ...(session === null ? [] : ["--resume", session]),
    ...(model === null ? [] : ["--model", model]),
    "--append-system-prompt",
    INSTRUCTIONS,
  ],
  withoutEnv: ["CLAUDECODE"],
};

const readConfig = async ({ env }: CliContext): Promise<DocumentConfig> => {
  const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] ?? "/", ".config");
  const path = join(folder, "agent-doc", "config.toml");
  return parseDocumentConfig((await readTextIfThere(path)) ?? "", path);
};

const backendOf = (agent: string, { agents }: DocumentConfig): PrintBackend => {
  const own = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  const known = agent === FALLBACK ? CLAUDE : null;
  const command = own?.command ?? known?.command;
  if (command === undefined)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `it is not known how '${cleanLine(agent)}' answers without a pane`,
      {
        remedy: `Write [agents.${cleanLine(agent)}] with command and args into config.toml of agent-doc (docs/documents.md).`,
      },
    );
  const args = own?.args;
  return {
    command,
    argv: args === undefined ? (known?.argv ?? (() => [])) : () => args,
    withoutEnv: CLAUDE.withoutEnv,
  };
};

const branchFor = (paths: DocumentPaths): string =>
  `agent-doc/${basename(paths.file)
    .replace(/\.[^.]+$/, "")
    .replaceAll(/[^\w.-]+/g, "-")}`;

export const runRun = async (context: CliContext, file: string, options: RunOptions): Promise<void> => {
  const paths = await locateDocument(resolve(file), process.cwd());
  const name = cleanLine(shownPath(paths));
  const { text, frontmatter } = await openDocument(paths);
  const config = await readConfig(context);
  const snapshot = await loadSnapshot(paths);
  const diff = lineDiff(snapshot ?? "", text);
  if (diff === null) {
    context.print(`${name} has nothing new.\n`);
    return;
  }
  const { format, resume, model } = frontmatter;
  const prompt = buildPrompt({ document: text, diff: resume === null ? null : diff, format });
  if (options.dryRun === true) {
    context.print(prompt);
    return;
  }
  const backend = backendOf(options.agent ?? frontmatter.agent ?? config.default_agent ?? FALLBACK, config);
  const repository = options.git ? await findRepository(paths.file, context.env) : null;
  // Found out before an agent works for minutes.
  if (repository !== null) await checkSettled(repository);
  if (options.branch === true && repository !== null)
    await repository.ask(["checkout", "-q", "-b", branchFor(paths)]);
  const question = { prompt, session: resume, model: options.model ?? model };
  const { env, signal } = context;
  const answer = await askBackend(backend, question, { cwd: paths.root, env, signal });
  await writeResponse({
    paths,
    response: answer.text,
    baseline: text,
    mergeByLines: mergeByLines(paths.root, context.env),
    way: "auto",
    now: context.now(),
  });
  if (answer.session !== null && answer.session !== resume) await setResume(paths, answer.session);
  context.print(`Answered in ${name}.\n`);
  if (repository !== null && (await commitDocument(repository, context.now())))
    context.print(`Committed ${name}.\n`);
};
