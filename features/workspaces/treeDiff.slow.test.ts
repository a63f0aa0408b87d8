// Against repositories that git itself makes.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import type { FileDiff } from "../../core/model/treeDiff.ts";
import { makePane } from "../../test/factories/view.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import { realClock } from "../../test/setup/realClock.ts";
import { git, makeHostileRepository } from "../../test/workspaces/hostileRepository.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import { diffOfRow } from "./treeDiff.ts";
import { WorkTrees } from "./workTrees.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-diff-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const target = localTarget(root);
const trees = new WorkTrees(partOf({ target: () => target, clock: realClock, logger: SILENT_LOGGER }));
afterAll(() => trees.close());

let count = 0;
let path: string;
const write = (name: string, text: string): void => writeFileSync(join(path, name), text);
const commit = (message: string): void => {
  git(path, "add", "-A");
  git(path, "commit", "-q", "--allow-empty", "-m", message);
};
const rowIn = (workTree: string | null, turnBeganAt: string | null = null) =>
  makePane({ activity: { folder: workTree, work_tree: workTree, turn_began_at: turnBeganAt } });
const changes = (workTree: string | null = path, turnBeganAt: string | null = null) =>
  diffOfRow(trees, target, rowIn(workTree, turnBeganAt));
const short = ({ identity, old_path: old, change, added, removed, is_untracked: isNew }: FileDiff): string =>
  [
    change,
    ...(old === null ? [] : [old]),
    identity.path,
    `+${added} -${removed}`,
    ...(isNew ? ["new"] : []),
  ].join(" ");
const linesOf = (file: FileDiff | undefined): string[] => file?.hunks.flatMap(({ lines }) => lines) ?? [];

beforeEach(() => {
  count += 1;
  path = join(root, `r${count}`);
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  write("a.txt", "one\ntwo\nthree\n");
  commit("one");
});

describe("what has changed in a worktree", () => {
  it("is what the branch and nobody else did: committed, not committed, and unknown to git", async () => {
    git(path, "checkout", "-q", "-b", "feat/x");
    write("a.txt", "one\n2\nthree\n");
    commit("two");
    write("b.txt", "new\n");
    git(path, "checkout", "-q", "main");
    write("m.txt", "of main\n");
    git(path, "add", "m.txt");
    git(path, "commit", "-q", "-m", "of main");
    git(path, "checkout", "-q", "feat/x");
    const before = execFileSync("find", [join(path, ".git"), "-type", "f"], { encoding: "utf8" });
    const found = await changes();
    expect(found.base).toEqual({
      kind: "branch",
      name: "main",
      commit: git(path, "rev-parse", "main~").trim(),
    });
    expect(found.items.map(short)).toEqual(["modified a.txt +1 -1", "added b.txt +1 -0 new"]);
    expect(linesOf(found.items[0])).toEqual([" one", "-two", "+2", " three"]);
    expect(found).toMatchObject({
      branch: "feat/x",
      left_out: [],
      summary: { files: 2, added: 2, removed: 1 },
    });
    // Nothing was written there.
    expect(execFileSync("find", [join(path, ".git"), "-type", "f"], { encoding: "utf8" })).toBe(before);
    expect(git(path, "status", "--porcelain")).toBe("?? b.txt\n");
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("tmp."))).toEqual([]);
  });

  it("is found where a file of the same size was written in the moment of the commit", async () => {
    write("a.txt", "one\ntwo\nTHREE\n");
    expect((await changes()).items.map(short)).toEqual(["modified a.txt +1 -1"]);
  });

  it("begins where the closest main branch was left, not at its own copy elsewhere", async () => {
    git(root, "clone", "-q", path, `${path}-clone`);
    path = `${path}-clone`;
    write("mine.txt", "mine\n");
    commit("mine");
    expect((await changes()).base).toMatchObject({ kind: "branch", name: "origin/main" });
    git(path, "checkout", "-q", "-b", "feat/y");
    write("y.txt", "y\n");
    commit("y");
    git(path, "push", "-q", "-u", "origin", "feat/y");
    git(path, "pack-refs", "--all");
    const found = await changes();
    expect(found.base.name).toBe("main");
    expect(found.items.map(short)).toEqual(["added y.txt +1 -0"]);
  });

  it("begins with the turn where there is no other branch, else with the last commit", async () => {
    expect((await changes()).base).toMatchObject({ kind: "commit", name: null });
    const past = new Date(Date.now() - 60_000).toISOString();
    rmSync(join(path, ".git/logs"), { recursive: true });
    process.env["GIT_COMMITTER_DATE"] = new Date(Date.now() - 120_000).toISOString();
    git(path, "commit", "-q", "--allow-empty", "-m", "old");
    delete process.env["GIT_COMMITTER_DATE"];
    const then = git(path, "rev-parse", "HEAD").trim();
    write("t.txt", "t\n");
    commit("in the turn");
    const found = await changes(path, past);
    expect(found.base).toEqual({ kind: "turn", name: null, commit: then });
    expect(found.items.map(short)).toEqual(["added t.txt +1 -0"]);
    expect((await changes()).items).toEqual([]);
  });

  it("is everything before the first commit", async () => {
    const empty = `${path}-empty`;
    git(root, "init", "-q", empty);
    writeFileSync(join(empty, "b.txt"), "b\n");
    const found = await changes(empty);
    expect(found.base).toEqual({ kind: "nothing", name: null, commit: null });
    expect(found.items.map(short)).toEqual(["added b.txt +1 -0 new"]);
  });

  it("names what is renamed, removed, binary or a link, also where git does not know the new file", async () => {
    write("gone.txt", "gone\n");
    write("long.txt", "line\n".repeat(50));
    write("link", "a file\n");
    commit("two");
    rmSync(join(path, "gone.txt"));
    rmSync(join(path, "link"));
    renameSync(join(path, "long.txt"), join(path, "moved.txt"));
    symlinkSync("/etc/passwd", join(path, "link"));
    writeFileSync(join(path, "x.bin"), Buffer.from([0, 1, 2]));
    const { items } = await changes();
    expect(items.map(short)).toEqual([
      "deleted gone.txt +0 -1",
      "retyped link +1 -1",
      "renamed long.txt moved.txt +0 -0 new",
      "added x.bin +null -null new",
    ]);
    expect(linesOf(items[1])).toEqual(["-a file", "+/etc/passwd", "\\ No newline at end of file"]);
    expect(items[3]?.is_binary).toBe(true);
  });

  it("takes no name and no line for anything else", async () => {
    const names = [
      'quote".txt',
      "new\nline",
      "tab\t.txt",
      "diff --git a b",
      "ünï.txt",
      "back\\slash",
      "-dash",
      "*",
      "a b/c d",
    ];
    mkdirSync(join(path, "a b"));
    for (const name of names) write(name, `${name}\n`);
    write("patch", "@@ -1 +1 @@\n--- a/x\n+++ b/x\ndiff --git a/a.txt b/a.txt\n\u001B[31m\r\n");
    write("a.txt", "one\n-- two\n++ three\n@@ -1 +1 @@\n");
    const { items } = await changes();
    expect(items.map(({ identity }) => identity.path).toSorted()).toEqual(
      [...names, "a.txt", "patch"].toSorted(),
    );
    for (const name of names)
      expect(linesOf(items.find(({ identity }) => identity.path === name)).join("\n")).toBe(
        `+${name}`.replaceAll("\n", "\n+"),
      );
    expect(linesOf(items.find(({ identity }) => identity.path === "patch"))).toContain("+\u001B[31m\r");
    expect(linesOf(items.find(({ identity }) => identity.path === "a.txt"))).toContain("+++ three");
  });

  it("stays within its bounds, says what it left out, and shows the rest", async () => {
    write("0-lines.txt", "x\n".repeat(11_000));
    write("1-*long.txt", `${"y".repeat(900_000)}\n${"z".repeat(100_000)}\n`);
    write("2-huge.txt", "h\n".repeat(800_000));
    for (let index = 0; index < 6; index += 1) write(`3-${index}.txt`, `${"w".repeat(900_000)}\n`);
    write("z.txt", "the rest\n");
    const { items } = await changes();
    const by = new Map(items.map((file) => [file.identity.path, file]));
    expect(by.get("0-lines.txt")).toMatchObject({
      added: 11_000,
      hunks: [],
      left_out: "11000 changed lines are too many to show",
    });
    expect(by.get("2-huge.txt")).toMatchObject({ is_binary: true, hunks: [] });
    expect(by.get("z.txt")?.left_out).toBe(null);
    expect(linesOf(by.get("z.txt"))).toEqual(["+the rest"]);
    expect(JSON.stringify(items).length).toBeLessThan(4_000_000);
    for (const line of items.flatMap((file) => linesOf(file))) expect(line.length).toBeLessThanOrEqual(1_001);
  });

  it("leaves out new files beyond a number, and repositories within", async () => {
    for (let index = 0; index < 305; index += 1) write(`f${index}`, "");
    git(path, "init", "-q", "inner");
    writeFileSync(join(path, "inner/x"), "x\n");
    const { items, left_out: leftOut } = await changes();
    expect(items).toHaveLength(300);
    expect(leftOut).toEqual(["5 new files that git does not know", "1 folder with a repository of its own"]);
  });

  it("says why where there is nothing to tell", async () => {
    await expect(changes(null)).rejects.toMatchObject({
      code: "E_WORKSPACE_REFUSED",
      message: expect.stringContaining("isn't in a git worktree"),
    });
    await expect(changes(join(root, "absent"))).rejects.toMatchObject({
      message: expect.stringContaining("there is no git repository"),
    });
    rmSync(join(path, ".git/index"));
    execFileSync("mkfifo", [join(path, ".git/index")]);
    await expect(changes()).rejects.toMatchObject({ message: expect.stringContaining("git cannot read it") });
  });

  it("runs no program of the repository", async () => {
    const hostile = makeHostileRepository(mkdtempSync(join(root, "h-")));
    const refused = await changes(hostile.path).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "E_WORKSPACE_REFUSED" });
    // What is left once those settings are gone for which nothing is said.
    for (const name of [
      "filter.evil.clean",
      "filter.evil.smudge",
      "filter.evil.required",
      "filter.evil2.process",
      "include.path",
    ])
      git(hostile.path, "config", "--unset", name);
    for (const section of ["filter.evil", "filter.evil2", "include"])
      try {
        git(hostile.path, "config", "--remove-section", section);
      } catch {
        // It went with its last entry.
      }
    writeFileSync(join(hostile.path, ".gitattributes"), "* diff=evil merge=evil\n");
    const { items } = await changes(hostile.path);
    expect(items.map(short)).toContain("modified file.txt +2 -1");
    expect(hostile.ran()).toEqual([]);
  });
});
