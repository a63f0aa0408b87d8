// Commits of documents: one file each, with a message by which they are found again.
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { Repository } from "./git.ts";
import { checkSettled, hasHead } from "./git.ts";

/** Messages of the original, of all its versions. */
export const OWN_MESSAGE = /^agent-doc(?:\([^)]*\))?: /;

const two = (number: number): string => String(number).padStart(2, "0");

/** `agent-doc: 2026-02-25 21:24:46`, in the person's own time. */
export const commitMessage = (now: number): string => {
  const at = new Date(now);
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `agent-doc: ${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
};

/** What a filter would encrypt or put elsewhere must not be committed as it is. @throws AgtmuxError E_GIT_FAILED */
const checkFilter = async ({ ask, spec, top, switchedOff }: Repository): Promise<void> => {
  const [, , filter = ""] = (await ask(["check-attr", "-z", "filter", "--", spec])).split("\0");
  if (!switchedOff.includes(filter)) return;
  throw new AgtmuxError("E_GIT_FAILED", `the document goes through the repository's filter '${filter}'`, {
    remedy: `A filter is a program: let this repository run its own with 'git_programs = ["${top}"]' in config.toml of agent-doc. Nothing was committed.`,
  });
};

/**
 * Commits the document and nothing else: what else is staged stays staged. False where there was nothing to commit.
 * @throws AgtmuxError E_GIT_FAILED in the middle of a merge, and where git refuses.
 */
export const commitDocument = async (repository: Repository, now: number): Promise<boolean> => {
  await checkSettled(repository);
  const { spec, ask, run } = repository;
  await checkFilter(repository);
  await ask(["add", "-f", "--", spec]);
  const against = (await hasHead(repository)) ? ["HEAD"] : [];
  const changed = await run([
    "diff",
    "--cached",
    "--quiet",
    "--no-ext-diff",
    "--no-textconv",
    ...against,
    "--",
    spec,
  ]);
  if (changed.code === 0) return false;
  await ask(["commit", "--quiet", "--no-verify", "-m", commitMessage(now), "--", spec]);
  return true;
};

export interface Squashed {
  /** How many became one; less than two: nothing was done. */
  readonly commits: number;
  /** The commit they became. */
  readonly into: string | null;
}

interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly files: readonly string[];
}

const FIELDS = "%x01%H%x00%P%x00%s%x00";

const readLog = async ({ ask }: Repository, range: readonly string[]): Promise<Commit[]> => {
  const text = await ask([
    "log",
    "-z",
    `--format=${FIELDS}`,
    "--name-only",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "-m",
    "--first-parent",
    ...range,
  ]);
  return text
    .split("\u0001")
    .slice(1)
    .map((entry) => {
      const [id = "", parents = "", subject = "", ...files] = entry.split("\0");
      return {
        id,
        parents: parents.split(" ").filter((one) => one !== ""),
        subject,
        files: files.map((one) => one.replace(/^\n/, "")).filter((one) => one !== ""),
      };
    });
};

/** Commits of other documents: those are somebody's answers, which nobody gives away by saying so about this document. */
const otherDocuments = (commits: readonly Commit[], own: string): string[] =>
  commits
    .filter(({ subject, files }) => OWN_MESSAGE.test(subject) && files.some((file) => file !== own))
    .map(({ id, files }) => `${id.slice(0, 10)} is of ${files.find((file) => file !== own)}`);

/** Why the commits from the first own one on cannot be made one without touching anybody else's; empty where they can. */
const foreignReasons = async (
  { run }: Repository,
  commits: readonly Commit[],
  own: string,
): Promise<string[]> => {
  const reasons: string[] = [];
  for (const { id, parents, subject, files } of commits) {
    const short = id.slice(0, 10);
    if (parents.length > 1) reasons.push(`${short} is a merge`);
    else if (!OWN_MESSAGE.test(subject)) reasons.push(`${short} is somebody else's: ${subject.slice(0, 60)}`);
    else if (files.some((file) => file !== own)) reasons.push(`${short} has other files as well`);
  }
  const oldest = commits.at(-1);
  if (oldest !== undefined) {
    const pushed = await run([
      "for-each-ref",
      "--count=1",
      "--format=%(refname:short)",
      "--contains",
      oldest.id,
      "refs/remotes",
    ]);
    const name = pushed.stdout.trim();
    if (name !== "") reasons.push(`${oldest.id.slice(0, 10)} is pushed already, to ${name}`);
  }
  return reasons;
};

/**
 * Makes one commit of all own commits of the document. Working tree and index stay as they are. With `force` also what lies
 * between them becomes part of it, but for commits of other documents. @throws AgtmuxError E_GIT_FAILED, and then nothing has changed.
 */
export const squashCommits = async (
  repository: Repository,
  options: { force: boolean; now: number; refuse: (reasons: readonly string[], mayForce: boolean) => Error },
): Promise<Squashed> => {
  await checkSettled(repository);
  const { ask, spec } = repository;
  if (!(await hasHead(repository))) return { commits: 0, into: null };
  const own = (await readLog(repository, ["HEAD", "--", spec])).filter(({ subject }) =>
    OWN_MESSAGE.test(subject),
  );
  const first = own.at(-1);
  if (first === undefined || own.length < 2) return { commits: own.length, into: null };
  const [parent] = first.parents;
  const path = (await ask(["ls-files", "--full-name", "-z", "--", spec])).split("\0")[0] ?? "";
  const between = await readLog(repository, parent === undefined ? ["HEAD"] : [`${parent}..HEAD`]);
  const reasons = await foreignReasons(repository, between, path);
  const others = otherDocuments(between, path);
  if (others.length > 0) throw options.refuse([...others, ...reasons], false);
  if (reasons.length > 0 && !options.force) throw options.refuse(reasons, true);
  const head = (await ask(["rev-parse", "HEAD"])).trim();
  const from = parent === undefined ? [] : ["-p", parent];
  const made = await ask(["commit-tree", `${head}^{tree}`, ...from, "-m", commitMessage(options.now)]);
  // Only if nobody has committed meanwhile.
  await ask(["update-ref", "-m", "agent-doc: clean", "HEAD", made.trim(), head]);
  return { commits: between.length, into: made.trim() };
};
