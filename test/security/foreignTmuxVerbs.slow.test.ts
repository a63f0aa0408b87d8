// Every verb and feature that reaches tmux, against a server of another user that begins well and then attacks, on this machine
// and on a target where another user of that machine has it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { serveDaemon, startProgram, type Finished } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { createSshServer, type SshServer } from "../ssh/sshServer.ts";
import { makeLoot, startHostileTmux, type HostileTmux } from "./hostileTmux.ts";
import { isRoot, NOBODY } from "./otherUser.ts";

const LIMIT_MS = 60_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });

const DOCUMENT = `---
agent_doc_session: 0b1c
---

<!-- agent:exchange mode=append -->
Which way?
<!-- /agent:exchange -->
`;

let root: string;
let real: PrivateTmux;
let hostile: HostileTmux;
let daemon: TestDaemon | null;
let stopServing: (() => Promise<void>) | null;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-verbs-"));
  real = createPrivateTmux();
  [daemon, stopServing] = [null, null];
  await real.newSession("theirs");
});
afterEach(async () => {
  await stopServing?.();
  await daemon?.close();
  await hostile.close();
  await real.close();
  rmSync(root, { recursive: true, force: true });
});

const makeHostile = async (path: string, isGoodFirst = true): Promise<void> => {
  hostile = await startHostileTmux({
    path,
    loot: makeLoot(join(root, "home")),
    ...(isGoodFirst ? { real: real.socketPath } : {}),
  });
};
const pane = (): PaneView => {
  const row = daemon?.rows().find(({ identity }) => identity.pane_id === "%0");
  if (row === undefined) throw new Error("no row");
  return row;
};

type Act = (daemon: TestDaemon, ref: string) => Promise<unknown>;
const asked = (ref: string) => ({ ref, guards: actionGuardsSchema.parse({}), surface: "test" });
const VERBS: [string, Act][] = [
  [
    "attach",
    ({ daemon: { service } }, ref) =>
      service.prepareAttach({ ...asked(ref), insideTmux: null, mayFocus: false }),
  ],
  ["open a terminal", ({ daemon: { service } }, ref) => service.openAttach(asked(ref))],
  [
    "send",
    ({ daemon: { service } }, ref) =>
      service.send({ ...asked(ref), text: "a text", pressEnter: true, toShell: true, idempotencyKey: null }),
  ],
  [
    "view-output",
    ({ daemon: { service } }, ref) =>
      service.viewOutput({ ...asked(ref), lines: 10, ansi: false, source: "screen" }),
  ],
  ["interrupt", ({ daemon: { service } }, ref) => service.interrupt(asked(ref))],
  ["explain", async ({ daemon: { service } }, ref) => service.explain({ ref })],
  ["look now", async ({ daemon: { service } }) => service.lookNow(undefined)],
  ["doctor", async ({ daemon: { service } }) => service.doctor({ target: null })],
];

describe.runIf(isRoot)("a server of another user that attacks after a good start", () => {
  beforeEach(async () => {
    const folder = join(root, "shared");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await makeHostile(join(folder, "sock"));
    daemon = await startTestDaemon({ sockets: [hostile.path], openTerminal: () => Promise.resolve() });
    await daemon.until("%0", () => true);
  });

  it("is looked at over agtmux's own connection, before and after it turns", async () => {
    const server = () => daemon?.daemon.service.targets()[0]?.servers[0];
    expect(server()).toMatchObject({ status: "ok", mode: "direct" });
    hostile.turn();
    await until(() => hostile.attacks > 2, "it attacks", LIMIT_MS);
    expect(hostile.harm()).toEqual([]);
    await until(() => server()?.status === "error", "it says so", LIMIT_MS);
  });

  it.each(VERBS)("gets nothing by '%s'", async (_verb, act) => {
    if (daemon === null) throw new Error("no daemon");
    const ref = pane().identity.pane_ref;
    hostile.turn();
    const before = hostile.attacks;
    await act(daemon, ref).catch(() => {});
    await until(() => hostile.attacks > before, "it was asked", LIMIT_MS);
    // What a text is sent for is read by the server that has the pane; nothing else of the person is.
    expect(hostile.harm().filter((one) => one !== "read a text")).toEqual([]);
  });

  it("answers what a shared server is for while it behaves, and gives no terminal of the person's to it", async () => {
    if (daemon === null) throw new Error("no daemon");
    const { service } = daemon.daemon;
    const ref = pane().identity.pane_ref;
    const text = { ...asked(ref), text: "a text", pressEnter: true, toShell: true, idempotencyKey: null };
    expect(await service.send(text)).toMatchObject({ outcome: "delivered" });
    expect(await real.run("capture-pane", "-p", "-t", "%0")).toContain("a text");
    for (const attach of [
      service.prepareAttach({ ...asked(ref), insideTmux: null, mayFocus: false }),
      service.openAttach(asked(ref)),
    ])
      await expect(attach).rejects.toMatchObject({ code: "E_SOCKET_UNSAFE" });
    // The text is what the pane was to get.
    expect(hostile.taken.filter((one) => !/^read (a text|if-shell )/.test(one))).toEqual([]);
  });

  it("gets nothing by any command that is typed, wherever that finds the server", async () => {
    if (daemon === null) throw new Error("no daemon");
    const { paths, home } = daemon;
    stopServing = await serveDaemon(daemon);
    const project = join(root, "project");
    mkdirSync(join(project, ".agent-doc"), { recursive: true });
    writeFileSync(join(project, "plan.md"), DOCUMENT);
    const serverPid = await real.serverPid();
    const run = async (args: readonly string[]): Promise<Finished> => {
      const child = startProgram(process.execPath, [CLI_ENTRY, ...args], {
        AGTMUX_HOME: paths.home,
        AGTMUX_NO_START: "1",
        HOME: home,
        PWD: project,
        // Somebody works in the shared server and types there.
        TMUX: `${hostile.path},${serverPid},0`,
        TMUX_PANE: "%0",
      });
      return child.finished;
    };
    hostile.turn();
    const file = join(project, "plan.md");
    const commands = [
      ["list"],
      ["status"],
      ["doctor"],
      ["next"],
      ["attach", "%0"],
      ["send", "%0", "--text", "a text"],
      ["start", "claude", "--cwd", project],
      ["start", "claude", "--cwd", project, "--dry-run"],
      ["pick", "--popup"],
      ["doc", "claim", file],
      ["doc", "claim", file, "--position", "left"],
      ["doc", "sync", "--col", file],
      ["doc", "layout", file],
      ["doc", "route", file],
      ["doc", "focus", file],
      ["doc", "prompt", file],
    ];
    for (let from = 0; from < commands.length; from += 4)
      await Promise.all(commands.slice(from, from + 4).map(run));
    expect(hostile.attacks).toBeGreaterThan(8);
    expect(hostile.harm().filter((one) => one !== "read a text")).toEqual([]);
  });
});

describe.runIf(isRoot)("tmux's own folder, made by another user", () => {
  it("is connected to by no command that is typed, and by no start", async () => {
    const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
    mkdirSync(folder);
    await makeHostile(join(folder, "default"), false);
    chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o755);
    daemon = await startTestDaemon({ sockets: [], env: { TMUX_TMPDIR: root, AGTMUX_TMUX_SOCKETS: "" } });
    const { paths, home } = daemon;
    stopServing = await serveDaemon(daemon);
    const file = join(root, "plan.md");
    writeFileSync(file, DOCUMENT);
    const run = (args: readonly string[]): Promise<Finished> =>
      startProgram(process.execPath, [CLI_ENTRY, ...args], {
        AGTMUX_HOME: paths.home,
        AGTMUX_NO_START: "1",
        HOME: home,
        PWD: root,
        TMUX_TMPDIR: root,
      }).finished;
    const commands = [
      ["list"],
      ["doctor"],
      ["start", "claude", "--cwd", root],
      ["start", "claude", "--cwd", root, "--dry-run"],
      ["doc", "sync", "--col", file],
      ["doc", "claim", file, "--pane", "%0"],
    ];
    const ended = await Promise.all(commands.map(run));
    expect([hostile.connections, hostile.harm()]).toEqual([0, []]);
    const said = ended.map(({ stderr }) => stderr);
    for (const at of [2, 3, 4, 5]) expect(said[at]).toMatch(/unsafe permissions/);
  });
});

describe.runIf(isRoot)("on a target where another user has it", () => {
  let server: SshServer;
  afterEach(() => server.close());

  const open = async (env: Record<string, string>, tmuxServers: unknown[]): Promise<TestDaemon> => {
    server = await createSshServer({ env });
    daemon = await startTestDaemon({
      sockets: [join(root, "none")],
      env: { AGTMUX_SSH_CONFIG: server.configFile },
    });
    await daemon.configure({
      targets: [{ name: "vm1", ssh_target: "vm1", transport: "openssh", tmux_servers: tmuxServers }],
    });
    return daemon;
  };
  const servers = () =>
    daemon?.daemon.service.targets().find(({ target }) => target === "vm1")?.servers ?? [];

  it("a server that is named by its path is refused with the reason, and nothing of it runs", async () => {
    const folder = join(root, "shared");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await makeHostile(join(folder, "sock"), false);
    await open({}, [{ name: "far", socket_path: hostile.path }]);
    await until(() => servers().some(({ status }) => status === "error"), "it is refused", LIMIT_MS);
    expect(servers().find(({ tmux_server: name }) => name === "far")?.problem).toMatch(
      /belongs to another user/,
    );
    expect([hostile.connections, hostile.harm()]).toEqual([0, []]);
  });

  it("tmux's own folder that another user made is refused by tmux", async () => {
    const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
    mkdirSync(folder);
    await makeHostile(join(folder, "default"), false);
    chownSync(folder, NOBODY, NOBODY);
    await open({ TMUX_TMPDIR: root }, []);
    await until(() => servers().some(({ status }) => status === "error"), "it is refused", LIMIT_MS);
    expect([hostile.connections, hostile.harm()]).toEqual([0, []]);
  });

  it("a server whose socket is replaced while it is watched is not asked any more", async () => {
    await open({}, [{ name: "far", socket_path: real.socketPath }]);
    await daemon?.until("%0", () => true, LIMIT_MS);
    const pid = await real.serverPid();
    rmSync(real.socketPath);
    await makeHostile(real.socketPath, false);
    const ref = pane().identity.pane_ref;
    const ended = await daemon?.daemon.service
      .send({ ...asked(ref), text: "a text", pressEnter: true, toShell: true, idempotencyKey: null })
      .then(
        () => "sent",
        (error: { code: string }) => error.code,
      );
    expect(ended).toBe("E_SOCKET_UNSAFE");
    const attach = { ...asked(ref), insideTmux: null, mayFocus: false };
    const plan = await daemon?.daemon.service.prepareAttach(attach);
    // The terminal's own command looks by itself, over there.
    const [file = "", ...args] = plan?.argv.filter((word) => word !== "-t") ?? [];
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe"] });
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString("utf8")));
    await once(child, "close");
    expect(told).toMatch(/belongs to another user/);
    await until(() => servers().some(({ status }) => status === "error"), "it is refused", LIMIT_MS);
    expect([hostile.connections, hostile.harm()]).toEqual([0, []]);
    await hostile.close();
    // The signal makes the server create its socket again, so that it can be ended.
    process.kill(pid, "SIGUSR1");
    await until(async () => (await real.run("list-sessions").catch(() => "")) !== "", "it is back");
  });
});
