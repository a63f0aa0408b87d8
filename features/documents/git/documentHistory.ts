// What a document's conversation was at each commit, from git.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { parseComponents } from "../model/components.ts";
import { readFrontmatter } from "../model/frontmatter.ts";
import type { Repository } from "./git.ts";
import { hasHead } from "./git.ts";

export interface Version {
  readonly commit: string;
  /** ISO 8601. */
  readonly at: string;
  readonly subject: string;
  /** The first line of what the conversation had at its end; empty without one. */
  readonly preview: string;
  /** The agent's conversation of that time. */
  readonly session: string | null;
}

const PREVIEW = 80;
const COMPONENT = "exchange";

/** The conversation of a text; null without one, and for a text that cannot be understood. */
const exchangeOf = (text: string): string | null => {
  try {
    const found = parseComponents(text).find(({ name }) => name === COMPONENT);
    return found === undefined ? null : text.slice(found.start, found.end);
  } catch (error) {
    if (error instanceof AgtmuxError) return null;
    throw error;
  }
};

const sessionOf = (text: string): string | null => {
  try {
    return readFrontmatter(text).resume;
  } catch (error) {
    if (error instanceof AgtmuxError) return null;
    throw error;
  }
};

const previewOf = (text: string): string => {
  const lines = (exchangeOf(text) ?? "").split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").trim().slice(0, PREVIEW);
};

/** Contents of several objects in one process, in order; null for one that is not there. */
const readObjects = async (
  { askBytes }: Repository,
  names: readonly string[],
): Promise<(string | null)[]> => {
  if (names.length === 0) return [];
  const output = await askBytes(["cat-file", "--batch"], `${names.join("\n")}\n`);
  const texts: (string | null)[] = [];
  let at = 0;
  while (texts.length < names.length && at < output.length) {
    const end = output.indexOf("\n", at);
    const header = output.subarray(at, end).toString();
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
    at = end + 1;
    if (size === undefined) {
      texts.push(null);
      continue;
    }
    texts.push(output.subarray(at, at + Number(size)).toString());
    at += Number(size) + 1;
  }
  return texts;
};

/** Newest first. */
export const listVersions = async (repository: Repository): Promise<Version[]> => {
  const { ask, spec } = repository;
  if (!(await hasHead(repository))) return [];
  const path = await fullName(repository);
  const log = await ask(["log", "--format=%H%x00%cI%x00%s", "--", spec]);
  const commits = log.split("\n").filter((line) => line !== "");
  const texts = await readObjects(
    repository,
    commits.map((line) => `${line.split("\0")[0]}:${path}`),
  );
  return commits.map((line, index) => {
    const [commit = "", at = "", subject = ""] = line.split("\0");
    const text = texts[index] ?? "";
    return { commit, at, subject, preview: previewOf(text), session: sessionOf(text) };
  });
};

const fullName = async ({ ask, spec }: Repository): Promise<string> =>
  `${(await ask(["rev-parse", "--show-prefix"])).trim()}${spec}`;

/** The conversation at a commit, without empty lines around it. @throws AgtmuxError E_GIT_FAILED where there is none. */
export const readExchange = async (repository: Repository, commit: string): Promise<string> => {
  const { run, ask } = repository;
  const found = await run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`]);
  if (found.code !== 0)
    throw new AgtmuxError("E_GIT_FAILED", `there is no commit '${commit}'`, {
      remedy: "'agtmux doc history <file>' lists them.",
    });
  const text = await ask(["cat-file", "blob", `${found.stdout.trim()}:${await fullName(repository)}`]);
  const exchange = exchangeOf(text);
  if (exchange === null)
    throw new AgtmuxError("E_GIT_FAILED", `the document had no component '${COMPONENT}' in ${commit}`, {
      remedy: "'agtmux doc history <file>' shows which versions had one.",
    });
  return exchange.trim();
};
