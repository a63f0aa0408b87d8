// The real command line as child processes, against a fake daemon behind a real socket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLI_ENTRY } from "./testing/cliEntry.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { watchLineSchema } from "../core/model/documents.ts";

let home: FakeHome;
let daemon: AnsweringDaemon;
beforeEach(() => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([
    makePane({ state: "running", windowName: "editor" }),
    makePane({ pane: 2, target: "vm1", state: "idle", version: 1 }),
  ]);
  daemon.setTargets([makeTarget(), makeTarget({ target: "vm1", kind: "ssh" })]);
});
afterEach(() => home.close());

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Record<string, unknown> => JSON.parse(line));

describe("lists", () => {
  test("into a pipe that closes early end quietly", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => makePane({ pane: index, state: "running" }));
    await home.serve(new AnsweringDaemon(many));
    const script = `node "$0" list panes --json | head -c 1; echo "status $?"`;
    const shell = spawn("bash", ["-o", "pipefail", "-c", script, CLI_ENTRY], {
      env: { ...process.env, AGTMUX_HOME: home.paths.home, AGTMUX_NO_START: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    shell.stdout.on("data", (chunk) => (stdout += String(chunk)));
    shell.stderr.on("data", (chunk) => (stderr += String(chunk)));
    await once(shell, "close");
    expect([stdout, stderr]).toEqual(["{status 0\n", ""]);
  });
});

describe("failures", () => {
  test("are one sentence with code and remedy, and the code's exit status", async () => {
    await home.serve(daemon);
    const { code, stdout, stderr } = await home.run(["explain", "pane:host/none/@1/%9"]);
    expect([code, stdout, stderr]).toEqual([
      3,
      "",
      "agtmux: nothing is at pane:host/none/@1/%9 [E_REF_NOT_FOUND]. List what is there with 'agtmux list --all'.\n",
    ]);
  });

  test("are JSON on stderr with --json", async () => {
    await home.serve(daemon);
    const { code, stdout, stderr } = await home.run(["explain", "runtime:none", "--json"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      schema_version: "1.0",
      error: { code: "E_REF_NOT_FOUND", message: "nothing is at runtime:none", exit_code: 3 },
    });
  });

  test.each([
    { args: ["lst"], says: "unknown command 'lst' [E_USAGE]. Did you mean 'list'?" },
    {
      args: ["approve", "%2"],
      says: "unknown command 'approve' [E_USAGE]. Did you mean 'agtmux answer <ref> --approve'?",
    },
    {
      args: ["send", "%2", "hello"],
      says: "too many arguments for 'send'. Expected 1 argument but got 2: %2, hello [E_USAGE]. Put the text after --text, in quotes.",
    },
    { args: ["list", "pane"], says: "'list' does not take 'pane' [E_USAGE]. Did you mean 'list panes'?" },
    {
      args: ["list", "agents", "--all"],
      says: "'list' does not take 'agents' [E_USAGE]. Say panes, windows or sessions after 'list'.",
    },
    {
      args: ["daemon"],
      says: "'daemon' needs a second word [E_USAGE]. Say run, status or stop after 'daemon'.",
    },
    { args: ["target", "rm", "vm1"], says: "'target' does not take 'rm' [E_USAGE]. Say add, connect, " },
    {
      args: ["attach"],
      says: "missing required argument 'ref' [E_USAGE]. See 'agtmux help attach' for the command's form.",
    },
    {
      args: ["list", "panes", "--target", "a", "--all-targets"],
      says: "--target and --all-targets exclude each other [E_USAGE]. See 'agtmux help list panes'",
    },
    {
      args: ["list", "panes", "--stat", "idle"],
      says: "unknown option '--stat' [E_USAGE]. Did you mean '--state'?",
    },
    { args: ["list", "panes", "--state", "busy"], says: "--state: unknown state 'busy' [E_USAGE]." },
    { args: ["list", "sessions", "--group-by", "x"], says: "--group-by: unknown value 'x' [E_USAGE]." },
    { args: ["watch", "--format", "xml"], says: "--format: unknown value 'xml' [E_USAGE]." },
    { args: ["watch", "--since", "5", "--scope", "windows"], says: "--since marks panes" },
    { args: ["watch", "--format", "jsonl", "--sort", "age"], says: "--sort and --columns are for tables" },
    { args: ["integrate", "claude", "--verify", "--uninstall"], says: "--verify stands alone" },
    { args: ["frobnicate"], says: "unknown command 'frobnicate' [E_USAGE]. See 'agtmux help'" },
  ])("of use: $args", async ({ args, says }) => {
    const { code, stderr } = await home.run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`agtmux: ${says}`);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("without a daemon that may not be started", async () => {
    const { code, stderr } = await home.run(["list", "panes"]);
    expect([code, stderr]).toEqual([
      8,
      "agtmux: the daemon is not running [E_DAEMON_UNAVAILABLE]. Start it with 'agtmux daemon run' or see its log.\n",
    ]);
  });

  test("with a daemon of another protocol", async () => {
    daemon.greeting = { ...daemon.greeting, version: "7.0.0", protocol: 7 };
    await home.serve(daemon);
    const { code, stderr } = await home.run(["list", "panes"]);
    expect(code).toBe(9);
    expect(stderr).toMatch(/this is agtmux \d+\.\d+\.\d+ .* daemon is 7\.0\.0 .*\[E_DAEMON_VERSION\]/);
    expect((await home.run(["daemon", "status"])).stdout).toContain("agtmux 7.0.0");
  });

  test.runIf(process.geteuid?.() === 0)("with a socket of another user", async () => {
    await home.serve(daemon);
    chownSync(home.paths.socket, 65_534, 65_534);
    const { code, stderr } = await home.run(["list", "panes"]);
    expect(code).toBe(10);
    expect(stderr).toContain("it belongs to another user [E_SOCKET_UNSAFE]");
  });

  test("with something else in the socket's place", async () => {
    writeFileSync(home.paths.socket, "");
    expect((await home.run(["list", "panes"])).code).toBe(10);
  });
});

test("help and --version need no home and no daemon", async () => {
  const env = { AGTMUX_HOME: `/${"x".repeat(200)}` };
  const [help, version, verb] = await Promise.all([
    home.run([], env),
    home.run(["--version"], env),
    home.run(["help", "watch"], env),
  ]);
  expect([help.code, version.code, verb.code]).toEqual([0, 0, 0]);
  expect(help.stdout).toContain("Usage: agtmux");
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(verb.stdout).toContain("--since <when>");
  expect((await home.run(["list", "panes"], env)).code).toBe(2);
});

describe("actions", () => {
  test("attach hands over to the daemon's command and leaves with its status", async () => {
    daemon.attachArgv = ["sh", "-c", 'echo "here with TMUX=$TMUX"; exit 7'];
    await home.serve(daemon);
    const { code, stdout } = await home.run(["attach", "runtime:rt1", "--if-state", "running"], {
      TMUX: "/tmp/other,1,0",
    });
    expect([code, stdout]).toEqual([7, "here with TMUX=\n"]);
    expect(daemon.asked).toMatchObject([
      {
        action: "prepareAttach",
        input: {
          ref: "runtime:rt1",
          surface: "cli",
          insideTmux: "/tmp/other,1,0",
          guards: { ifState: "running" },
        },
      },
    ]);
  });

  test("attach that is refused runs nothing", async () => {
    daemon.attachArgv = ["sh", "-c", "echo ran"];
    await home.serve(daemon);
    const env = { TMUX: "/tmp/other,1,0" };
    const refused = await home.run(["attach", "runtime:rt1", "--if-state", "idle"], env);
    expect([refused.code, refused.stdout]).toEqual([5, ""]);
    const noTerminal = await home.run(["attach", "runtime:rt1"]);
    expect([noTerminal.code, noTerminal.stderr]).toEqual([
      2,
      "agtmux: attach needs a terminal [E_USAGE]. Run it in a terminal, or inside tmux.\n",
    ]);
  });

  test("attach without tmux says so", async () => {
    daemon.attachArgv = ["/nonexistent/tmux"];
    await home.serve(daemon);
    const { code, stderr } = await home.run(["attach", "runtime:rt1"], { TMUX: "/tmp/other,1,0" });
    expect(code).toBe(14);
    expect(stderr).toContain("cannot run /nonexistent/tmux [E_TMUX_MISSING]");
  });

  test("dismiss and explain go to the daemon", async () => {
    await home.serve(daemon);
    expect((await home.run(["dismiss", "runtime:rt1"])).stdout).toBe("Dismissed host/%1.\n");
    expect(daemon.asked).toMatchObject([{ action: "dismiss", input: { ref: "runtime:rt1" } }]);
    const { stdout } = await home.run(["explain", "pane:host/work/@1/%1"]);
    expect(stdout).toContain("because the newest evidence of the turn");
    expect(stdout).toMatch(/won +▸ running +hook +UserPromptSubmit/);
    expect(stdout).toContain(
      "Screen now\n  shows running (thinking) by: esc to interrupt\n    22  ❯\n    …\n  > 24    esc",
    );
  });

  test("integrate shows the change and writes nothing without a yes", async () => {
    await home.serve(daemon);
    const dry = await home.run(["integrate", "claude", "--dry-run"]);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      "/home/me/.agent/settings.json\n+ agtmux\n\nNothing was changed (--dry-run).\n",
    ]);
    const unasked = await home.run(["integrate", "claude"]);
    expect([unasked.code, unasked.stderr]).toEqual([
      6,
      "agtmux: install changes 1 file of claude [E_CONFIRMATION_REQUIRED]. Repeat with --yes to confirm.\n",
    ]);
    expect(daemon.asked.map(({ input }) => input)).toMatchObject([{ dryRun: true }, { dryRun: true }]);
    const done = await home.run(["integrate", "claude", "--yes"]);
    expect(done.stdout).toContain("claude is integrated.");
    expect(daemon.asked.at(-1)).toMatchObject({ input: { action: "install", dryRun: false } });
    const removed = await home.run(["integrate", "claude", "--uninstall", "--yes", "--json"]);
    expect(JSON.parse(removed.stdout)).toMatchObject({
      schema_version: "1.0",
      action: "uninstall",
      applied: true,
    });
  });

  test("integrate alone lists the agents with what can be done", async () => {
    await home.serve(daemon);
    const one = {
      name: "",
      folder: "/h/.agent",
      missing: [],
      problems: [],
      steps: [],
      lastRealEventAt: null,
    };
    daemon.integrationList = async () => [
      { ...one, agent: "claude", state: "installed", lastRealEventAt: new Date().toISOString() },
      { ...one, agent: "codex", state: "installed" },
      { ...one, agent: "gemini", state: "absent" },
      { ...one, agent: "pi", state: "partial", missing: ["Stop"] },
      { ...one, agent: "omp", state: "unclear", problems: ["settings.json is not JSON"] },
    ];
    const { code, stdout } = await home.run(["integrate"]);
    expect([code, stdout.split("\n").map((line) => line.replace(/ {2,}/g, "  "))]).toEqual([
      0,
      [
        "AGENT  STATE  LAST EVENT  WHAT CAN BE DONE",
        expect.stringMatching(/^claude {2}installed {2}\S+ ago$/),
        "codex  installed  none yet  agtmux integrate codex --verify",
        "gemini  not installed  none yet  agtmux integrate gemini",
        "pi  partly installed  none yet  agtmux integrate pi --repair",
        "omp  settings cannot be read  none yet  agtmux integrate omp --dry-run",
        "  settings.json is not JSON",
        "",
      ],
    ]);
    expect((await home.run(["integrate", "--uninstall"])).stderr).toContain(
      "integrate needs an agent for that [E_USAGE]. 'agtmux integrate' lists the agents",
    );
  });

  test("integrate --verify tells the three facts apart", async () => {
    await home.serve(daemon);
    const good = await home.run(["integrate", "claude", "--verify"]);
    expect([good.code, good.stdout]).toEqual([
      0,
      "✓ entries present\n✓ delivery: a test event arrived in 12 ms\n· last real event: none yet\n",
    ]);
    daemon.integrationVerify = async ({ agent }) => ({
      agent,
      entriesPresent: false,
      missing: ["Stop"],
      problems: ["hooks are switched off"],
      steps: [],
      deliveryWorks: true,
      deliveryDetail: "fine",
      lastRealEventAt: null,
    });
    const bad = await home.run(["integrate", "claude", "--verify"]);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain("✗ entries missing: Stop\n  hooks are switched off\n");
  });

  test("daemon status and stop speak with what is there", async () => {
    const stop = await home.serve(daemon);
    const status = await home.run(["daemon", "status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      running: true,
      pid: process.pid,
      protocol: 1,
      host: "test",
    });
    await stop();
    const stopped = await home.run(["daemon", "stop"]);
    expect([stopped.code, stopped.stdout]).toEqual([0, "No daemon was running.\n"]);
    const absent = await home.run(["daemon", "status", "--json"]);
    expect([absent.code, JSON.parse(absent.stdout)]).toMatchObject([8, { running: false }]);
  });

  test("daemon stop leaves the desktop app alone", async () => {
    daemon.greeting = { ...daemon.greeting, host: "app" };
    await home.serve(daemon);
    const { code, stderr } = await home.run(["daemon", "stop"]);
    expect(code).toBe(15);
    expect(stderr).toContain("Quit the app to stop it.");
  });
});

describe("watch --format jsonl", () => {
  test("prints one entry per line, goes on after a restart from its last version, and ends cleanly on Ctrl-C", async () => {
    const stop = await home.serve(daemon);
    const watching = home.start(["watch", "--format", "jsonl"]);
    await vi.waitFor(() => expect(watching.stdout()).toContain('"snapshot"'), { timeout: 10_000 });
    const pane = makePane({ state: "completed" });
    daemon.put(pane);
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(2));

    await stop();
    await vi.waitFor(() => expect(watching.stderr()).toContain("the daemon is gone"));
    // The changes that the next daemon has stored: versions 2 (seen), 3 and 4 (not seen).
    const next = new AnsweringDaemon([makePane({ state: "running" })]);
    next.put(pane);
    next.put(makePane({ state: "running" }));
    await home.serve(next);
    next.put(makePane({ state: "idle" }));

    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(4), { timeout: 10_000 });
    watching.child.kill("SIGINT");
    const { code, stdout } = await watching.finished;
    expect(code).toBe(130);
    const lines = linesOf(stdout);
    expect(lines.map(({ kind, version, schema_version }) => [kind, version, schema_version])).toEqual([
      ["snapshot", 1, "1.0"],
      ["state", 2, "1.0"],
      ["state", 3, "1.0"],
      ["state", 4, "1.0"],
    ]);
    for (const line of lines) watchLineSchema.parse(line);
  });

  test("--since a version with --once prints what came after it and ends", async () => {
    daemon.put(makePane({ state: "completed" }));
    daemon.put(makePane({ state: "idle", reason: "demoted" }));
    await home.serve(daemon);
    const after = async (since: string) => {
      const { code, stdout } = await home.run(["watch", "--format", "jsonl", "--once", "--since", since]);
      return [code, linesOf(stdout).map(({ version }) => version)];
    };
    expect(await after("1")).toEqual([0, [2, 3]]);
    expect(await after("2")).toEqual([0, [3]]);
    expect(await after("3")).toEqual([0, []]);
    expect(await after("2026-01-01T00:00:00Z")).toEqual([0, [2, 3]]);
    expect(await after("2030-01-01T00:00:00Z")).toEqual([0, []]);
  });

  test("--target shows only what belongs to it", async () => {
    await home.serve(daemon);
    const watching = home.start(["watch", "--format", "jsonl", "--target", "vm1"]);
    await vi.waitFor(() => expect(watching.stdout()).toContain('"snapshot"'), { timeout: 10_000 });
    daemon.put(makePane({ state: "completed" }));
    daemon.remove("pane:vm1/work/@1/%2");
    await vi.waitFor(() => expect(watching.stdout()).toContain('"removed"'));
    watching.child.kill("SIGTERM");
    const { code, stdout } = await watching.finished;
    expect(code).toBe(0);
    const [snapshot, ...rest] = linesOf(stdout).map((line) => watchLineSchema.parse(line));
    if (snapshot?.kind !== "snapshot") throw new Error("a snapshot comes first");
    expect(snapshot.panes.map((pane) => pane.identity.target)).toEqual(["vm1"]);
    expect(snapshot.summary.total).toBe(1);
    expect(rest).toMatchObject([
      {
        kind: "removed",
        identity: {
          target: "vm1",
          tmux_server: "default",
          session_name: "work",
          window_id: "@1",
          pane_id: "%2",
          pane_ref: "pane:vm1/work/@1/%2",
          runtime_id: "rt2",
        },
      },
    ]);
  });

  test("with filters tells a row that no longer fits as removed, and nothing of the others", async () => {
    daemon.put(makePane({ state: "waiting_approval" }));
    await home.serve(daemon);
    const watching = home.start(["watch", "--format", "jsonl", "--needs-action"]);
    await vi.waitFor(() => expect(watching.stdout()).toContain('"snapshot"'), { timeout: 10_000 });
    daemon.put(makePane({ state: "running" }));
    await vi.waitFor(() => expect(watching.stdout()).toContain('"removed"'));
    daemon.put(makePane({ state: "completed" }));
    daemon.put(makePane({ state: "waiting_input" }));
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(3));
    watching.child.kill("SIGTERM");
    const { stdout } = await watching.finished;
    const lines = linesOf(stdout).map((line) => watchLineSchema.parse(line));
    expect(lines.map(({ kind }) => kind)).toEqual(["snapshot", "removed", "state"]);
    expect(lines[1]).toMatchObject({ identity: { target: "host", session_name: "work", pane_id: "%1" } });
  });

  test("--scope windows asks once for a burst of changes, and prints all of it", async () => {
    const windows = Array.from({ length: 40 }, (_, index) => ({
      window: index + 10,
      pane: index + 10,
    }));
    const asked = vi.spyOn(daemon, "windows");
    await home.serve(daemon);
    const watching = home.start(["watch", "--format", "jsonl", "--scope", "windows"]);
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(2), { timeout: 10_000 });
    asked.mockClear();
    for (const { window, pane } of windows) daemon.put(makePane({ state: "running", window, pane }));
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(2 + windows.length), {
      timeout: 10_000,
    });
    // A busy machine may take the burst apart, but never into its changes.
    expect(asked.mock.calls.length).toBeLessThan(5);
    watching.child.kill("SIGINT");
    const { stdout } = await watching.finished;
    expect(
      linesOf(stdout)
        .slice(2)
        .map(({ kind }) => kind),
    ).toEqual(windows.map(() => "window"));
  });

  test("--scope windows prints the rows that changed, and those that went", async () => {
    await home.serve(daemon);
    const watching = home.start(["watch", "--format", "jsonl", "--scope", "windows"]);
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(2), { timeout: 10_000 });
    daemon.put(makePane({ state: "completed" }));
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(3));
    daemon.remove("pane:vm1/work/@1/%2");
    await vi.waitFor(() => expect(linesOf(watching.stdout())).toHaveLength(4));
    watching.child.kill("SIGINT");
    const { stdout } = await watching.finished;
    expect(linesOf(stdout).map(({ kind, version }) => [kind, version])).toEqual([
      ["window", 1],
      ["window", 1],
      ["window", 2],
      ["removed", 3],
    ]);
    expect(linesOf(stdout).at(-1)?.["identity"]).toMatchObject({ target: "vm1", window_id: "@1" });
  });
});

describe("watch as a table", () => {
  test("draws again when something changed, also after a restart", async () => {
    const stop = await home.serve(daemon);
    const watching = home.start(["watch", "--target", "host"]);
    await vi.waitFor(() => expect(watching.stdout()).toContain("▸ running"), { timeout: 10_000 });
    daemon.put(makePane({ state: "waiting_input" }));
    await vi.waitFor(() => expect(watching.stdout()).toContain("? needs answer"));
    await stop();
    await vi.waitFor(() => expect(watching.stdout()).toContain("The daemon is gone"));
    await home.serve(new AnsweringDaemon([makePane({ state: "completed" })]));
    await vi.waitFor(() => expect(watching.stdout()).toContain("✓ done"), { timeout: 10_000 });
    watching.child.kill("SIGINT");
    expect((await watching.finished).code).toBe(130);
  });

  test("--once prints it once", async () => {
    await home.serve(daemon);
    const { code, stdout } = await home.run(["watch", "--once", "--scope", "sessions"]);
    expect(code).toBe(0);
    expect(stdout.match(/2 sessions/g)).toHaveLength(1);
  });
});
