// Runs git for one document. It asks nobody, never waits for an editor or a password, and starts no program that the repository names
// (a hook, a filter, a monitor, a signature), unless the person's own settings name the repository.
import { execFile } from "node:child_process";
import { access, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { boundedGit, gitWithout, NAMING_PROGRAMS } from "../../../core/model/git.ts";
import { isMissing } from "../../../core/model/systemError.ts";

export interface GitResult {
  readonly code: number;
  readonly bytes: Buffer;
  /** The same as text. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Repository {
  /** Absolute, without symbolic links. */
  readonly file: string;
  /** The document as git commands take it here. */
  readonly spec: string;
  readonly gitDir: string;
  /** The top folder of the work tree. */
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
            new AgtmuxError(
              "E_GIT_FAILED",
              isAbsent ? "there is no git" : `git ${args[0]} did not end well`,
              {
                cause: error,
                ...(isAbsent ? { remedy: "Install git." } : {}),
              },
            ),
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
export const gitIn = (folder: string, env: Env, names: readonly string[] = []): Repository["run"] => {
  const own = { ...cleanEnv(env), ...gitWithout(names) };
  return (args, input = "") => runGit(folder, args, own, input);
};

const zeroEnded = (text: string): string[] => text.split("\0").filter((one) => one !== "");

/** Whether the person's own settings let the repository's programs run: by where it is, and not by which work tree it says it has. */
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
    if (/not a git repository|must be run in a work tree/.test(found.stderr)) return null;
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
  throw new AgtmuxError("E_GIT_FAILED", `${file} is in no git repository`, {
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

/** Whether HEAD has a commit. */
export const hasHead = async ({ run }: Repository): Promise<boolean> =>
  (await run(["rev-parse", "--verify", "--quiet", "HEAD"])).code === 0;
