// Background sessions: events of their hooks, answers on a screen of our own, attach, stop, lists, and files that say too little.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { loadRecording } from "../../adapters/testkit/recordings.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { startTestDaemon } from "../harness/daemon.ts";
import { createRouterCaller } from "../../core/rpc/messageBridge.ts";
import { dialogOf } from "../actions/dialogPane.ts";
import {
  OPTIONS,
  ID,
  SESSION,
  PLACE,
  tmux,
  supervisor,
  daemon,
  worker,
  tell,
  busy,
  asks,
  hook,
  found,
  acting,
  showDialogs,
  showBox,
  FIXTURES,
  askFor,
  approving,
  installClaude,
  useBackground,
} from "./backgroundHarness.ts";

useBackground();

it("gets the events of its hooks by its session, and never lends them to a pane that they name", async () => {
  const pane = await tmux.run("display-message", "-p", "-t", "base:", "#{pane_id}");
  busy();
  await found(({ state }) => state === "running");
  const place = { tmux: `${tmux.socketPath},${await tmux.serverPid()},0`, pane };
  const ask = { tool_name: "Bash", tool_input: { command: "rm -rf build && make" }, tool_use_id: "toolu_1" };
  hook("PermissionRequest", { payload: ask, ...place });
  asks();
  const row = await found(({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(row.request).toMatchObject({ body: "rm -rf build && make" });
  expect(daemon.rows().filter(({ state }) => state !== null)).toHaveLength(1);
  // Claude Code sends it some seconds later, also for a question; it names no request.
  hook("Notification", {
    payload: { notification_type: "permission_prompt", message: "Claude needs your permission" },
  });
  await found(({ prompt_fingerprint }) => prompt_fingerprint !== null);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(daemon.rows().find(({ background }) => background !== null)?.request).toMatchObject({
    body: "rm -rf build && make",
    is_whole: true,
  });
  tell({ status: "idle" }, { state: "working", tempo: "idle", detail: "hello" });
  hook("Stop");
  await found(({ state }) => state === "completed");
}, 20_000);

it("takes no key from here: what needs its screen is refused with what to do", async () => {
  asks();
  const row = await found(({ state }) => state === "waiting_approval");
  const { service } = daemon.daemon;
  const refused = { code: "E_UNSUPPORTED", remedy: expect.stringContaining(`attach ${PLACE}`) as string };
  await expect(
    service.answer({ ...acting(row), choice: { kind: "approve" }, idempotencyKey: null }),
  ).rejects.toMatchObject(refused);
  await expect(
    service.send({ ...acting(row), text: "yes", pressEnter: true, toShell: false, idempotencyKey: null }),
  ).rejects.toMatchObject(refused);
  await expect(service.interrupt(acting(row))).rejects.toMatchObject(refused);
}, 20_000);

const rest = async () => {
  tell({ status: "idle" }, { state: "working", tempo: "idle", detail: "hello" });
  return found(({ state }) => state === "completed" || state === "idle");
};
const working = (): string => {
  const path = join(daemon.home, "working.txt");
  writeFileSync(path, loadRecording(join(FIXTURES, "recordings", "claude"), "running").text);
  return path;
};
const noScreenIsLeft = (): void =>
  expect(readdirSync(daemon.paths.home).filter((name) => name.startsWith("screen-"))).toEqual([]);

it("takes a text on a screen of its own, and submits it", async () => {
  const received = await showBox();
  const row = await rest();
  const { service } = daemon.daemon;
  const typed = { text: "and now the tests", toShell: false, idempotencyKey: null };
  // A draft would be gone with the screen.
  await expect(service.send({ ...acting(row), ...typed, pressEnter: false })).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
  });
  const sending = service.send({ ...acting(row), ...typed, pressEnter: true });
  await vi.waitFor(() => expect(received()).toBe('"and now the tests"'), 10_000);
  busy();
  expect(await sending).toMatchObject({ outcome: "delivered" });
  noScreenIsLeft();
}, 30_000);

it("takes no text where a dialog is drawn that its files do not tell", async () => {
  const chosen = await showDialogs([
    dialogOf("recordings/claude/waiting_approval", { options: OPTIONS, digits: "too" }),
  ]);
  const row = await rest();
  const typed = { text: "1", toShell: false, idempotencyKey: null, pressEnter: true };
  await expect(daemon.daemon.service.send({ ...acting(row), ...typed })).rejects.toMatchObject({
    code: "E_STALE_SNAPSHOT",
    message: expect.stringContaining("did not show an empty input box within 3 s") as string,
  });
  expect(existsSync(chosen)).toBe(false);
  noScreenIsLeft();
}, 30_000);

it("is interrupted on a screen of its own, where that shows its turn", async () => {
  const received = await showBox({ working: working() });
  busy();
  const row = await found(({ state }) => state === "running");
  const interrupting = daemon.daemon.service.interrupt(acting(row));
  await vi.waitFor(() => expect(received()).toBe("escape"), 10_000);
  await rest();
  expect(await interrupting).toMatchObject({ outcome: "delivered" });
  noScreenIsLeft();
}, 30_000);

it("is left out of a list of panes, which says so; sessions have it as a group of its machine", async () => {
  busy();
  await found(({ state }) => state === "running");
  const { service } = daemon.daemon;
  const panes = service.panes({ background: false });
  expect([panes.items, panes.summary.total]).toEqual([[], 0]);
  expect(panes.hints).toEqual([expect.stringContaining("--background")]);
  expect(service.panes({}).summary.total).toBe(1);
  expect(service.windows({}).items).toEqual([]);
  expect(service.sessions({}).items).toMatchObject([
    { identity: { target: "host", session_name: "background" }, agent_count: 1 },
  ]);
}, 20_000);

it("stays while its file is half written, and goes with its process when it rested", async () => {
  busy();
  await found(({ state }) => state === "running");
  const file = join(daemon.home, ".claude", "sessions", `${worker.pid}.json`);
  writeFileSync(file, '{"pid": 12');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(daemon.rows().find(({ background }) => background !== null)).toMatchObject({ state: "running" });
  tell({ status: "idle" }, { state: "working", tempo: "idle", detail: "hello" });
  await found(({ state }) => state === "completed");
  process.kill(worker.pid, "SIGKILL");
  await daemon.untilGone(PLACE);
  expect(existsSync(file)).toBe(true);
}, 20_000);

it("that asked something when its process was killed does not vanish: it crashed, until it is dismissed or goes on", async () => {
  asks();
  await found(({ state }) => state === "waiting_approval");
  process.kill(worker.pid, "SIGKILL");
  const crashed = await found(({ reason_code }) => reason_code === "crashed");
  expect(crashed).toMatchObject({ state: "error", needs_action: true, request: null });
  await daemon.restart();
  expect(await found(({ reason_code }) => reason_code === "crashed")).toMatchObject({
    short_ref: `host/${PLACE}`,
  });
  // Its supervisor begins it again in another process.
  const again = Number(
    await supervisor.run("new-session", "-d", "-P", "-F", "#{pane_pid}", "-s", "again", "exec sleep 1000"),
  );
  tell({ status: "busy" }, { state: "working", tempo: "active" }, again);
  await found(({ state }) => state === "running");
  expect(daemon.rows().filter(({ background }) => background !== null)).toHaveLength(1);
}, 30_000);

it("that the agent itself ended is gone at once", async () => {
  busy();
  await found(({ state }) => state === "running");
  tell({ status: "busy" }, { state: "stopped", tempo: "idle", detail: "stopped" });
  rmSync(join(daemon.home, ".claude", "sessions", `${worker.pid}.json`));
  process.kill(worker.pid, "SIGTERM");
  await daemon.untilGone(PLACE);
}, 20_000);

it("that is kept in reserve for the next one is none", async () => {
  tell({ status: "idle", spare: true }, { state: "working", tempo: "idle" });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(daemon.rows().filter(({ background }) => background !== null)).toEqual([]);
}, 20_000);

it("of a process that has the pid of another one by now is none", async () => {
  tell({ status: "busy", startedAt: Date.now() - 3_600_000 }, { state: "working", tempo: "active" });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(daemon.rows().filter(({ background }) => background !== null)).toEqual([]);
}, 20_000);

it("is approved on a screen of its own, which is gone afterwards", async () => {
  const dialog = dialogOf("recordings/claude/waiting_approval", { options: OPTIONS, digits: "too" });
  const chosen = await showDialogs([dialog]);
  const row = await askFor("touch approved.txt");
  expect(row.request).toMatchObject({ body: "touch approved.txt", is_whole: true, options: [] });
  const answering = daemon.daemon.service.answer(approving(row));
  await vi.waitFor(() => expect(existsSync(chosen)).toBe(true), 10_000);
  busy();
  expect(await answering).toMatchObject({ outcome: "delivered" });
  expect(JSON.parse(readFileSync(chosen, "utf8").trim().split("\n").at(-1) ?? "")).toEqual([
    dialog.name,
    OPTIONS[0],
  ]);
  expect(readdirSync(daemon.paths.home).filter((name) => name.startsWith("screen-"))).toEqual([]);
}, 30_000);

it("takes no key where its screen shows another request, or none", async () => {
  const replace = ["touch approved.txt", "touch another.txt"] as const;
  const other = dialogOf("recordings/claude/waiting_approval", { options: OPTIONS, digits: "too", replace });
  const chosen = await showDialogs([other]);
  const row = await askFor("touch approved.txt");
  const { service } = daemon.daemon;
  await expect(service.answer(approving(row))).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
  await showDialogs([]);
  await expect(service.answer(approving(row))).rejects.toMatchObject({
    code: "E_STALE_SNAPSHOT",
    message: expect.stringContaining("did not show a dialog within 3 s") as string,
  });
  expect(existsSync(chosen)).toBe(false);
  expect(readdirSync(daemon.paths.home).filter((name) => name.startsWith("screen-"))).toEqual([]);
}, 30_000);

it("that goes on in another process leaves the file of the first behind, which changes nothing", async () => {
  busy();
  await found(({ state }) => state === "running");
  const second = spawn("sleep", ["1000"], { stdio: "ignore" });
  try {
    tell({ status: "idle" }, { state: "working", tempo: "idle", detail: "hello" }, second.pid);
    await found(({ state }) => state === "idle" || state === "completed");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const rows = daemon.rows().filter(({ background }) => background !== null);
    expect(rows).toMatchObject([{ background: { id: ID }, agent: "claude" }]);
    expect(new Set(daemon.timeline(PLACE)).has("running")).toBe(true);
    expect(daemon.timeline(PLACE).lastIndexOf("running")).toBe(daemon.timeline(PLACE).indexOf("running"));
  } finally {
    second.kill("SIGKILL");
  }
}, 20_000);

it("is opened in a new window of the caller's session, and by a command of a terminal elsewhere", async () => {
  const log = await installClaude();
  for (const [name, value] of [
    ["HOME", daemon.home],
    ["SHELL", "/bin/sh"],
  ] as const)
    await tmux.run("set-environment", "-g", name, value);
  busy();
  const row = await found(({ state }) => state === "running");
  const { service } = daemon.daemon;
  const session = await tmux.run("display-message", "-p", "-t", "base:", "#{session_id}");
  const insideTmux = `${tmux.socketPath},${await tmux.serverPid()},${session.slice(1)}`;
  const plan = await service.prepareAttach({ ...acting(row), insideTmux, mayFocus: false });
  expect(plan.mode).toBe("switch_client");
  const [file = "", ...args] = plan.argv;
  const client = spawn(file, args, {
    stdio: "ignore",
  });
  await new Promise((resolve) => client.once("exit", resolve));
  await vi.waitFor(() => expect(readFileSync(log, "utf8")).toBe(`attach ${ID}\n`), 5_000);
  expect((await tmux.run("list-windows", "-t", "base", "-F", "#{window_name}")).split("\n")).toContain(PLACE);
  const outside = await service.prepareAttach({ ...acting(row), insideTmux: null, mayFocus: false });
  expect([outside.mode, outside.argv.at(-1)]).toEqual(["attach", `claude attach ${ID}`]);
}, 20_000);

it("that a pane shows is that pane's row alone, and its events go there", async () => {
  const script = join(tmux.folder, "@anthropic-ai", "claude-code", "cli.mjs");
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, "setInterval(() => {}, 1_000);");
  asks();
  await found(({ state }) => state === "waiting_approval");
  const command = `exec ${process.execPath} ${script} attach ${ID}`;
  const pane = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
  await daemon.until(pane, ({ agent_session_id }) => agent_session_id === SESSION);
  await daemon.untilGone(PLACE);
  hook("PermissionRequest", { payload: { tool_name: "Bash", tool_input: { command: "make" } } });
  await daemon.until(pane, ({ request }) => request?.body === "make");
  expect(daemon.rows().filter(({ state }) => state !== null)).toHaveLength(1);
  await tmux.run("kill-pane", "-t", pane);
  // What it asked in the pane, it asks still.
  const left = await found(({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(left).toMatchObject({ state: "waiting_approval", request: { body: "make", is_whole: true } });
  expect(daemon.rows().filter(({ state }) => state !== null)).toHaveLength(1);
}, 20_000);

it("is started with a task that no shell touches, in its folder, and is a row at once", async () => {
  await installClaude();
  const told = join(daemon.home, "told");
  const folder = join(daemon.home, "a project");
  mkdirSync(folder);
  const program = `#!/bin/sh\n{ pwd; printf '%s\\n' "$#" "$1" "$2" "\${TMUX-none}"; } >${told}\necho "backgrounded · ${ID}"\n`;
  writeFileSync(join(daemon.home, "bin", "claude"), program);
  const start = (input: object): Promise<unknown> =>
    createRouterCaller(daemon.daemon.router).call({
      type: "mutation",
      path: "workspaces.start",
      input: { agent: "claude", target: "host", folder, isBackground: true, surface: "test", ...input },
      signal: new AbortController().signal,
    });
  const text = 'say $(id) `id` "it\'s" \\ done; *';
  await expect(start({})).rejects.toThrow("needs a task");
  await expect(start({ text: "--help" })).rejects.toThrow("can't begin with a dash");
  await expect(start({ text, agent: "codex" })).rejects.toThrow("doesn't know how to start");
  await expect(start({ text, session: "x" })).rejects.toThrow("--background excludes");
  expect(existsSync(told)).toBe(false);
  busy();
  expect(await start({ text })).toMatchObject({
    command: "claude --bg",
    pane_id: null,
    short_ref: `host/${PLACE}`,
    prompt: "delivered",
    warnings: [],
  });
  expect(readFileSync(told, "utf8").trim().split("\n")).toEqual([folder, "2", "--bg", text, "none"]);
  writeFileSync(
    join(daemon.home, "bin", "claude"),
    "#!/bin/sh\necho 'trust this folder first' >&2; exit 1\n",
  );
  await expect(start({ text })).rejects.toThrow("trust this folder first");
}, 30_000);

it("is ended by the agent's own command, after asking", async () => {
  const log = await installClaude();
  busy();
  const row = await found(({ state }) => state === "running");
  const { service } = daemon.daemon;
  const kill = { ...acting(row), signal: "TERM" as const };
  await expect(service.kill({ ...kill, isConfirmed: false })).rejects.toMatchObject({
    code: "E_CONFIRMATION_REQUIRED",
    message: expect.stringContaining(`background session ${ID}`) as string,
  });
  const result = await service.kill({ ...kill, isConfirmed: true });
  expect(result).toMatchObject({ outcome: "delivered" });
  expect(readFileSync(log, "utf8")).toBe(`stop ${ID}\n`);
  await daemon.untilGone(PLACE);
  rmSync(log);
}, 20_000);

it("is in the first answer of a daemon, also where its files are read slowly", async () => {
  busy();
  await found(({ state }) => state === "running");
  const readSlowly = (adapter: AgentAdapter): AgentAdapter => {
    const { background } = adapter;
    if (background === undefined) return adapter;
    const read: typeof background.read = async (request) => {
      await wait(2_500);
      return background.read(request);
    };
    return { ...adapter, background: { ...background, read } };
  };
  const adapters = createAdapterRegistry(createAdapterRegistry().list().map(readSlowly));
  const { home } = daemon;
  const slow = await startTestDaemon({
    sockets: [tmux.socketPath],
    home,
    adapters,
    env: { SHELL: "/bin/sh" },
  });
  try {
    expect(slow.daemon.service.panes({}).items.map(({ short_ref: ref }) => ref)).toEqual([`host/${PLACE}`]);
  } finally {
    await slow.close();
  }
}, 20_000);
