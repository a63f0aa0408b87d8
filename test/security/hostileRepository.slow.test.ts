// A repository that an agent works in may hold any setting, attribute and hook. Looking at what has changed in it runs none of its
// programs and writes nothing into it, whatever it holds and however it changes meanwhile.
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { settingsText } from "../../features/workspaces/readRepository.ts";
import { lookCommand, parseLook, WorkTrees } from "../../features/workspaces/workTrees.ts";
import { ADD } from "../../features/workspaces/linkedWorktrees.ts";
import { realClock } from "../setup/realClock.ts";
import { git, makeHostileRepository, type HostileRepository } from "../workspaces/hostileRepository.ts";
import { localTarget } from "../workspaces/localTarget.ts";
import { partOf } from "../fakes/partOf.ts";

let root: string;
let hostile: HostileRepository;
let trees: WorkTrees;
let target: ReturnType<typeof localTarget>;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-hostile-")));
  hostile = makeHostileRepository(root);
  target = localTarget(root);
  trees = new WorkTrees(partOf({ target: () => target, clock: realClock, logger: SILENT_LOGGER }));
});
afterEach(async () => {
  await trees.close();
  rmSync(root, { recursive: true, force: true });
});

/** The look at its most trusting: nothing that was read of the repository keeps git from being asked. */
const lookAnyway = async (folder: string | null): Promise<string> => {
  const result = await target.run(
    lookCommand({
      folder,
      gitDir: join(hostile.path, ".git"),
      commonDir: join(hostile.path, ".git"),
      workTree: hostile.path,
      head: "ref: refs/heads/main",
      settings: settingsText(
        {
          facts: new Map(),
          upstreams: new Map([["main", { remote: "origin", merge: "refs/heads/main" }]]),
          obstacle: null,
        },
        "main",
      ),
      excludesFile: null,
    }),
    { timeoutMs: 10_000 },
  );
  expect(result).toMatchObject({ timedOut: false, stderr: "" });
  return result.stdout;
};

const NO_SETTINGS = { facts: new Map<string, string>(), upstreams: new Map<never, never>(), obstacle: null };
const CHANGES = { files: 2, added: 2, removed: 1, ahead: 1, behind: 0 };

/** Every file of git's folder with its content and time. */
const stateOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const stat = lstatSync(join(folder, name));
      return `${name} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(join(folder, name)).toString("base64") : ""}`;
    })
    .join("\n");

describe("a repository that wants its programs to be run", () => {
  it("gets them run by git itself", () => {
    try {
      git(hostile.path, "status");
      git(hostile.path, "diff", "HEAD");
    } catch {
      // Some of the programs make git fail.
    }
    expect(hostile.ran().length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ["in a folder that stays", (): string => join(root, "looks")],
    ["in a folder for one look", () => null],
  ])("gets none of them run, and nothing written, by a look %s", async (_name, folder) => {
    const before = stateOf(join(hostile.path, ".git"));
    expect(parseLook(await lookAnyway(folder())).changes).toEqual(CHANGES);
    expect(parseLook(await lookAnyway(folder())).changes).toEqual(CHANGES);
    expect(hostile.ran()).toEqual([]);
    expect(stateOf(join(hostile.path, ".git"))).toBe(before);
  });

  it("is not said to be known where its files go through a filter", async () => {
    expect(await trees.look({ target: "host", workTree: hostile.path }, 0)).toMatchObject({
      changes: null,
      reason: "its files go through a filter, and a filter is a program",
    });
    expect(hostile.ran()).toEqual([]);
  });

  it("gets none run though it puts on and takes off its settings while it is looked at", async () => {
    const config = join(hostile.path, ".git/config");
    const evil = readFileSync(config, "utf8");
    const good = "[core]\n\trepositoryformatversion = 0\n";
    for (let turn = 0; turn < 30; turn += 1) {
      writeFileSync(config, turn % 2 === 0 ? good : evil);
      const look = trees.look({ target: "host", workTree: hostile.path }, 0);
      const swap = setInterval(() => writeFileSync(config, evil), 1);
      await look;
      clearInterval(swap);
    }
    expect(hostile.ran()).toEqual([]);
  });

  it("gets none run by a submodule, nor by the folder that its .git file names", async () => {
    const inner = join(root, "inner");
    git(root, "init", "-q", "-b", "main", inner);
    git(inner, "commit", "-q", "--allow-empty", "-m", "one");
    const outer = join(root, "outer");
    git(root, "init", "-q", "-b", "main", outer);
    git(outer, "submodule", "add", "-q", inner, "sub");
    git(outer, "commit", "-q", "-m", "one");
    git(join(outer, "sub"), "config", "core.fsmonitor", hostile.program("submodule"));
    writeFileSync(join(outer, "sub/new"), "");
    const looked = { changes: { files: 0, added: 0, removed: 0, ahead: null, behind: null }, reason: null };
    expect(await trees.look({ target: "host", workTree: outer }, 0)).toMatchObject(looked);
    expect(await trees.look({ target: "host", workTree: join(outer, "sub") }, 0)).toMatchObject({
      changes: { files: 1 },
    });
    expect(hostile.ran()).toEqual([]);
  });

  it("cannot have a program of its own taken for git by a relative search path", async () => {
    writeFileSync(join(hostile.path, "git"), `#!/bin/sh\n: >"${join(root, "marks/own-git")}"\n`, {
      mode: 0o755,
    });
    const path = `.:${process.env["PATH"] ?? ""}`;
    const line = lookCommand({
      folder: null,
      gitDir: join(hostile.path, ".git"),
      commonDir: join(hostile.path, ".git"),
      workTree: hostile.path,
      head: "ref: refs/heads/main",
      settings: "",
      excludesFile: null,
    });
    execFileSync(line[0] ?? "", line.slice(1), { cwd: root, env: { ...process.env, PATH: path } });
    expect(hostile.ran()).toEqual([]);
  });

  it("gets none run by the making of a worktree, though nothing that was read of it keeps git from being asked", async () => {
    const path = join(root, "new");
    const words = [
      hostile.path,
      path,
      "new",
      "HEAD",
      join(hostile.path, ".git"),
      settingsText(NO_SETTINGS, "new"),
    ];
    const made = await target.run(["sh", "-c", ADD, "agtmux-worktree", ...words], { timeoutMs: 20_000 });
    expect(made).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(path, "file.txt"), "utf8")).toBe("one\ntwo\n");
    expect(hostile.ran()).toEqual([]);
  });

  it("cannot keep a look waiting by a pipe in the place of a file", async () => {
    const place = join(root, "piped");
    git(root, "init", "-q", "-b", "main", place);
    git(place, "commit", "-q", "--allow-empty", "-m", "one");
    rmSync(join(place, ".git/HEAD"));
    execFileSync("mkfifo", [join(place, ".git/HEAD")]);
    expect(await trees.look({ target: "host", workTree: place }, 0)).toMatchObject({ changes: null });
  });
});
