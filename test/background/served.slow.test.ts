// Sessions of `opencode serve` that no pane shows: our plugin, as opencode loads it, in a process that is called as the server is;
// a daemon on real tmux. Live with 1.18.33: see docs/agents.md.
import { mkdirSync, writeFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { opencodePluginSource } from "../../adapters/opencode/integration.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const ID = "ses_ddc480516ffeU2xGXq8ZeGLVCG";
const ASKED = {
  id: "per_1",
  sessionID: ID,
  permission: "bash",
  patterns: ["touch made.txt"],
  metadata: { command: "touch made.txt" },
  tool: { messageID: "msg_1", callID: "call_1" },
};
const MINUTE_MS = 60_000;
const SEVERAL_LISTINGS_MS = 7_000;

let tmux: PrivateTmux;
let machine: PrivateTmux;
let daemon: TestDaemon;
let serverPid: number;
let sent = 0;

/** It hands each file of a folder to the plugin, in the order of their names, and removes it. */
const SERVER = `
process.argv = ["bun", "index.js", "serve", "--port", "4097"];
const { readdirSync, readFileSync, rmSync } = await import("node:fs");
const [plugin, orders, directory] = JSON.parse(process.env.SERVED);
const { AgtmuxPlugin } = await import(plugin);
const hooks = await AgtmuxPlugin({ directory, serverUrl: new URL("http://127.0.0.1:4097/") });
for (;;) {
  for (const name of readdirSync(orders).filter((one) => one.endsWith(".json")).sort()) {
    const { hook, args } = JSON.parse(readFileSync(orders + "/" + name, "utf8"));
    await hooks[hook](...args);
    rmSync(orders + "/" + name);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
`;

const startServer = async (): Promise<void> => {
  const config = join(daemon.home, ".config", "opencode");
  const orders = join(daemon.home, "orders");
  for (const folder of [join(config, "plugin"), orders]) mkdirSync(folder, { recursive: true });
  const plugin = join(config, "plugin", "agtmux.mjs");
  writeFileSync(plugin, opencodePluginSource(join(daemon.paths.home, "bin", "agtmux-event")));
  const script = join(daemon.home, "server.mjs");
  writeFileSync(script, SERVER);
  const served = JSON.stringify([plugin, orders, daemon.home]);
  const command = `SERVED='${served}' exec ${process.execPath} ${script} opencode serve --port 4097`;
  serverPid = Number(
    await machine.run("new-window", "-d", "-P", "-F", "#{pane_pid}", "-t", "machine:", command),
  );
};

const hand = async (hook: string, ...args: object[]): Promise<void> => {
  const path = join(daemon.home, "orders", `${String((sent += 1)).padStart(6, "0")}.json`);
  writeFileSync(`${path}.draft`, JSON.stringify({ hook, args }));
  renameSync(`${path}.draft`, path);
  await vi.waitFor(() => expect(existsSync(path)).toBe(false), { timeout: 10_000 });
};
const tell = (type: string, properties: object): Promise<void> =>
  hand("event", { event: { type, properties } });

/** A client of the server prompts the session, and its first call asks. */
const prompted = async (text = "make the file, please"): Promise<void> => {
  await tell("session.created", { sessionID: ID, info: { id: ID } });
  await hand("chat.message", { sessionID: ID }, { parts: [{ type: "text", text }] });
  await tell("session.status", { sessionID: ID, status: { type: "busy" } });
};
const asks = async (): Promise<void> => {
  await hand(
    "tool.execute.before",
    { sessionID: ID, tool: "bash", callID: "call_1" },
    { args: { command: "touch made.txt" } },
  );
  await tell("permission.asked", ASKED);
};
const allowed = async (): Promise<void> => {
  await tell("permission.replied", { sessionID: ID, requestID: "per_1", reply: "once" });
  await tell("session.status", { sessionID: ID, status: { type: "idle" } });
  await tell("session.idle", { sessionID: ID });
};

const found = (condition: (row: PaneView) => boolean, limitMs?: number): Promise<PaneView> =>
  daemon.until(`bg-${ID}`, condition, limitMs);
const inBackground = (): PaneView[] =>
  daemon.rows().filter(({ background, state }) => background !== null && state !== null);

/** What the file `screen` holds is drawn in it. */
const openTerminal = async (args = "", screen = "none"): Promise<string> => {
  const script = join(daemon.home, "terminal.mjs");
  // The title is all of its command line; its name is the program's alone.
  const name = `try { (await import("node:fs")).writeFileSync("/proc/self/comm", "opencode"); } catch { /* A Mac has no such file. */ }`;
  const show = `console.log(process.title.includes("attach") && existsSync(process.argv[3]) ? readFileSync(process.argv[3], "utf8") : "")`;
  writeFileSync(
    script,
    `import { existsSync, readFileSync } from "node:fs"; process.title = process.argv[2]; ${name} setInterval(() => ${show}, 200);`,
  );
  const command = `HOME=${daemon.home} exec ${process.execPath} ${script} '${`opencode ${args}`.trim()}' ${screen}`;
  const pane = await tmux.run(
    "new-window",
    "-d",
    "-P",
    "-F",
    "#{pane_id}",
    "-c",
    "/",
    "-t",
    "base:",
    command,
  );
  await daemon.until(pane, ({ agent }) => agent === "opencode");
  return pane;
};

beforeEach(async () => {
  tmux = createPrivateTmux();
  machine = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
  await machine.run("new-session", "-d", "-s", "machine", "exec sleep 1000");
  daemon = await startTestDaemon({ sockets: [tmux.socketPath], env: { SHELL: "/bin/sh" } });
  await startServer();
}, MINUTE_MS);
afterEach(async () => {
  await daemon.close();
  await Promise.all([tmux.close(), machine.close()]);
  rmSync(join(daemon.home, "orders"), { recursive: true, force: true });
});

it("is a row with what it asks, which is answered where it was asked, and is done after that", async () => {
  // A terminal with a server of its own says nothing of this one's sessions.
  await openTerminal();
  await prompted();
  const running = await found(({ state }) => state === "running", 15_000);
  expect(running).toMatchObject({ agent: "opencode", activity: { prompt: "make the file, please" } });
  await asks();
  const row = await found(({ prompt_fingerprint }) => prompt_fingerprint !== null);
  expect(row).toMatchObject({
    state: "waiting_approval",
    request: { body: "touch made.txt", is_whole: true },
    background: { id: ID, is_answered_elsewhere: true },
  });
  const denied = daemon.daemon.service.answer({
    ref: row.identity.pane_ref,
    guards: actionGuardsSchema.parse({ ifPrompt: row.prompt_fingerprint }),
    surface: "test",
    choice: { kind: "deny" },
    idempotencyKey: null,
  });
  await expect(denied).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    remedy: expect.stringContaining("where it was asked") as string,
  });
  await allowed();
  await found(({ state }) => state === "completed");
}, 60_000);

it("is the row of the terminal that attaches to it, and its own again with its wait after that", async () => {
  await prompted();
  await asks();
  await found(({ state }) => state === "waiting_approval", 15_000);
  const pane = await openTerminal(`attach http://127.0.0.1:4097 -s ${ID}`);
  await daemon.until(
    pane,
    ({ state, agent_session_id }) => state === "waiting_approval" && agent_session_id === ID,
  );
  await vi.waitFor(() => expect(inBackground()).toEqual([]), { timeout: 5_000 });
  await tmux.run("kill-pane", "-t", pane);
  await found(({ state }) => state === "waiting_approval");
}, 60_000);

it("beside a terminal that may show it is none until that has named another one", async () => {
  const pane = await openTerminal("attach http://127.0.0.1:4097");
  await prompted();
  await new Promise((resolve) => setTimeout(resolve, SEVERAL_LISTINGS_MS));
  expect(inBackground()).toEqual([]);
  await tmux.run("kill-pane", "-t", pane);
  await found(({ state }) => state === "running", 15_000);
}, 60_000);

it("is the row of the terminal in which somebody chose it, from its next prompt on; not of one that shows another text", async () => {
  await prompted();
  await found(({ state }) => state === "running", 15_000);
  const screen = join(daemon.home, "screen");
  const pane = await openTerminal("attach http://127.0.0.1:4097", screen);
  const other = await openTerminal("attach http://127.0.0.1:4097");
  await allowed();
  await found(({ state }) => state === "completed");
  writeFileSync(screen, "> something else is typed here");
  await prompted("and now the folder for it");
  await found(
    ({ state, activity }) => state === "running" && activity?.prompt === "and now the folder for it",
  );
  await allowed();
  writeFileSync(screen, "> remove the folder again");
  await prompted("remove the folder again");
  await asks();
  const row = await daemon.until(pane, ({ state }) => state === "waiting_approval", 15_000);
  expect(row).toMatchObject({ agent_session_id: ID, request: { body: "touch made.txt" } });
  await vi.waitFor(() => expect(inBackground()).toEqual([]), { timeout: 5_000 });
  expect(daemon.rows().find(({ identity }) => identity.pane_id === other)?.agent_session_id).toBeNull();
  await tmux.run("kill-pane", "-t", pane);
  await found(({ state }) => state === "waiting_approval", 15_000);
}, 90_000);

it("is kept over a restart of the daemon, and an error when its server was killed at work", async () => {
  await prompted();
  await found(({ state }) => state === "running", 15_000);
  await daemon.restart();
  await asks();
  await found(({ state }) => state === "waiting_approval");
  process.kill(serverPid, "SIGKILL");
  await found(({ reason_code }) => reason_code === "crashed");
}, 60_000);
