// `agtmux doc commit|clean|history`: what git keeps of a document.
import { AgtmuxError } from "../../core/model/errors.ts";
import { locateDocument, shownPath } from "../../features/documents/files/documentPaths.ts";
import {
  commitDocument,
  squashCommits,
  listVersions,
  readExchange,
  requireRepository,
} from "../../features/documents/git.ts";
import type { CliContext } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor, renderTable } from "../render/table.ts";
import { readConfig, trustedRepositories } from "./documentConfig.ts";
import { localPath } from "./place.ts";

const open = async (context: CliContext, file: string) => {
  const paths = await locateDocument(localPath(file), process.cwd());
  const trusted = trustedRepositories(context, await readConfig(context));
  return {
    paths,
    name: cleanLine(shownPath(paths)),
    repository: await requireRepository(paths.file, context.env, trusted),
  };
};

export const runCommit = async (context: CliContext, file: string): Promise<void> => {
  const { name, repository } = await open(context, file);
  const isCommitted = await commitDocument(repository, context.now());
  context.print(isCommitted ? `Committed ${name}.\n` : `${name} has nothing to commit.\n`);
};

export const runClean = async (
  context: CliContext,
  file: string,
  options: { force?: boolean },
): Promise<void> => {
  const { name, repository } = await open(context, file);
  const { commits, into } = await squashCommits(repository, {
    force: options.force === true,
    now: context.now(),
    refuse: (reasons, mayForce) =>
      new AgtmuxError("E_GIT_FAILED", `the commits of ${name} can't be squashed without touching others`, {
        details: reasons.slice(0, 10),
        remedy: mayForce
          ? "Repeat with --force if those may become part of it; nothing was changed."
          : "Commits of other documents never become part of it; nothing was changed.",
      }),
  });
  context.print(
    into === null
      ? `${name} has no commits to squash.\n`
      : `${commits} commits of ${name} squashed into one.\n`,
  );
};

const COLUMNS = [
  { title: "COMMIT", min: null },
  { title: "AT", min: null },
  { title: "CONVERSATION", min: null },
  { title: "ENDS WITH", min: 10 },
];

export const runHistory = async (
  context: CliContext,
  file: string,
  options: { restore?: string },
): Promise<void> => {
  const { name, paths, repository } = await open(context, file);
  if (options.restore !== undefined) {
    const exchange = await readExchange(repository, options.restore);
    const { restoreExchange } = await import("../../features/documents/flow/documentChanges.ts");
    await restoreExchange(paths, exchange);
    context.print(`The conversation of ${cleanLine(options.restore)} is above the present one in ${name}.\n`);
    return;
  }
  const versions = await listVersions(repository);
  if (versions.length === 0) {
    context.print(`${name} was never committed.\n`);
    return;
  }
  const rows = versions.map(({ commit, at, session, preview, subject }) => [
    { text: commit.slice(0, 10) },
    { text: at.slice(0, 19).replace("T", " ") },
    { text: cleanLine(session ?? "-") },
    { text: cleanLine(preview === "" ? `(${subject})` : preview) },
  ]);
  const table = { width: context.width, measure: await measureFor(versions), paint: context.paint };
  context.print(`${renderTable(COLUMNS, rows, table).join("\n")}\n`);
};
