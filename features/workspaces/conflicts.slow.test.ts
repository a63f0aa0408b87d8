// Against repositories and worktrees that git itself makes.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { configSchema } from "../../core/model/config.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import { handClock } from "../../test/workspaces/handClock.ts";
import { git, makeHostileRepository } from "../../test/workspaces/hostileRepository.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import { Conflicts, parseMerges } from "./conflicts.ts";
import { WorkTrees, type WorkTreeKey } from "./workTrees.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-conflicts-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let path: string;
let count = 0;
let runs: string[] = [];
let isOn = true;
let changeConfig: () => void = () => {};
let show: (areShown: boolean) => void = () => {};
let news = 0;
let keys: WorkTreeKey[] = [];
let conflicts: Conflicts;
let trees: WorkTrees;
const target = localTarget(root);
const clock = handClock();

const write = (folder: string, name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const commit = (folder: string): void => {
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "--allow-empty", "-m", "more");
};
/** A worktree of the branch beside the repository. */
const worktree = (branch: string): string => {
  const folder = `${path}.${branch.replaceAll("/", "-")}`;
  git(path, "worktree", "add", "-q", "-b", branch, folder);
  return folder;
};
const watch = (...folders: string[]): void => {
  keys = folders.map((workTree) => ({ target: "host", workTree }));
};
const sideOf = ({ workTree }: WorkTreeKey) => ({ short_ref: workTree.replace(path, ""), place: "work:1.0" });
const found = async () =>
  (await conflicts.list(keys, sideOf)).items.map(
    ({ kind, files, sides }) =>
      `${sides.map(({ short_ref, branch }) => `${short_ref}(${branch})`).join(" ")} ${kind}: ${files.join(",")}`,
  );
const stateOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const stat = lstatSync(join(folder, name));
      return `${name} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(join(folder, name)).toString("base64") : ""}`;
    })
    .join("\n");

beforeEach(() => {
  count += 1;
  path = join(root, `r${count}`);
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  write(path, "a.txt", "one\ntwo\nthree\n");
  write(path, "b.txt", "b\n");
  commit(path);
  runs = [];
  isOn = true;
  news = 0;
  const context = partOf<ConstructorParameters<typeof Conflicts>[0]["context"]>({
    target: () => ({
      ...target,
      run: (words, options) => {
        runs.push(words[6] ?? "");
        return target.run(words, options);
      },
    }),
    clock,
    logger: SILENT_LOGGER,
    config: () => configSchema.parse({ conflicts: isOn }),
    onConfigChange: (listener) => {
      changeConfig = listener;
      return () => {};
    },
    rows: partOf({
      onShown: (listener: (areShown: boolean) => void) => {
        show = listener;
        return () => {};
      },
    }),
  });
  trees = new WorkTrees(context);
  conflicts = new Conflicts({ context, trees, keys: () => keys, onNews: () => (news += 1) });
});
afterEach(async () => {
  conflicts.close();
  await trees.close();
});

describe("worktrees of one repository", () => {
  it("conflict where their branches cannot be merged, each pair once, and not with what merges", async () => {
    const [left, right, apart] = [worktree("fix/left"), worktree("right"), worktree("apart")];
    write(left, "a.txt", "one\n2\nthree\n");
    write(left, "b.txt", "left\n");
    commit(left);
    write(right, "a.txt", "one\nTWO\nthree\n");
    write(right, "b.txt", "right\n");
    commit(right);
    write(apart, "c.txt", "new\n");
    commit(apart);
    watch(path, left, right, apart);
    expect(await found()).toEqual([".fix-left(fix/left) .right(right) merge: a.txt,b.txt"]);
    expect(conflicts.of({ target: "host", workTree: left }, sideOf)).toEqual([]);
  });

  it("conflict where both have changed one file, committed or not", async () => {
    const [left, right] = [worktree("left"), worktree("right")];
    write(left, "a.txt", "one\n2\nthree\n");
    write(left, "own.txt", "x\n");
    write(left, "new/one.txt", "x\n");
    write(right, "a.txt", "one\ntwo\n3\n");
    write(right, "new/two.txt", "x\n");
    write(right, "own of right.txt", "x\n");
    watch(left, right);
    expect(await found()).toEqual([".left(left) .right(right) uncommitted: a.txt"]);
  });

  it("say nothing of other repositories, of one that cannot be read, or of a worktree that has gone", async () => {
    const [left, right] = [worktree("left"), worktree("right")];
    const other = join(root, `other${count}`);
    mkdirSync(other);
    git(other, "init", "-q", "-b", "main");
    write(other, "a.txt", "other\n");
    commit(other);
    write(left, "a.txt", "1\n");
    commit(left);
    write(right, "a.txt", "2\n");
    commit(right);
    rmSync(right, { recursive: true });
    watch(left, right, other);
    const list = await conflicts.list(keys, sideOf);
    expect(list.items).toEqual([]);
    expect(list.not_looked_at).toMatchObject([{ work_tree: right }]);
  });

  it("are not called free of conflicts where that cannot be told: a branch without a commit, a pattern for its name, too many", async () => {
    const [left, right, odd] = [worktree("left"), worktree("fix(tax)"), worktree("odd")];
    write(left, "a.txt", "1\n");
    commit(left);
    write(right, "a.txt", "2\n");
    commit(right);
    git(odd, "checkout", "-q", "--orphan", "unborn");
    const named = worktree("named");
    writeFileSync(join(path, ".git", "worktrees", `r${count}.named`, "HEAD"), "ref: refs/heads/*\n");
    watch(left, right, odd, named);
    const list = await conflicts.list(keys, sideOf);
    expect(list.items).toMatchObject([
      { kind: "merge", sides: [{ branch: "fix(tax)" }, { branch: "left" }] },
    ]);
    expect([list.compared, list.not_looked_at.map(({ work_tree: folder }) => folder)]).toEqual([
      2,
      [named, odd],
    ]);
    watch(...Array.from({ length: 21 }, (_, index) => worktree(`many-${index}`)));
    const many = await conflicts.list(keys, sideOf);
    expect([many.compared, many.not_looked_at.length]).toEqual([20, 1]);
  });

  it("are named by what git says, whatever their files are called, also where they share no history", async () => {
    const name = 'ö"\n x\u001B[2J';
    const [left, right] = [worktree("left"), worktree("right")];
    write(left, name, "left\n");
    commit(left);
    git(right, "checkout", "-q", "--orphan", "alone");
    write(right, name, "right\n");
    commit(right);
    watch(left, right);
    const list = await conflicts.list(keys, sideOf);
    expect(list.items).toMatchObject([{ kind: "merge", files: [name], more_files: 0 }]);
  });

  it("are compared without a program of the repository's and without a word written into it, whatever it wants", async () => {
    const hostile = makeHostileRepository(mkdtempSync(join(root, "hostile-")));
    rmSync(join(hostile.path, ".git/info/attributes"));
    git(
      hostile.path,
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "core.fsmonitor=false",
      "commit",
      "-qam",
      "changed",
    );
    const other = `${hostile.path}.other`;
    git(
      hostile.path,
      "-c",
      "core.hooksPath=/dev/null",
      "worktree",
      "add",
      "-q",
      "-b",
      "other",
      other,
      "HEAD~1",
    );
    write(other, ".gitattributes", "* merge=evil diff=evil\n");
    write(other, "file.txt", "one\nelse\n");
    git(
      other,
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "core.fsmonitor=false",
      "-c",
      "core.attributesFile=/dev/null",
      "add",
      "-A",
    );
    git(other, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "commit", "-qm", "else");
    for (const file of hostile.ran()) rmSync(join(dirname(hostile.path), "marks", file));
    // The setting that keeps git from being asked at all is taken away for a moment, as a repository may do itself.
    const config = join(hostile.path, ".git/config");
    const evil = readFileSync(config, "utf8");
    writeFileSync(config, "[core]\n\trepositoryformatversion = 0\n");
    const before = stateOf(join(hostile.path, ".git"));
    watch(hostile.path, other);
    const list = conflicts.list(keys, sideOf);
    expect((await list).items).toMatchObject([{ kind: "merge", files: ["file.txt"] }]);
    expect(stateOf(join(hostile.path, ".git"))).toBe(before);
    writeFileSync(config, evil);
    expect((await conflicts.list(keys, sideOf)).items).toEqual([]);
    expect(hostile.ran()).toEqual([]);
  });

  it("are merged once for each pair of commits", async () => {
    const [left, right] = [worktree("left"), worktree("right")];
    write(left, "a.txt", "1\n");
    commit(left);
    write(right, "a.txt", "2\n");
    commit(right);
    watch(path, left, right);
    const merges = (): number => runs.filter((name) => name === "agtmux-conflicts").length;
    await found();
    const first = merges();
    expect(await found()).toHaveLength(1);
    // Only the commits were asked for.
    expect(merges() - first).toBe(1);
    write(right, "a.txt", "one\ntwo\nthree\n");
    commit(right);
    expect(await found()).toEqual([]);
    expect(merges() - first).toBe(3);
  });
});

describe("the marks of rows", () => {
  const settled = async (condition: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 500 && !condition(); turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(condition()).toBe(true);
  };

  it("are made only while the setting is on, and are taken back with it", async () => {
    const [left, right] = [worktree("left"), worktree("right")];
    write(left, "a.txt", "1\n");
    write(right, "a.txt", "2\n");
    watch(left, right);
    isOn = false;
    changeConfig();
    show(true);
    clock.advance(600_000);
    expect(runs).toEqual([]);
    isOn = true;
    changeConfig();
    clock.advance(1);
    await settled(() => news === 1);
    const of = (workTree: string) => conflicts.of({ target: "host", workTree }, sideOf);
    expect(of(left)).toMatchObject([
      { kind: "uncommitted", files: ["a.txt"], with: { branch: "right", work_tree: right } },
    ]);
    expect(of(right)).toMatchObject([{ with: { branch: "left", work_tree: left } }]);
    isOn = false;
    changeConfig();
    expect([of(left), news]).toEqual([[], 2]);
  });
});

it("reads what git prints of several merges", () => {
  const tree = "a".repeat(40);
  expect(parseMerges(`0\0${tree}\0f\0na me\0\x001\0${tree}\0\x000\0${tree}\0x\0\0`)).toEqual([
    ["f", "na me"],
    [],
    ["x"],
  ]);
  expect(parseMerges("")).toEqual([]);
});
