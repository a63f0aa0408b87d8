// Git for one document: finding its repository, commits of the document and making one of them, its conversation at each commit,
// and the merge by lines. Git asks nobody, never waits for an editor or a password, and starts no program that the repository names
// (a hook, a filter, a monitor, a signature), unless the person's own settings name the repository.
import { execFile } from "node:child_process";
import { access, realpath, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import { boundedGit, gitWithout, NAMING_PROGRAMS } from "../../core/model/commandWords.ts";
import { parseComponents, isWhole } from "./model/documentText.ts";
import { readFrontmatter } from "./model/frontmatter.ts";
import { tmpdir } from "node:os";
import { mergeTexts } from "./model/mergeTexts.ts";

interface GitResult {
  readonly code: number;
  readonly bytes: Buffer;
  /** The same as text. */
  readonly stdout: string;
  readonly stderr: string;
}

interface Repository {
  /** Absolute, without symbolic links. */
  readonly file: string;
  /** The document as git commands take it here. */
  readonly spec: string;
  readonly gitDir: string;
  /** The top folder of the worktree. */
  readonly top: string;
  /** Filters of its settings that are not run. */
  readonly switchedOff: readonly string[];
  /** Never rejects for what git says. `input` goes to its standard input. */
  readonly run: (args: readonly string[], input?: string) => Promise<GitResult>;
  /** What it prints. @throws AgtmuxError E_GIT_FAILED with git's own words. */
  readonly ask: (args: readonly string[], input?: string) => Promise<string>;
  readonly askBytes: (args: readonly string[], input?: string) => Promise<Buffer>;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 256 * 1024 * 1024;
/** What a shell says of a program that is not there. */
const NO_GIT = 127;

type Env = Readonly<Record<string, string | undefined>>;

/** Of the variables around us, those that say who commits, and where the person's own settings are. */
const KEPT = /^GIT_(?:AUTHOR|COMMITTER)_|^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/;
const cleanEnv = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || KEPT.test(name)));

const runGit = (folder: string, args: readonly string[], env: Env, input: string): Promise<GitResult> =>
  new Promise((resolve, reject) => {
    // A file name with a star or a colon is a name.
    const [program = "", ...words] = boundedGit(["--literal-pathspecs", "-C", folder, ...args]);
    const child = execFile(
      program,
      words,
      {
        env: { ...env, GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" },
        timeout: TIMEOUT_MS,
        killSignal: "SIGKILL",
        maxBuffer: MAX_OUTPUT,
        encoding: "buffer",
      },
      (error, bytes, stderr) => {
        const isAbsent = error?.code === NO_GIT;
        if (isAbsent || (error !== null && typeof error.code !== "number")) {
          reject(
            new AgtmuxError("E_GIT_FAILED", isAbsent ? "git isn't installed" : `git ${args[0]} failed`, {
              cause: error,
              ...(isAbsent ? { remedy: "Install git." } : {}),
            }),
          );
          return;
        }
        resolve({
          code: error === null ? 0 : Number(error.code),
          bytes,
          get stdout() {
            return bytes.toString();
          },
          stderr: stderr.toString(),
        });
      },
    );
    // A command that reads nothing may have ended before.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

/** Runs git in a folder that need not be in a repository. `names`: its settings that name programs. */
const gitIn = (folder: string, env: Env, names: readonly string[] = []): Repository["run"] => {
  const own = { ...cleanEnv(env), ...gitWithout(names) };
  return (args, input = "") => runGit(folder, args, own, input);
};

const zeroEnded = (text: string): string[] => text.split("\0").filter((one) => one !== "");

/** Whether the person's settings let the repository's programs run: by where it is, not by which worktree it says it has. */
const isTrusted = async (commonDir: string, trusted: readonly string[]): Promise<boolean> => {
  const place = dirname(await realpath(commonDir));
  // A folder that the person named and that is gone trusts nothing.
  for (const folder of trusted) if ((await realpath(folder).catch(() => null)) === place) return true;
  return false;
};

/** The repository of the document; null where it is in none. `trusted`: those whose programs may be run. */
export const findRepository = async (
  file: string,
  env: Env,
  trusted: readonly string[],
): Promise<Repository | null> => {
  const folder = dirname(file);
  const look = gitIn(folder, env);
  const found = await look([
    "rev-parse",
    "--absolute-git-dir",
    "--is-inside-work-tree",
    "--show-toplevel",
    "--git-common-dir",
  ]);
  if (found.code !== 0) {
    // In git's own folder there is no top.
    if (/not a git repository|must be run in a worktree/.test(found.stderr)) return null;
    throw new AgtmuxError("E_GIT_FAILED", `git: ${firstLine(found.stderr)}`);
  }
  const [gitDir = "", isInside, top = "", common = ""] = found.stdout.trim().split("\n");
  if (isInside !== "true") return null;
  const runsPrograms = await isTrusted(resolve(folder, common), trusted);
  const named = await look(["config", "-z", "--name-only", "--get-regexp", NAMING_PROGRAMS]);
  const own = cleanEnv(env);
  const run: Repository["run"] = runsPrograms
    ? (args, input = "") => runGit(folder, args, own, input)
    : gitIn(folder, env, zeroEnded(named.stdout));
  const askBytes = async (args: readonly string[], input = "") => {
    const { code, bytes, stderr } = await run(args, input);
    if (code === 0) return bytes;
    throw new AgtmuxError("E_GIT_FAILED", `git ${args[0]}: ${firstLine(stderr) || `exit status ${code}`}`);
  };
  const ask = async (args: readonly string[], input?: string) => (await askBytes(args, input)).toString();
  const filters = zeroEnded(named.stdout).flatMap(
    (name) => /^filter\.(.*)\.(?:clean|process)$/s.exec(name)?.[1] ?? [],
  );
  const switchedOff = runsPrograms ? [] : filters;
  return { file, spec: basename(file), gitDir, top, switchedOff, run, ask, askBytes };
};

export const requireRepository = async (
  file: string,
  env: Env,
  trusted: readonly string[],
): Promise<Repository> => {
  const found = await findRepository(file, env, trusted);
  if (found !== null) return found;
  throw new AgtmuxError("E_GIT_FAILED", `${file} isn't in a git repository`, {
    remedy: "Run 'git init' in its project.",
  });
};

/** What git writes down while something is under way → what to call it. */
const UNDER_WAY: Readonly<Record<string, string>> = {
  MERGE_HEAD: "a merge",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
};

/** @throws AgtmuxError E_GIT_FAILED in the middle of a merge and the like, where a commit would be part of that. */
export const checkSettled = async ({ gitDir }: Repository): Promise<void> => {
  for (const [name, what] of Object.entries(UNDER_WAY)) {
    try {
      await access(join(gitDir, name));
    } catch (error) {
      if (isMissing(error)) continue;
      throw error;
    }
    throw new AgtmuxError("E_GIT_FAILED", `the repository is in the middle of ${what}`, {
      remedy: "Finish or abort it first; nothing was changed.",
    });
  }
};

const hasHead = async ({ run }: Repository): Promise<boolean> =>
  (await run(["rev-parse", "--verify", "--quiet", "HEAD"])).code === 0;

// Commits: one file each, with a message by which they are found again.

/** Messages of the original, of all its versions. */
const OWN_MESSAGE = /^agent-doc(?:\([^)]*\))?: /;

const two = (number: number): string => String(number).padStart(2, "0");

/** `agent-doc: 2026-02-25 21:24:46`, in the person's own time. */
const commitMessage = (now: number): string => {
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

interface Squashed {
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
 * Makes one commit of all own commits of the document. Working tree and index stay as they are. With `force` also what lies between
 * them becomes part of it, but for commits of other documents. @throws AgtmuxError E_GIT_FAILED, and then nothing has changed.
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

// Versions: what a document's conversation was at each commit.

interface Version {
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

// Merge: for documents with `agent_doc_write: merge`. It is git's own, which marks what both changed in the same lines.

type Merge = (base: string, agent: string, person: string) => Promise<string>;

/** Where conflict marks would tear components apart, the texts are merged as in other documents. */
export const mergeByLines = (root: string, env: Readonly<Record<string, string | undefined>>): Merge => {
  const run = gitIn(root, env);
  return async (base, agent, person) => {
    if (person === base || agent === person) return agent;
    const folder = await mkdtemp(join(tmpdir(), "agtmux-merge-"));
    try {
      const paths = ["person", "base", "agent"].map((name) => join(folder, name));
      for (const [index, text] of [person, base, agent].entries()) await writeFile(paths[index] ?? "", text);
      const labels = ["-L", "you", "-L", "before", "-L", "agent"];
      const { code, stdout } = await run(["merge-file", "-p", ...labels, ...paths]);
      const isMerged = code >= 0 && code < 128 && isWhole(stdout);
      return isMerged ? stdout : mergeTexts(base, agent, person);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
};
