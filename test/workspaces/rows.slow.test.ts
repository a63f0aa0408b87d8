// What a row says of the worktree that its agent works in, as people meet it: real tmux, real git, the real command line, on this
// machine and behind a real sshd.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openAgent } from "../actions/agentPane.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { createMovedClock, untilSooner, type MovedClock } from "../endurance/movedClock.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { openTargetHarness } from "../ssh/targetHarness.ts";
import { git, makeHostileRepository } from "./hostileRepository.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const WORK_MS = 20_000;

const openHere = async (): Promise<Harness & { readonly clock: MovedClock }> => {
  const clock = createMovedClock();
  return Object.assign(await openHarness({}, clock), { clock });
};

describe.each([
  ["this machine", openHere],
  ["a machine behind SSH", () => openTargetHarness("ssh2")],
] as const)("the rows of agents on %s", (where, open) => {
  const isRemote = where !== "this machine";
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-rows-")));
  const repository = join(root, "shop-api");
  let harness: Harness & { readonly clock: MovedClock };
  let cli: CommandLine;
  let stop: () => Promise<void>;
  const panes: Record<"main" | "inner" | "linked" | "hostile", string> = {
    main: "",
    inner: "",
    linked: "",
    hostile: "",
  };
  const hostile = makeHostileRepository(join(root, "h"));
  const rowOf = (pane: keyof typeof panes) =>
    harness.daemon.rows().find(({ identity }) => identity.pane_id === panes[pane]);

  beforeAll(async () => {
    mkdirSync(join(repository, "src"), { recursive: true });
    git(repository, "init", "-q", "-b", "main");
    writeFileSync(join(repository, "a.txt"), "one\ntwo\n");
    git(repository, "add", ".");
    git(repository, "commit", "-q", "-m", "one");
    git(repository, "worktree", "add", "-q", "-b", "split-refunds", join(root, "refunds"));
    writeFileSync(join(repository, "a.txt"), "one\n2\n3\n");
    writeFileSync(join(repository, "new.txt"), "");
    harness = await open();
    panes.main = (await openAgent(harness, {}, "one", repository)).paneId;
    panes.inner = (await openAgent(harness, {}, "two", join(repository, "src"))).paneId;
    panes.linked = (await openAgent(harness, {}, "three", join(root, "refunds"))).paneId;
    panes.hostile = (await openAgent(harness, {}, "four", hostile.path)).paneId;
    for (const pane of Object.values(panes))
      await harness.daemon.until(pane, ({ activity }) => (activity?.work_tree ?? null) !== null, WORK_MS);
    stop = await serveDaemon(harness.daemon);
    cli = openCommandLine(harness.daemon.paths.home);
  });
  afterAll(async () => {
    await cli?.close();
    await stop?.();
    await harness?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it("say who shares a worktree, without being asked to look", async () => {
    await until(() => rowOf("main")?.workspace?.shares_with.length === 1, "it is shared", WORK_MS);
    expect(rowOf("main")?.workspace).toMatchObject({
      changes: null,
      shares_with: [{ short_ref: rowOf("inner")?.short_ref }],
    });
    expect(rowOf("linked")?.workspace ?? null).toBeNull();
  });

  it("say what has changed there once somebody asks", async () => {
    const { stdout, stderr, code } = await cli.run([
      "list",
      "panes",
      "--plain",
      "--columns",
      "pane_id,branch,changes,changed_files,ahead,not_looked_at",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const line = (pane: keyof typeof panes): string[] =>
      stdout
        .split("\n")
        .find((one) => one.startsWith(`${panes[pane]}\t`))
        ?.split("\t")
        .slice(1) ?? [];
    expect(line("main")).toEqual(["main", "+2 \u{2212}1", "2", "-", "-"]);
    expect(line("inner")).toEqual(["main", "+2 \u{2212}1", "2", "-", "-"]);
    expect(line("linked")).toEqual(["split-refunds", "-", "0", "-", "-"]);
    expect(line("hostile")).toEqual([
      "main",
      "-",
      "-",
      "-",
      "its files go through a filter, and a filter is a program",
    ]);
    const json = await cli.run(["list", "--look", "--json"]);
    const items = (
      JSON.parse(json.stdout) as { items: { workspace: unknown; identity: { pane_id: string } }[] }
    ).items;
    expect(items.find(({ identity }) => identity.pane_id === panes.main)?.workspace).toMatchObject({
      changes: { files: 2, added: 2, removed: 1 },
    });
    const explained = await cli.run(["explain", rowOf("main")?.identity.pane_ref ?? ""]);
    expect(explained.stdout).toContain("2 changed");
    expect(explained.stdout).toContain(`shares folder with ${rowOf("inner")?.short_ref}`);
  });

  it("show line by line what has changed there, and why that cannot be told of the others", async () => {
    const asked = (pane: keyof typeof panes, ...more: string[]) =>
      cli.run(["changes", rowOf(pane)?.identity.pane_ref ?? "", ...more]);
    const { stdout, stderr, code } = await asked("main");
    expect([code, stderr]).toEqual([0, ""]);
    const commit = git(repository, "rev-parse", "--short=7", "HEAD").trim();
    expect(stdout.split("\n")).toEqual([
      `2 files +2 \u{2212}1 since the last commit (${commit})`,
      " a.txt    +2 \u{2212}1",
      " new.txt  +0 \u{2212}0  new, not in git",
      "",
      "diff --git a/a.txt b/a.txt",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,2 +1,3 @@",
      " one",
      "-two",
      "+2",
      "+3",
      "",
      "diff --git a/new.txt b/new.txt",
      "# +0 \u{2212}0 · new, not in git",
      "",
    ]);
    expect((await asked("linked")).stdout).toMatch(/^no changes since main \([0-9a-f]{7}\)\n$/);
    expect(JSON.parse((await asked("main", "--json")).stdout)).toMatchObject({
      base: { kind: "commit" },
      items: [{ added: 2, removed: 1 }, { is_untracked: true }],
    });
    const refused = await asked("hostile");
    expect(refused.stderr).toContain("its files go through a filter, and a filter is a program");
    expect(refused.code).not.toBe(0);
  });

  it("say what would be left when the agent is killed", async () => {
    await cli.run(["list", "--look"]);
    const refused = await cli.run(["kill", rowOf("main")?.identity.pane_ref ?? ""]);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain(`2 uncommitted files in ${repository}`);
  });

  if (isRemote)
    it("say what would be left when their machine is forgotten", async () => {
      const person = createPrivateTmux();
      const command = `env AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 '${process.execPath}' '${CLI_ENTRY}' target remove vm1; exec cat`;
      try {
        await person.run("new-session", "-d", "-x", "200", "-y", "30", "-s", "terminal", command);
        const screen = () => person.run("capture-pane", "-p", "-t", "terminal:");
        await until(async () => (await screen()).includes("[y/N]"), "it asks", WORK_MS);
        expect(await screen()).toContain(`! 2 uncommitted files in ${repository}`);
        await person.run("send-keys", "-t", "terminal:", "n", "Enter");
      } finally {
        await person.close();
      }
    });

  it("have worktrees of which only those go that are merged and clean", async () => {
    const place = ["--cwd", repository, ...(isRemote ? ["--target", "vm1"] : [])];
    const done = join(root, "done");
    git(repository, "worktree", "add", "-q", "-b", "done", done);
    writeFileSync(join(done, "left.txt"), "x");
    const listed = await cli.run(["worktree", "list", ...place]);
    expect([listed.code, listed.stdout.includes("split-refunds")]).toEqual([0, true]);
    const kept = await cli.run(["worktree", "remove", "done", "--yes", ...place]);
    expect(kept.code).not.toBe(0);
    expect(kept.stderr).toContain("1 of its files are not committed");
    rmSync(join(done, "left.txt"));
    const removed = await cli.run(["worktree", "remove", "done", "--yes", ...place]);
    expect([removed.code, removed.stderr, existsSync(done)]).toEqual([0, "", false]);
    expect(git(repository, "branch", "--list", "done")).toContain("done");
    const start = ["start", "claude", "--worktree", "next", "--dry-run", ...place];
    expect((await cli.run(start)).stdout).toContain("Would make the worktree for the branch next.");
  });

  it("follow what changes while a surface shows them", async () => {
    const showing = new AbortController();
    const shown = (async () => {
      const feed = harness.service.feed(
        { since: null, sinceTime: null, all: false, shown: true },
        showing.signal,
      );
      for await (const _entry of feed) if (showing.signal.aborted) return;
    })();
    writeFileSync(join(root, "refunds/b.txt"), "b\n");
    const isSeen = (): boolean => rowOf("linked")?.workspace?.changes?.files === 1;
    await untilSooner(harness.clock, isSeen, "it is seen", isRemote ? 45_000 : WORK_MS);
    showing.abort();
    await shown;
  });

  it("have run none of the repository's programs", () => {
    expect(hostile.ran()).toEqual([]);
  });

  it("say with whom their worktree conflicts once the setting is on; a command says it at any time", async () => {
    const ref = rowOf("linked")?.identity.pane_ref ?? "";
    const refused = await cli.run(["tell", ref, "--when", "conflict"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("agtmux config set conflicts true"),
    ]);
    const linked = join(root, "refunds");
    writeFileSync(join(linked, "a.txt"), "one\ntwo\nlinked\n");
    const [first, other] = ["main", "linked"].map(
      (pane) => rowOf(pane === "main" ? "main" : "linked")?.short_ref,
    );
    const said = async () => (await cli.run(["conflicts"])).stdout.split("\n").slice(0, 2);
    const between = (what: string) => [expect.stringMatching(new RegExp(`^.* and .* ${what}$`)), "  a.txt"];
    expect(await said()).toEqual(between("both edit, not committed yet:"));
    for (const folder of [repository, linked]) {
      git(folder, "add", "-A");
      git(folder, "commit", "-q", "-m", "two");
    }
    const lines = await said();
    expect(lines).toEqual(between("conflict in:"));
    for (const name of [first, other]) expect(lines[0]).toContain(name);
    expect(rowOf("main")?.workspace?.conflicts).toEqual([]);
    expect((await cli.run(["config", "set", "conflicts", "true"])).code).toBe(0);
    await until(() => rowOf("inner")?.workspace?.conflicts.length === 1, "it is marked", WORK_MS);
    expect(rowOf("main")?.workspace?.conflicts).toMatchObject([
      { kind: "merge", files: ["a.txt"], with: { branch: "split-refunds", work_tree: linked } },
    ]);
    expect(rowOf("linked")?.workspace?.conflicts).toMatchObject([{ with: { branch: "main" } }]);
    expect((await cli.run(["tell", ref, "--when", "conflict"])).stderr).toContain("nobody would hear it");
    await cli.run(["config", "set", "conflicts", "false"]);
    await until(
      () => (rowOf("main")?.workspace?.conflicts ?? []).length === 0,
      "it is no longer marked",
      WORK_MS,
    );
  });
});
