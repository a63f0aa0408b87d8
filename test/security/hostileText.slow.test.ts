// Names, titles, folders, screens and prompts that try to be commands: of tmux, a shell, a terminal, a page, a notification
// or a log. They lie in a real tmux, an agent shows them, and every way out of agtmux is looked at byte by byte.
/* oxlint-disable no-control-regex -- control characters are what this is about */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { toNotification } from "../../core/api/notifications/notificationScheduler.ts";
import { openLogFile, type LogFile } from "../../core/daemon/logFile.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { toNativeOptions } from "../../main/notifications.ts";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import type { Harness } from "../actions/actionHarness.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

/** Many processes are started one after the other, on machines that are busy with others. */
const LIMIT_MS = 60_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });

/** What would leave a file behind wherever it is run: tmux, shells, AppleScript, a page. */
const commandsOf = (folder: string): string => {
  const touch = (name: string) => `touch ${folder}/${name}`;
  return [
    `#(${touch("tmux-job")})`,
    `#{E:#{l:##(${touch("tmux-twice")})}}`,
    `$(${touch("shell")})`,
    `\`${touch("ticks")}\``,
    `';${touch("quote")};'`,
    `";${touch("double")};"`,
    `" & do shell script "${touch("apple")}" & "`,
    `<img src=x onerror=alert(1)>`,
    `#[fg=red]`,
    `%output %1`,
  ].join(" ");
};
/** What a terminal, a log or a reader would obey. */
const SEQUENCES = [
  "\u001b]0;owned\u0007",
  "\u001b]52;c;b3duZWQ=\u0007",
  "\u001bkowned\u001b\\",
  "\u001bP+q544e\u001b\\",
  "\u001b[2J",
  "\u009b31m",
  "\u009d0;owned\u009c",
  "\u0090owned\u009c",
  "\u202eowned\u2066",
  "\u2028",
  "\r",
  "\u0008",
].join("x");
const QUIET = "\u001b]52;c;b3duZWQ=\u0007\u009d2;x\u009c\u202eowned\u2066\u200f";
const STEERING =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

let root: string;
let traps: string;
let tmux: PrivateTmux;
let daemon: TestDaemon;
let log: LogFile;
let cli: CommandLine;
let asking: PaneView;
let hostile: string;
const closers: (() => Promise<unknown> | void)[] = [];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-host-"));
  traps = join(root, "traps");
  mkdirSync(traps);
  hostile = commandsOf(traps);
  const folder = join(root, "a #(touch b) $(c) `d` ';\" <i>");
  mkdirSync(folder);
  tmux = createPrivateTmux();
  closers.push(() => tmux.close());
  await tmux.run(
    "new-session",
    "-d",
    "-s",
    "base",
    "-x",
    "200",
    "-y",
    "50",
    "-c",
    literal(folder),
    "exec cat",
  );
  log = await openLogFile({ path: join(root, "log"), level: "debug", maxBytes: 10_000_000 });
  daemon = await startTestDaemon({ sockets: [tmux.socketPath], logger: log.logger });
  closers.push(() => daemon.close());
  const { service } = daemon.daemon;
  const harness: Harness = {
    tmux,
    daemon,
    service,
    open: async (command) => {
      const at = ["-c", literal(folder), "-n", literal(hostile.slice(0, 150)), "-t", "base:"];
      const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", ...at, command);
      const row = await daemon.until(paneId, () => true);
      return { ...row, identity: { ...row.identity, pane_id: paneId } };
    },
    request: () => {
      throw new Error("not asked for");
    },
    screen: (paneId) => tmux.run("capture-pane", "-p", "-t", paneId),
    close: () => Promise.resolve(),
  };
  const dialog = dialogOf("recordings/claude/waiting_approval", {
    options: ["Yes", "No"],
    digits: "too",
    // No sequence that would move what is around it: the dialog has to be one.
    replace: ["touch approved.txt", `echo <img src=x onerror=alert(1)> $(touch ${traps}/dialog) ${QUIET}`],
  });
  const pane = await openDialogs(harness, "claude", [dialog]);
  await tmux.run("rename-session", "-t", "base", literal(`s ${hostile}`));
  await tmux.run(
    "select-pane",
    "-t",
    pane.paneId,
    "-T",
    literal(`${hostile.slice(0, 300)} \u202eowned\u2066`),
  );
  // The trap was not sprung by setting it.
  noTrap();
  asking = await daemon.until(
    pane.paneId,
    (row) => row.identity.session_name.startsWith("s ") && row.title.includes("tmux-job"),
    LIMIT_MS,
  );
  closers.push(await serveDaemon({ daemon: daemon.daemon, paths: daemon.paths }));
  cli = openCommandLine(daemon.paths.home);
  closers.push(() => cli.close());
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

/** tmux expands the names that it is given. */
const literal = (text: string): string => text.replaceAll("#", "##");
const noTrap = (): void => expect(readdirSync(traps)).toEqual([]);
/** Every text in a document. */
const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)])
      : [];

it("reaches the daemon, in names, title and prompt: the rest looks at something", () => {
  const { identity, title, window_name, request } = asking;
  expect([identity.session_name, title, window_name, JSON.stringify(request)]).toEqual([
    expect.stringContaining("#("),
    expect.stringContaining("tmux-job"),
    expect.stringContaining("touch"),
    expect.stringContaining("touch"),
  ]);
  expect(textsIn(asking).filter((text) => STEERING.test(text))).toEqual([]);
});

describe("what a command prints", () => {
  const commands: [string, () => string[]][] = [
    ["list panes", () => ["list", "panes", "--all"]],
    ["list panes for scripts", () => ["list", "panes", "--plain"]],
    ["list windows", () => ["list", "windows"]],
    ["list sessions", () => ["list", "sessions"]],
    ["status", () => ["status"]],
    ["explain", () => ["explain", asking.identity.pane_ref]],
    ["view-output", () => ["view-output", asking.identity.pane_ref]],
    ["audit", () => ["audit"]],
    ["doctor", () => ["doctor"]],
    [
      "an error about the name",
      () => ["explain", `pane:host/${encodeURIComponent(`${hostile}${SEQUENCES}`)}/@9/%9`],
    ],
    ["an error about the word", () => ["explain", `${hostile}${SEQUENCES}`.replaceAll("\0", "")]],
    ["an unknown command", () => [SEQUENCES]],
  ];
  it.each(commands)("by %s steers no terminal and runs nothing", async (_what, args) => {
    const { stdout, stderr } = await cli.run(args());
    expect(stdout.length + stderr.length).toBeGreaterThan(0);
    // Tabs are between the columns for scripts.
    const lines = (stdout + stderr).replaceAll("\t", " ").split("\n");
    expect(lines.filter((line) => STEERING.test(line))).toEqual([]);
    noTrap();
  });

  it.each([
    ["list", "panes", "--all", "--json"],
    ["doctor", "--json"],
  ])("by %s %s is JSON whose texts hold nothing that steers", async (...args) => {
    const { stdout } = await cli.run(args.filter((word) => typeof word === "string"));
    const texts = textsIn(JSON.parse(stdout) as unknown);
    expect([texts.length > 3, texts.filter((text) => STEERING.test(text.replaceAll(/[\n\t]/g, "")))]).toEqual(
      [true, []],
    );
    noTrap();
  });

  it("by watch is one line of JSON an entry", async () => {
    const watching = cli.start(["watch", "--format", "jsonl"]);
    await until(() => watching.lines().length > 0, "a snapshot", LIMIT_MS);
    for (const line of watching.lines()) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(watching.lines().filter((line) => STEERING.test(line))).toEqual([]);
    watching.child.kill("SIGINT");
    await watching.finished;
  });

  it("by view-output with colours is text with colours, and no other sequence", async () => {
    const { stdout } = await cli.run(["view-output", asking.identity.pane_ref, "--ansi"]);
    const text = stdout.replaceAll(/\u001b\[[0-9;:]*m/g, "");
    expect(text.split("\n").filter((line) => STEERING.test(line))).toEqual([]);
  });

  it("by status for tmux is text to tmux: no job, no style of its own, whatever it is expanded by", async () => {
    const { stdout } = await cli.run(["status", "--format", "tmux"]);
    await tmux.run("set-option", "-g", "status-right", stdout.trim());
    const shown = await tmux.run("display-message", "-p", "#{T:status-right}");
    expect(shown).not.toMatch(/owned/);
    noTrap();
  });

  it("in a terminal moves the cursor and colours, and does nothing else to it", async () => {
    const raw = join(root, "terminal");
    const script = join(root, "watch.sh");
    writeFileSync(
      script,
      `export AGTMUX_HOME='${daemon.paths.home}' AGTMUX_NO_START=1\nunset NO_COLOR\n` +
        `'${process.execPath}' '${CLI_ENTRY}' list panes --all\nexec '${process.execPath}' '${CLI_ENTRY}' watch\n`,
    );
    const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "exec cat");
    await tmux.run("pipe-pane", "-t", paneId, "-O", `exec cat > '${raw}'`);
    await tmux.run("respawn-pane", "-k", "-t", paneId, "sh", script);
    const read = () => {
      try {
        return readFileSync(raw, "utf8");
      } catch {
        return "";
      }
    };
    // Once of the list, once of the table that follows.
    await until(
      () => read().split("tmux-job").length > 2 || read().split("s #(").length > 2,
      "both",
      LIMIT_MS,
    );
    await tmux.run("kill-pane", "-t", paneId);
    const text = read()
      .replaceAll(/\u001b\[[?0-9;]*[A-HJKSTfhlmsu]/g, "")
      .replaceAll(/\u001b[78]|\r/g, "");
    expect(text.split("\n").filter((line) => STEERING.test(line))).toEqual([]);
    noTrap();
  });
});

it("a notification is told as text, on systems that read markup too", () => {
  const notice = toNotification("n", asking, {
    kind: "waiting_approval",
    sound: "default",
    redact: (text: string) => text,
  });
  expect(notice.body).toContain("<img src=x");
  for (const platform of ["linux", "darwin"] as const) {
    const options = toNativeOptions(notice, platform);
    expect(textsIn(options).filter((text) => STEERING.test(text.replaceAll("\n", "")))).toEqual([]);
    if (platform === "linux") expect(`${options.title}${options.body}`).not.toMatch(/<[a-z/!?]/i);
  }
});

it("acting on the pane is acting on that pane, and runs nothing on the way", async () => {
  const { service } = daemon.daemon;
  const { items } = service.panes({ all: true });
  expect(items.length).toBeGreaterThan(0);
  const input = { ref: asking.identity.pane_ref, surface: "test", insideTmux: null, mayFocus: false };
  const plan = await service.prepareAttach({ ...input, guards: actionGuardsSchema.parse({}) });
  // Of the names none comes along: the pane goes by its ids.
  expect(JSON.stringify(plan.argv)).not.toContain("tmux-job");
  const refused = await cli.run(["send", asking.identity.pane_ref, "text"]);
  expect(refused.code).not.toBe(0);
  noTrap();
});

it("the log is one record a line, none of them forged", async () => {
  log.flush();
  const lines = readFileSync(join(root, "log"), "utf8").trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(line).not.toMatch(STEERING);
    expect((JSON.parse(line) as { level: unknown }).level).toEqual(expect.any(Number));
  }
  noTrap();
});
