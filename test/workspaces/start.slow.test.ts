// Starting agents as people do, by the real command line on real tmux: where, on which branch, with which task or session; and what
// is refused.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { until } from "../setup/realClock.ts";
import { git } from "./hostileRepository.ts";
import { openStartHarness, type StartHarness } from "./startHarness.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
let harness: StartHarness;
let repository: string;
const folder = (name: string): string => {
  const path = join(harness.root, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

beforeAll(async () => {
  harness = await openStartHarness();
  repository = folder("shop-api");
  git(repository, "init", "-q", "-b", "main");
  writeFileSync(join(repository, "a.txt"), "one\n");
  writeFileSync(join(repository, ".gitignore"), ".received\n");
  git(repository, "add", ".");
  git(repository, "commit", "-q", "-m", "one");
});
afterAll(() => harness.close());

describe("agtmux start", () => {
  it("starts an agent that only the person's own shell finds, in this folder, and hands over the task", async () => {
    const here = folder("notes");
    const task = "write the notes\nof 'today' for $(whoami); #{pane_id}";
    const done = await harness.cli(here, "start", "claude", "--text", task);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).toContain("The task was sent.");
    expect(harness.starts().at(-1)).toEqual({ folder: here, args: "" });
    expect(harness.received(here)).toEqual([task]);
    const row = harness.agents().find(({ activity }) => activity?.folder === here);
    expect(row?.identity.session_name).toBe("notes");
    expect(await harness.tmux.run("list-buffers")).toBe("");
  });

  it("makes a worktree for a branch and works there, and says who shares a folder", async () => {
    const dry = await harness.cli(repository, "start", "claude", "--worktree", "feat/x", "--dry-run");
    expect(dry.stdout).toContain("Would make the worktree for the branch feat/x.");
    expect(existsSync(`${repository}-feat-x`)).toBe(false);
    const first = await harness.cli(
      repository,
      "start",
      "claude",
      "--worktree",
      "feat/x",
      "--session",
      "shop",
    );
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(harness.starts().at(-1)?.folder).toBe(`${repository}-feat-x`);
    await until(
      () => harness.agents().some(({ activity }) => activity?.branch === "feat/x"),
      "its branch is seen",
      20_000,
    );
    const second = await harness.cli(
      repository,
      "start",
      "claude",
      "--worktree",
      "feat/x",
      "--session",
      "shop",
    );
    expect(second.stdout).toMatch(/! it shares its folder with host:?\S*%\d+/);
    const windows = await harness.tmux.run("list-windows", "-t", "=shop:", "-F", "#{window_index}");
    expect(windows.split("\n")).toHaveLength(2);
  });

  it("stands beside a pane where that is asked", async () => {
    const here = folder("beside");
    const started = json((await harness.cli(here, "start", "claude", "--json")).stdout);
    const beside = json(
      (await harness.cli(here, "start", "claude", "--json", "--split", String(started["pane_id"]))).stdout,
    );
    expect(beside["session_name"]).toBe(started["session_name"]);
    const window = (id: unknown) =>
      harness.tmux.run("display-message", "-p", "-t", String(id), "#{window_id}");
    expect(await window(beside["pane_id"])).toBe(await window(started["pane_id"]));
  });

  it("takes names and folders to the letter, whatever tmux or a shell would make of them", async () => {
    const mark = join(harness.root, "mark");
    for (const name of [
      `#(touch ${mark})`,
      `$(touch mark) ; x`,
      'it\'s "a" `touch mark`;',
      "#{pane_id}#[fg=red]",
      "-d",
    ]) {
      const here = folder(`hostile/${name}`);
      const done = await harness.cli(
        here,
        "start",
        "claude",
        "--session",
        `s ${name.replaceAll(/[.:]/g, "_")}`,
      );
      expect([name, done.code, done.stderr]).toEqual([name, 0, ""]);
      expect(harness.starts().at(-1)?.folder).toBe(here);
      expect(existsSync(mark) || existsSync(join(here, "mark"))).toBe(false);
    }
  });

  it("does not let tmux crash where new windows have a manual size", async () => {
    const pid = await harness.tmux.serverPid();
    const crashes = /^3\.[3-6]/.test(await harness.tmux.run("display-message", "-p", "#{version}"));
    await harness.tmux.run("set-option", "-g", "window-size", "manual");
    const done = await harness.cli(folder("manual"), "start", "claude");
    await harness.tmux.run("set-option", "-gu", "window-size");
    expect([done.code, await harness.tmux.serverPid()]).toEqual([crashes ? 27 : 0, pid]);
    if (crashes) expect(done.stderr).toContain("crashes when a window is made");
  });

  it.each([
    ["an agent that nobody knows", ["nobody"], 2, "there is no agent 'nobody'"],
    ["a folder that is not there", ["claude", "--cwd", "/no/such"], 27, "there is no folder /no/such"],
    ["a branch outside of a repository", ["claude", "--worktree", "x"], 27, "isn't in a git repository"],
    ["a session id that is none", ["claude", "--resume", "-x;y"], 2, "isn't a session id"],
    ["an agent that cannot go on", ["gjc", "--resume", "abc"], 15, "doesn't know how to resume a session"],
    ["a machine that is not there", ["claude", "--target", "vm9"], 18, "there is no machine 'vm9'"],
    [
      "a session name that tmux would change",
      ["claude", "--session", "a:b"],
      2,
      "cannot be the name of a session",
    ],
    ["a base without a branch", ["claude", "--base", "main"], 2, "--base says where"],
    ["an empty task", ["claude", "--text", " "], 2, "the task is empty"],
  ])("refuses %s, and makes nothing", async (_name, args, code, why) => {
    const sessions = await harness.tmux.run("list-panes", "-a", "-F", "#{pane_id}");
    const done = await harness.cli(folder("plain"), "start", ...args);
    expect(done.code).toBe(code);
    expect(done.stderr).toContain(why);
    expect(await harness.tmux.run("list-panes", "-a", "-F", "#{pane_id}")).toBe(sessions);
  });
});
