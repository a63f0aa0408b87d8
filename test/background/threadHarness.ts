// Codex with its background server, as 0.169.0 writes its files: locks of the threads that the server has loaded, rollouts, the note of
// its process; a program `codex` that stands for a terminal of it, hooks as the server runs them, and a daemon on real tmux.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { loadRecording } from "../../adapters/testkit/recordings.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { dialogOf } from "../actions/dialogPane.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { dropEvent } from "../harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { DIALOGS, FIXTURES } from "./backgroundHarness.ts";

export const PROMPT = "make the file that was asked for";
const OPTIONS = ["Yes, proceed", "Yes, and don't ask again", "No, and tell Codex"];
const MINUTE_MS = 60_000;

export let tmux: PrivateTmux;
export let daemon: TestDaemon;
/** Where the server's process runs; it holds the locks. */
let machine: PrivateTmux;
let serverPid: number;
let sequence = 0;

const codexHome = (): string => join(daemon.home, ".codex");

/** A thread's id holds the time of its beginning, as a UUID of version 7 does. */
export const newThread = (): string => {
  sequence += 1;
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(sequence).padStart(12, "0")}`;
};

const rolloutOf = (id: string): string => {
  const day = new Date().toISOString().slice(0, 10);
  const folder = join(codexHome(), "sessions", ...day.split("-"));
  mkdirSync(folder, { recursive: true });
  return join(folder, `rollout-${day}T10-00-00-${id}.jsonl`);
};

const line = (id: string, type: string, payload: object): void =>
  appendFileSync(
    rolloutOf(id),
    `${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`,
  );

/** The server loads it: a lock that a process of the server's holds, as far as this system tells. */
export const load = async (id: string, { holder }: { holder?: "another" } = {}): Promise<void> => {
  const lock = join(codexHome(), "thread-writer-locks", `${id}.lock`);
  mkdirSync(join(codexHome(), "thread-writer-locks"), { recursive: true });
  if (process.platform !== "linux") return writeFileSync(lock, "");
  if (holder === "another") {
    await machine.run("new-window", "-d", `exec flock ${lock} sleep 1000`);
    return;
  }
  // Each lock is of the one process: it makes and takes those that a file names.
  const order = join(daemon.home, "locks", id);
  writeFileSync(order, lock);
  await vi.waitFor(() => expect(existsSync(order)).toBe(false), { timeout: 10_000 });
};
export const drop = (id: string): void => rmSync(join(codexHome(), "thread-writer-locks", `${id}.lock`));

/** The first turn begins. */
export const prompted = (id: string, { source = "vscode" } = {}): void => {
  line(id, "session_meta", { id, cwd: daemon.home, source, thread_source: "user" });
  line(id, "event_msg", { type: "task_started", turn_id: "t1" });
  line(id, "event_msg", { type: "user_message", message: PROMPT });
};
export const called = (id: string): void =>
  line(id, "response_item", { type: "function_call", name: "exec_command", arguments: "{}", call_id: "c1" });
export const ended = (id: string): void => line(id, "event_msg", { type: "task_complete", turn_id: "t1" });

/** Hooks run in the server, with the environment of a pane that is gone. */
export const hook = (id: string, event: string, payload: object = {}): void => {
  const header = `agtmux-event 1\nagent=codex\nevent=${event}\ntmux=/tmp/gone,1,0\npane=%99\nppid=${serverPid}\n\n`;
  const body = { session_id: id, hook_event_name: event, transcript_path: rolloutOf(id), cwd: daemon.home };
  const text = header + JSON.stringify({ ...body, permission_mode: "default", ...payload });
  dropEvent(daemon.paths.spool, `${Date.now()}-${String((sequence += 1)).padStart(6, "0")}`, text);
};
const TOOL = { tool_name: "Bash", tool_use_id: "call_1", tool_input: { command: "touch approved.txt" } };
const REASON = "Lab wants to run this outside the sandbox";
export const asks = (id: string): void => {
  called(id);
  hook(id, "PreToolUse", TOOL);
  hook(id, "PermissionRequest", { ...TOOL, tool_input: { ...TOOL.tool_input, description: REASON } });
};
export const toolEnded = (id: string): void => hook(id, "PostToolUse", TOOL);

/** A terminal of Codex in a new window, by the title of its process; gives its pane. */
export const openTerminal = (args = ""): Promise<string> => {
  const script = join(daemon.home, "terminal.mjs");
  writeFileSync(script, "process.title = process.argv[2]; setInterval(() => console.log(), 1_000);");
  const command = `HOME=${daemon.home} exec ${process.execPath} ${script} '${`codex ${args}`.trim()}'`;
  return tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-c", daemon.home, "-t", "base:", command);
};

/** A terminal in which a thread was begun, which its hooks have tied to the pane. */
export const beginIn = async (id: string): Promise<string> => {
  const pane = await openTerminal();
  await daemon.until(pane, ({ agent }) => agent === "codex");
  await load(id);
  prompted(id);
  hook(id, "UserPromptSubmit", { prompt: PROMPT });
  await daemon.until(pane, ({ agent_session_id }) => agent_session_id === id);
  return pane;
};

export const inBackground = (): PaneView[] =>
  daemon.rows().filter(({ background, state }) => background !== null && state !== null);
export const found = (
  id: string,
  condition: (row: PaneView) => boolean,
  limitMs?: number,
): Promise<PaneView> => daemon.until(`bg-${id}`, condition, limitMs);
export const approving = (row: PaneView) => ({
  ref: row.identity.pane_ref,
  guards: actionGuardsSchema.parse({ ifPrompt: row.prompt_fingerprint }),
  surface: "test",
  choice: { kind: "approve" as const },
  idempotencyKey: null,
});

/** What `codex resume` shows, and only in the thread's own folder; gives the file with what was chosen. */
export const showDialog = async (): Promise<string> => {
  const chosen = join(daemon.home, "chosen");
  const bin = join(daemon.home, "bin");
  mkdirSync(bin, { recursive: true });
  const rest = loadRecording(join(FIXTURES, "recordings", "codex"), "completed");
  const dialogs = [
    dialogOf("recordings/codex/waiting_approval", { options: OPTIONS, digits: "too", mark: "›" }),
  ];
  const options = JSON.stringify({
    dialogs,
    last: { text: rest.text, title: rest.title, cursor: rest.cursor },
  });
  writeFileSync(join(daemon.home, "options.json"), options);
  const shown = `exec ${process.execPath} ${DIALOGS} ${chosen} "$(cat ${join(daemon.home, "options.json")})"`;
  const there = `[ "$(pwd -P)" = "$(cd ${daemon.home} && pwd -P)" ] || exec sleep 1000\n`;
  writeFileSync(join(bin, "codex"), `#!/bin/sh\n${there}${shown}\n`);
  await chmod(join(bin, "codex"), 0o755);
  writeFileSync(join(daemon.home, ".profile"), `PATH=${bin}:$PATH\n`);
  return chosen;
};
export const chosenIn = (path: string): unknown =>
  existsSync(path) ? JSON.parse(readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "") : null;

export const killServer = (): boolean => process.kill(serverPid, "SIGKILL");

/** One process that is called as the server is, and takes a lock on each file that is named to it. */
const startServer = async (): Promise<void> => {
  const orders = join(daemon.home, "locks");
  mkdirSync(orders, { recursive: true });
  const script = join(daemon.home, "server.py");
  writeFileSync(
    script,
    `import fcntl, os, sys, time
held = []
while True:
    for name in os.listdir(sys.argv[1]):
        path = os.path.join(sys.argv[1], name)
        with open(path) as order: target = order.read()
        if target:
            held.append(open(target, "a"))
            fcntl.flock(held[-1], fcntl.LOCK_EX)
            os.remove(path)
    time.sleep(0.02)
`,
  );
  const words = `python3 ${script} ${orders} codex app-server --managed-daemon`;
  serverPid = Number(
    await machine.run("new-window", "-d", "-P", "-F", "#{pane_pid}", "-t", "machine:", `exec ${words}`),
  );
  mkdirSync(join(codexHome(), "app-server-daemon"), { recursive: true });
  writeFileSync(join(codexHome(), "app-server-daemon", "daemon.pid"), JSON.stringify({ pid: serverPid }));
};

/** To be called once in a test file: everything is new in each test. */
export const useThreads = (): void => {
  beforeEach(async () => {
    tmux = createPrivateTmux();
    await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
    daemon = await startTestDaemon({ sockets: [tmux.socketPath], env: { SHELL: "/bin/sh" } });
    machine = createPrivateTmux();
    await machine.run("new-session", "-d", "-s", "machine", "exec sleep 1000");
    await startServer();
  }, MINUTE_MS);
  afterEach(async () => {
    await daemon.close();
    await Promise.all([tmux.close(), machine.close()]);
  });
};
