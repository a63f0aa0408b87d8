// What git may take where it looks at a repository: every file of it is read, and any of them may have no end. On real git.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  existsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLocalFiles } from "../../core/targets/executors/localExecutor.ts";
import { lookCommand } from "../../features/workspaces/workTrees.ts";
import { settingsText, readRepository } from "../../features/workspaces/readRepository.ts";
import { readSources } from "../architecture/sources.ts";
import { measureSlowness } from "../setup/machine.ts";
import { git } from "../workspaces/hostileRepository.ts";

/** The bound, and room for what is mapped from files. */
const MAX_KB = 1_300 * 1024;
const POLL_MS = 15;
/** What git needs to fill the memory that it may have, as this machine computes. */
const LATE_MS = 10_000 * measureSlowness();

let root: string;
let workTree: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-bounds-")));
  workTree = join(root, "tree");
  mkdirSync(workTree);
  git(workTree, "init", "-q", "-b", "main");
  git(workTree, "commit", "-q", "--allow-empty", "-m", "one");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The most memory that a process of this group has had, in kB. */
const peakOf = (group: number): number => {
  let most = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
      if (Number(fields[2]) !== group) continue;
      const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      most = Math.max(most, Number(peak ?? 0));
    } catch {
      // It has ended.
    }
  return most;
};

it
  .runIf(process.platform === "linux")
  .each(["objects/info/alternates", "refs/heads/main", "packed-refs", "info/exclude", "shallow"])(
  "a device without end in the place of %s fills no memory, and the look ends",
  async (name) => {
    const repository = await readRepository(createLocalFiles(), workTree);
    const path = join(workTree, ".git", name);
    if (existsSync(path)) unlinkSync(path);
    symlinkSync("/dev/zero", path);
    const [program = "", ...words] = lookCommand({
      ...repository,
      folder: join(root, "look"),
      workTree,
      settings: settingsText(repository.settings, "main"),
      excludesFile: null,
    });
    const child = spawn(program, words, { detached: true, stdio: "ignore" });
    const ended = once(child, "close");
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, peakOf(child.pid ?? -1))), POLL_MS);
    const late = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), LATE_MS);
    await ended;
    clearInterval(timer);
    clearTimeout(late);
    expect(peak).toBeLessThan(MAX_KB);
    expect(child.signalCode).toBeNull();
  },
  2 * LATE_MS,
);

it("git is started nowhere without these bounds", () => {
  const sources = ["core", "features", "cli", "main"].flatMap(readSources);
  const starting = sources.filter(({ text }) =>
    /(?:spawn|execFile|run)\w*\(\s*\[?"git"|\bgit --no-pager\b|exec git\b/.test(text),
  );
  expect(starting.map(({ path }) => path).toSorted()).toEqual([
    "core/model/commandWords.ts",
    "features/workspaces/linkedWorktrees.ts",
    "features/workspaces/workTrees.ts",
  ]);
  for (const { path, text } of starting)
    expect([path, /GIT_BOUNDS|ENDABLE/.test(text)]).toEqual([path, true]);
});
