// Against repositories that git itself makes, and against what git itself says of them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { realClock } from "../../test/setup/realClock.ts";
import { git } from "../../test/workspaces/hostileRepository.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import { LOOK_STATUS, lookCommand, WorkTrees } from "./workTrees.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-trees-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const target = localTarget(root);
const trees = new WorkTrees(partOf({ target: () => target, clock: realClock, logger: SILENT_LOGGER }));
afterAll(() => trees.close());

let count = 0;
let path: string;
const look = async (workTree = path) => {
  const { changes, reason } = await trees.look({ target: "host", workTree }, 0);
  return changes ?? reason;
};
const write = (name: string, text: string): void => writeFileSync(join(path, name), text);
const NOTHING = { files: 0, added: 0, removed: 0, ahead: null, behind: null };

beforeEach(() => {
  count += 1;
  path = join(root, `r${count}`);
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  write("a.txt", "one\ntwo\n");
  git(path, "add", ".");
  git(path, "commit", "-q", "-m", "one");
});

describe("a look at a worktree", () => {
  it("counts files, and lines of those that git knows", async () => {
    expect(await look()).toEqual(NOTHING);
    write("a.txt", "one\n2\n3\n");
    write("new file\nwith a line.txt", "x\n");
    write("-dash", "x\n");
    expect(await look()).toEqual({ ...NOTHING, files: 3, added: 2, removed: 1 });
    git(path, "add", ".");
    expect(await look()).toEqual({ ...NOTHING, files: 3, added: 4, removed: 1 });
  });

  it("says how far a branch is from the one that it follows, also in another repository", async () => {
    git(root, "clone", "-q", path, `${path}-clone`);
    const clone = `${path}-clone`;
    expect(await look(clone)).toEqual({ ...NOTHING, ahead: 0, behind: 0 });
    git(clone, "commit", "-q", "--allow-empty", "-m", "mine");
    expect(await look(clone)).toEqual({ ...NOTHING, ahead: 1, behind: 0 });
    git(clone, "checkout", "-q", "--track", "-b", "feat/x", "main");
    git(clone, "commit", "-q", "--allow-empty", "-m", "two");
    expect(await look(clone)).toEqual({ ...NOTHING, ahead: 1, behind: 0 });
    git(clone, "pack-refs", "--all");
    expect(await look(clone)).toEqual({ ...NOTHING, ahead: 1, behind: 0 });
  });

  it("tells a linked worktree from the main one", async () => {
    git(path, "worktree", "add", "-q", "-b", "two", `${path}-two`);
    writeFileSync(join(`${path}-two`, "b.txt"), "b\n");
    expect(await look()).toEqual(NOTHING);
    expect(await look(`${path}-two`)).toEqual({ ...NOTHING, files: 1 });
  });

  it("works without a branch, and before the first commit", async () => {
    git(path, "checkout", "-q", "--detach");
    expect(await look()).toEqual(NOTHING);
    const empty = `${path}-empty`;
    git(root, "init", "-q", empty);
    writeFileSync(join(empty, "b.txt"), "b\n");
    expect(await look(empty)).toEqual({ ...NOTHING, files: 1, added: null, removed: null });
    git(empty, "add", ".");
    expect(await look(empty)).toEqual({ ...NOTHING, files: 1, added: null, removed: null });
  });

  it("leaves out what is ignored: by the project, by the repository, and by the person", async () => {
    write(".gitignore", "by-project\n");
    git(path, "add", ".");
    git(path, "commit", "-q", "-m", "two");
    writeFileSync(join(path, ".git/info/exclude"), "by-repository\n");
    mkdirSync(join(root, ".config/git"), { recursive: true });
    writeFileSync(join(root, ".config/git/ignore"), "by-person\n");
    for (const name of ["by-project", "by-repository", "by-person", "seen"]) write(name, "");
    expect(await look()).toEqual({ ...NOTHING, files: 1 });
  });

  it("takes over how line ends are kept", async () => {
    git(path, "config", "core.autocrlf", "true");
    write("a.txt", "one\r\ntwo\r\n");
    expect(git(path, "diff", "--numstat", "HEAD")).toBe("");
    expect(await look()).toMatchObject({ added: 0, removed: 0 });
    git(path, "config", "core.autocrlf", "false");
    expect(await look()).toMatchObject({ added: 2, removed: 2 });
  });

  it("reads repositories with long hashes", async () => {
    const long = `${path}-long`;
    git(root, "init", "-q", "--object-format=sha256", long);
    git(long, "commit", "-q", "--allow-empty", "-m", "one");
    expect(await look(long)).toEqual(NOTHING);
  });

  it("says why where it cannot tell", async () => {
    rmSync(join(path, ".git/HEAD"));
    expect(await look()).toBe("what is checked out cannot be read");
    rmSync(join(path, ".git"), { recursive: true });
    expect(await look()).toBe("there is no git repository any more");
    expect(await look(join(root, "never/there"))).toBe("there is no git repository any more");
  });

  it("ends, with all that it started, where a repository makes git wait for ever", async () => {
    const places = ["index", "refs/heads/main", "../.gitignore"];
    const looks = places.map(async (place, index) => {
      const trap = `${path}-trap${index}`;
      git(root, "clone", "-q", path, trap);
      const file = join(trap, ".git", place);
      rmSync(file, { force: true });
      execFileSync("mkfifo", [file]);
      for (const folder of [null, join(root, `look${index}`)]) {
        const command = lookCommand({ ...(await trees.inputOf("host", target, trap)), folder });
        // What git reads whole is looked at before: there it need not wait at all.
        const isSeen = place === "index";
        const { timedOut, exitCode } = await target.run(command, { timeoutMs: isSeen ? 10_000 : 300 });
        expect([place, timedOut]).toEqual([place, !isSeen]);
        if (isSeen) expect(exitCode).toBe(LOOK_STATUS.cannotRead);
      }
    });
    await Promise.all(looks);
    // The person's home stands in the arguments.
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(root);
  });

  it("of one place is made once at a time, and keeps nothing behind", async () => {
    const places = await Promise.all([look(), look(), look()]);
    expect(places).toEqual([NOTHING, NOTHING, NOTHING]);
    const other = new WorkTrees(partOf({ target: () => target, clock: realClock, logger: SILENT_LOGGER }));
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("agtmux-looks-"));
    await other.look({ target: "host", workTree: path }, 0);
    await other.close();
    const after = readdirSync(tmpdir()).filter((name) => name.startsWith("agtmux-looks-"));
    expect(after).toEqual(before);
  });

  it("says what git says of many states", async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      write(`f${turn % 3}.txt`, "line\n".repeat(turn));
      if (turn % 2 === 0) git(path, "add", "-A");
      if (turn % 5 === 4) git(path, "commit", "-q", "-m", String(turn));
      const status = git(path, "status", "--porcelain").split("\n").length - 1;
      const lines = git(path, "diff", "--numstat", "--no-renames", "HEAD").split("\n").slice(0, -1);
      const sum = (column: number): number =>
        lines.reduce((total, line) => total + Number(line.split("\t")[column]), 0);
      expect(await look(), `turn ${turn}`).toMatchObject({ files: status, added: sum(0), removed: sum(1) });
    }
  });
});
