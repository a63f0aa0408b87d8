// Runs git for one document. It asks nobody, and never waits for an editor or a password.
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AgtmuxError } from "../../../core/model/errors.ts";
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
  /** Never rejects for what git says. `input` goes to its standard input. */
  readonly run: (args: readonly string[], input?: string) => Promise<GitResult>;
  /** What it prints. @throws AgtmuxError E_GIT_FAILED with git's own words. */
  readonly ask: (args: readonly string[], input?: string) => Promise<string>;
  readonly askBytes: (args: readonly string[], input?: string) => Promise<Buffer>;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

const runGit = (folder: string, args: readonly string[], env: Env, input: string): Promise<GitResult> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      // A file name with a star or a colon is a name.
      ["--literal-pathspecs", "-C", folder, ...args],
      {
        env: { ...env, GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" },
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT,
        encoding: "buffer",
      },
      (error, bytes, stderr) => {
        if (error !== null && typeof error.code !== "number") {
          const isAbsent = (error.code as unknown) === "ENOENT";
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

/** Runs git in a folder that need not be in a repository. */
export const gitIn =
  (folder: string, env: Env): Repository["run"] =>
  (args, input = "") =>
    runGit(folder, args, env, input);

/** The repository of the document; null where it is in none. */
export const findRepository = async (file: string, env: Env): Promise<Repository | null> => {
  const run = gitIn(dirname(file), env);
  const askBytes = async (args: readonly string[], input = "") => {
    const { code, bytes, stderr } = await run(args, input);
    if (code === 0) return bytes;
    throw new AgtmuxError("E_GIT_FAILED", `git ${args[0]}: ${firstLine(stderr) || `exit status ${code}`}`);
  };
  const ask = async (args: readonly string[], input?: string) => (await askBytes(args, input)).toString();
  const { code, stdout, stderr } = await run(["rev-parse", "--absolute-git-dir", "--is-inside-work-tree"]);
  if (code !== 0) {
    if (/not a git repository/.test(stderr)) return null;
    throw new AgtmuxError("E_GIT_FAILED", `git: ${firstLine(stderr)}`);
  }
  const [gitDir = "", isInside] = stdout.trim().split("\n");
  if (isInside !== "true") return null;
  return { file, spec: basename(file), gitDir, run, ask, askBytes };
};

export const requireRepository = async (file: string, env: Env): Promise<Repository> => {
  const found = await findRepository(file, env);
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
