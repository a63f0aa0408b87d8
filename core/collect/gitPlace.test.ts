// Against the folders that git itself makes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createLocalFiles } from "../targets/executors/localExecutor.ts";
import { NO_PLACE, readGitPlace } from "./workWatch.ts";

const git = (cwd: string, ...args: string[]): void => {
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd, stdio: "ignore" });
};
const files = createLocalFiles();
const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-git-")));
const repository = join(root, "repository");
mkdirSync(join(repository, "src/deep"), { recursive: true });
git(repository, "init", "-q", "-b", "main");
git(repository, "commit", "-q", "--allow-empty", "-m", "one");
git(repository, "worktree", "add", "-q", "-b", "fix/it", join(root, "beside"));
git(root, "clone", "-q", "--bare", repository, join(root, "bare.git"));
git(join(root, "bare.git"), "worktree", "add", "-q", "-b", "two", join(root, "of-bare"));

it.each([
  [
    "the top of a worktree",
    repository,
    { repository: "repository", branch: "main", worktree: null, workTree: repository },
  ],
  [
    "a folder deep in it",
    join(repository, "src/deep"),
    { repository: "repository", branch: "main", worktree: null, workTree: repository },
  ],
  [
    "a linked worktree",
    join(root, "beside"),
    { repository: "repository", branch: "fix/it", worktree: "beside", workTree: join(root, "beside") },
  ],
  ["a folder outside of any", root, NO_PLACE],
  ["a folder that is not there", join(root, "gone/away"), NO_PLACE],
  [
    "a worktree of a bare repository",
    join(root, "of-bare"),
    { repository: "bare", branch: "two", worktree: "of-bare", workTree: join(root, "of-bare") },
  ],
])("names repository, branch and worktree of %s", async (_name, folder, place) => {
  expect(await readGitPlace(files, folder)).toEqual(place);
});

it("names no branch where none is checked out", async () => {
  git(repository, "checkout", "-q", "--detach");
  expect(await readGitPlace(files, repository)).toEqual({
    ...NO_PLACE,
    repository: "repository",
    workTree: repository,
  });
});

it("says nothing where files cannot be read", async () => {
  const broken = { ...files, stat: () => Promise.reject(new Error("EACCES")) };
  expect(await readGitPlace(broken, repository)).toEqual(NO_PLACE);
});
