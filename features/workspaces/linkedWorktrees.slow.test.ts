// Against worktrees that git itself makes, and with git's own word on what is there afterwards.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { makePane } from "../../test/factories/view.ts";
import { randomIds, realClock } from "../../test/setup/realClock.ts";
import { git } from "../../test/workspaces/hostileRepository.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import { WorkTrees } from "./workTrees.ts";
import { Worktrees } from "./linkedWorktrees.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-worktrees-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const target = localTarget(root);
const trees = new WorkTrees(partOf({ target: () => target, clock: realClock, logger: SILENT_LOGGER }));
afterAll(() => trees.close());
let rows: PaneView[] = [];
const worktrees = new Worktrees(
  partOf({ rows: partOf({ all: () => rows }), ids: { ...randomIds, next: (prefix) => prefix } }),
  trees,
);

let count = 0;
let top: string;
const beside = (branch: string): string => `${top}-${branch}`;
const add = (branch: string, base: string | null = null, isDryRun = false) =>
  worktrees.forBranch(target, top, { branch, base, isDryRun });
const remove = (wanted: string, more: { withIgnored?: boolean; isDryRun?: boolean } = {}) =>
  worktrees.remove("host", target, { top, wanted, withIgnored: false, isDryRun: false, ...more });
const keepsOf = async (branch: string): Promise<string[]> => {
  const { items } = await worktrees.list("host", target, top);
  return items.find((one) => one.branch === branch)?.keeps ?? ["it is not there"];
};

beforeEach(() => {
  rows = [];
  count += 1;
  top = join(root, `repo${count}`);
  mkdirSync(top);
  git(top, "init", "-q", "-b", "main");
  writeFileSync(join(top, "a.txt"), "one\n");
  writeFileSync(join(top, ".gitignore"), "ignored\n");
  git(top, "add", ".");
  git(top, "commit", "-q", "-m", "one");
});

describe("a worktree for a branch", () => {
  it("is made beside the repository, whole and clean as git sees it", async () => {
    expect(await add("feat/x", null, true)).toEqual({
      path: beside("feat-x"),
      branch: "feat/x",
      isNew: true,
    });
    expect(existsSync(beside("feat-x"))).toBe(false);
    expect(await add("feat/x")).toMatchObject({ isNew: true });
    expect(readFileSync(join(beside("feat-x"), "a.txt"), "utf8")).toBe("one\n");
    expect(git(beside("feat-x"), "status", "--porcelain", "--branch")).toBe("## feat/x\n");
    expect(git(top, "worktree", "list").split("\n")).toHaveLength(3);
    git(top, "fsck", "--strict");
  });

  it("is the one that there is, also from within another one, and of a branch that exists", async () => {
    git(top, "branch", "old");
    await add("old");
    expect(git(beside("old"), "rev-parse", "--abbrev-ref", "HEAD")).toBe("old\n");
    expect(await add("old")).toEqual({ path: beside("old"), branch: "old", isNew: false });
    expect(await add("main")).toEqual({ path: top, branch: "main", isNew: false });
    expect(
      await worktrees.forBranch(target, beside("old"), { branch: "two", base: null, isDryRun: false }),
    ).toEqual({ path: beside("two"), branch: "two", isNew: true });
  });

  it("begins where the person says", async () => {
    git(top, "commit", "-q", "--allow-empty", "-m", "two");
    await add("back", "HEAD~1");
    expect(git(beside("back"), "log", "--format=%s")).toBe("one\n");
    await expect(add("back2", "no-such")).rejects.toMatchObject({ code: "E_WORKSPACE_REFUSED" });
    expect(git(top, "branch", "--list", "back2")).toBe("");
    git(top, "branch", "there");
    await expect(add("there", "HEAD")).rejects.toThrow("the branch there exists already");
  });

  it.each(["-f", "a b", "a..b", "a/", "/a", "a.lock", ".a", "a//b", "a;b", "$(x)", "a\nb", ""])(
    "is refused for the name %j",
    async (branch) => {
      await expect(add(branch)).rejects.toMatchObject({ code: "E_USAGE" });
    },
  );

  it("is refused where a folder stands in its place, and outside of a repository", async () => {
    mkdirSync(beside("taken"));
    await expect(add("taken")).rejects.toThrow("is there already");
    mkdirSync(join(root, "none/.git"), { recursive: true });
    await expect(worktrees.topOf(target, join(root, "none"))).rejects.toMatchObject({
      code: "E_WORKSPACE_REFUSED",
    });
  });
});

describe("removing a worktree", () => {
  it("takes folder and entry of one that is merged and clean, and leaves its branch", async () => {
    await add("done");
    expect(await keepsOf("done")).toEqual([]);
    expect(await remove("done", { isDryRun: true })).toMatchObject({ path: beside("done"), ignored: [] });
    expect(existsSync(beside("done"))).toBe(true);
    await remove("done");
    expect(existsSync(beside("done"))).toBe(false);
    expect(git(top, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(top, "branch", "--list", "done")).toContain("done");
    git(top, "fsck", "--strict");
    await add("done");
    expect(git(beside("done"), "status", "--porcelain")).toBe("");
  });

  it.each([
    [
      "a changed file",
      (path: string) => writeFileSync(join(path, "a.txt"), "x"),
      "1 of its files are not committed",
    ],
    [
      "a new file",
      (path: string) => writeFileSync(join(path, "new"), "x"),
      "1 of its files are not committed",
    ],
    [
      "a staged file",
      (path: string) => {
        writeFileSync(join(path, "a.txt"), "x");
        git(path, "add", ".");
      },
      "1 of its files are not committed",
    ],
    [
      "a commit of its own",
      (path: string) => git(path, "commit", "-q", "--allow-empty", "-m", "own"),
      "it is not merged",
    ],
    ["a lock", (path: string) => git(path, "worktree", "lock", path), "it is locked"],
    [
      "a submodule",
      (path: string) => {
        git(path, "submodule", "add", "-q", top, "sub");
        git(path, "commit", "-q", "-m", "sub");
        git(top, "merge", "-q", "work");
      },
      "there are submodules in it",
    ],
    ["no HEAD", (path: string) => rmSync(join(path, ".git")), "it is not there"],
  ])("keeps one with %s", async (_name, change, why) => {
    await add("work");
    change(beside("work"));
    expect(await keepsOf("work")).toEqual([why]);
    await expect(remove("work")).rejects.toMatchObject({ code: "E_WORKSPACE_REFUSED" });
    expect(existsSync(join(beside("work"), "a.txt"))).toBe(true);
  });

  it("keeps the main one, one that an agent works in, and what is no worktree of it", async () => {
    await add("work");
    rows = [makePane({ pane: 7, activity: { folder: `${beside("work")}/src` } })];
    expect(await keepsOf("work")).toEqual(["an agent works in it (host/%7)"]);
    expect(await keepsOf("main")).toContain("it is the main one");
    for (const wanted of ["main", top, "work", root, join(root, "nothing")])
      await expect(remove(wanted)).rejects.toMatchObject({ code: "E_WORKSPACE_REFUSED" });
    expect(existsSync(join(top, "a.txt"))).toBe(true);
  });

  it("keeps one with ignored files until the person says that they may go", async () => {
    await add("work");
    writeFileSync(join(beside("work"), "ignored"), "secret\n");
    await expect(remove("work")).rejects.toThrow("there are ignored files in it: ignored");
    expect(await remove("work", { withIgnored: true, isDryRun: true })).toMatchObject({
      ignored: ["ignored"],
    });
    expect(existsSync(join(beside("work"), "ignored"))).toBe(true);
    await remove("work", { withIgnored: true });
    expect(existsSync(beside("work"))).toBe(false);
  });

  it("does not follow an entry that names a folder which does not name it", async () => {
    await add("work");
    const precious = join(root, `precious${count}`);
    mkdirSync(precious);
    writeFileSync(join(precious, ".git"), `gitdir: ${top}/.git/worktrees/other\n`);
    writeFileSync(join(top, `.git/worktrees/repo${count}-work/gitdir`), `${precious}/.git\n`);
    await expect(remove("work")).rejects.toMatchObject({ code: "E_WORKSPACE_REFUSED" });
    await expect(remove(precious)).rejects.toMatchObject({ code: "E_WORKSPACE_REFUSED" });
    expect(existsSync(precious)).toBe(true);
  });

  it("keeps what was changed between the look and the removal", async () => {
    await add("work");
    const path = beside("work");
    // The look finds it clean; directly before the script moves it, somebody writes into it.
    const racing = new Worktrees(
      partOf({ rows: partOf({ all: () => [] }), ids: { ...randomIds, next: (prefix) => prefix } }),
      trees,
    );
    const eager = {
      ...target,
      run: (argv: readonly string[], options: { timeoutMs: number }) => {
        if (argv.includes("agtmux-worktree") && argv[2]?.includes('mv -- "$4"') === true)
          writeFileSync(join(path, "late.txt"), "precious\n");
        return target.run(argv, options);
      },
    };
    await expect(
      racing.remove("host", eager, { top, wanted: "work", withIgnored: false, isDryRun: false }),
    ).rejects.toThrow("something changed in it meanwhile; it is where it was");
    expect(readFileSync(join(path, "late.txt"), "utf8")).toBe("precious\n");
    expect(git(path, "status", "--porcelain")).toBe("?? late.txt\n");
  });

  it("is not led out of it by a link", async () => {
    const precious = join(root, `linked${count}`);
    mkdirSync(precious);
    writeFileSync(join(precious, "file"), "precious\n");
    symlinkSync(precious, join(top, "link"));
    git(top, "add", ".");
    git(top, "commit", "-q", "-m", "link");
    await add("work");
    await remove("work");
    expect(readFileSync(join(precious, "file"), "utf8")).toBe("precious\n");
  });
});
