// Targets in trouble, seen through the daemon: what is wrong is said with what to do about it, is not tried too often, keeps no
// other target from being fresh, and heals by itself once it is mended.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { framesOf } from "../chain/chainHarness.ts";
import { createMovedClock, untilSooner, type MovedClock } from "../endurance/movedClock.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { openRemoteTargets, type RemoteTargetsHarness } from "./remoteTargetsHarness.ts";
import { createSshServer, type SshServer, type SshServerOptions } from "./sshServer.ts";
import type { Transport } from "./targetHarness.ts";

const LIMIT_MS = 30_000;
const TRANSPORTS = ["openssh", "ssh2"] as const;
/** What does not depend on the transport is shown over one, and over both by `npm run faults:ssh`. */
const EITHER = process.env["AGTMUX_SSH_CUTS"] === undefined ? (["ssh2"] as const) : TRANSPORTS;

vi.setConfig({ testTimeout: 90_000 });

let servers: SshServer[];
let players: Player[];
let stopped: number[];
let remote: PrivateTmux;
let near: PrivateTmux;
let clock: MovedClock;
let remoteTargets: RemoteTargetsHarness;

beforeEach(async () => {
  clock = createMovedClock();
  servers = [];
  players = [];
  stopped = [];
  remote = createPrivateTmux();
  near = createPrivateTmux();
  await remote.newSession("work");
  await near.newSession("here");
});
const go = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It went with its connection.
    }
  }
};
afterEach(async () => {
  for (const player of players) await player.close();
  await remoteTargets.daemon.close();
  go(stopped, "SIGCONT");
  for (const server of servers) {
    await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
    await server.close();
  }
  await remote.close();
  await near.close();
});

const serve = async (options: SshServerOptions = {}): Promise<SshServer> => {
  const server = await createSshServer(options);
  servers.push(server);
  return server;
};
const open = async (server: SshServer): Promise<void> => {
  remoteTargets = await openRemoteTargets({ server, sockets: [near.socketPath], clock });
};
const add = (name: string, alias: string, transport: Transport): Promise<void> =>
  remoteTargets.add({ name, alias, transport, socketPath: remote.socketPath });
const freeze = (pids: readonly number[]): void => {
  go(pids, "SIGSTOP");
  stopped.push(...pids);
};
const play = async (server: SshServer): Promise<Player> => {
  const player = await createPlayer({
    tmux: { socketArgs: remote.socketArgs },
    home: server.remoteHome,
    recordingsDir: framesOf("claude"),
    agent: "claude",
  });
  players.push(player);
  return player;
};
const stateOf = (target: string, player: Player) =>
  remoteTargets.rowsOf(target).find((row) => row.identity.pane_id === player.paneId)?.state;
const untilState = (target: string, player: Player, state: string): Promise<void> =>
  until(() => stateOf(target, player) === state, `the agent on ${target} is ${state}`, LIMIT_MS);
const remoteServerOf = (target: string) =>
  remoteTargets.target(target)?.servers.find(({ tmux_server }) => tmux_server === "remote");
const untilSeen = (target: string): Promise<void> =>
  until(() => remoteServerOf(target)?.status === "ok", `${target} is watched`, LIMIT_MS);
/** Logins that the server has seen. */
const connectionsOf = (server: SshServer): number => server.log().split("Connection from ").length - 1;
const pausesMs = (name: string): number =>
  Date.parse(remoteTargets.target(name)?.next_attempt_at ?? "") - Date.now();

describe.each(TRANSPORTS)("targets over %s beside each other", (transport) => {
  it("say what is wrong with each, are not tried in a storm, and delay nobody", async () => {
    const server = await serve();
    const [frozen, other] = [await serve(), await serve()];
    await open(server);
    const host = (of: SshServer, more: readonly string[] = []) => [
      `Port ${of.port}`,
      `UserKnownHostsFile ${of.knownHosts}`,
      `IdentityFile ${of.userKey}`,
      ...more,
    ];
    const own = (lines: readonly string[], replaced: readonly string[]): string[] => [
      ...lines.filter((line) => !replaced.some((one) => one.split(" ")[0] === line.split(" ")[0])),
      ...replaced,
    ];
    const changed = join(server.folder, "changed_hosts");
    const [hostName = ""] = other.hostKeyLine.split(" ");
    await writeFile(changed, `${hostName} ${server.hostKeyLine.split(" ").slice(1).join(" ")}\n`);
    const lines = host(other);
    await server.addHost("frozen", host(frozen));
    await server.addHost("changed", own(lines, [`UserKnownHostsFile ${changed}`]));
    await server.addHost("unknown", own(lines, ["UserKnownHostsFile /dev/null"]));
    await server.addHost("refused", own(lines, [`IdentityFile ${server.userKey}`]));
    await server.addHost("nobody", own(lines, ["Port 1"]));
    await add("good", "vm1", transport);
    await add("ice", "frozen", transport);
    for (const name of ["changed", "unknown", "refused", "nobody"]) await add(name, name, transport);
    await Promise.all([
      remoteTargets.untilHealth("good", "ok", LIMIT_MS),
      remoteTargets.untilHealth("ice", "ok", LIMIT_MS),
    ]);
    const player = await play(server);
    await player.frame("waiting_approval");
    await untilState("good", player, "waiting_approval");

    const reasons = new Map<string, readonly [RegExp, RegExp]>([
      ["changed", [/host key has CHANGED/, /ssh-keygen -R/]],
      ["unknown", [/host key is unknown/, /ssh unknown/]],
      ["refused", [/accepts none of the keys/, /ssh-add/]],
      ["nobody", [/refused/, /ssh nobody/]],
    ]);
    for (const [name, [reason, remedy]] of reasons) {
      await until(() => remoteTargets.target(name)?.next_attempt_at !== null, `${name} was tried`, LIMIT_MS);
      expect(remoteTargets.target(name)).toMatchObject({
        health: "down",
        health_reason: expect.stringMatching(reason),
        remedy: expect.stringMatching(remedy),
      });
      // Each attempt could make a hardware key blink.
      if (name !== "nobody") expect(pausesMs(name)).toBeGreaterThan(100_000);
    }

    freeze(frozen.sessionPids());
    await player.frame("tool_running");
    await untilState("good", player, "running");
    expect(remoteTargets.target("ice")?.health).not.toBe("down");
    await untilSooner(clock, () => remoteTargets.target("ice")?.health === "down", "ice is down", LIMIT_MS);
    expect(remoteTargets.target("ice")?.health_reason).toMatch(/no longer answers/);
    expect(remoteTargets.rowsOf("ice").every(({ state }) => state === null || state === "unknown")).toBe(
      true,
    );
    await player.frame("waiting_approval");
    await untilState("good", player, "waiting_approval");
    expect(remoteTargets.target("good")?.health).toBe("ok");
    expect(remoteTargets.rowsOf("host")).toHaveLength(1);
    // One for each of three that only a person can mend.
    expect(connectionsOf(other)).toBe(3);
    go(stopped, "SIGCONT");
    await remoteTargets.untilHealth("ice", "ok", LIMIT_MS);
  });
});

describe.each(EITHER)("a target over %s", (transport) => {
  it("does not hold up its removal while it is being connected and nothing answers", async () => {
    const server = await serve();
    const silent = createServer();
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await server.addHost("silent", [`Port ${port}`, "UserKnownHostsFile /dev/null"]);
    await open(server);
    const connected = once(silent, "connection");
    await add("vm1", "silent", transport);
    await connected;
    await remoteTargets.daemon.daemon.service.targetRemove({ name: "vm1", isConfirmed: true });
    const startedAt = performance.now();
    await remoteTargets.daemon.restart();
    // An attempt alone has fifteen seconds.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    silent.close();
  });

  it("heals from a shell that is wedged while its connection lives, and ends in time with one", async () => {
    const server = await serve();
    await open(server);
    await add("vm1", "vm1", transport);
    await untilSeen("vm1");
    // Told with the end of the attempt.
    await until(() => (remoteTargets.target("vm1")?.rtt_ms ?? 0) > 0, "it is connected", LIMIT_MS);
    /** The one that we talk to. */
    const shells = (): number[] =>
      server.remoteProcesses().filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, "latin1") === "sh\0";
        } catch {
          return false;
        }
      });
    const first = shells();
    expect(first).toHaveLength(1);
    freeze(first);
    const reason = /no longer answers: no answer within \d+ ms/;
    const isTold = (): boolean => reason.test(remoteTargets.target("vm1")?.health_reason ?? "");
    await untilSooner(clock, isTold, "it says why", LIMIT_MS);
    expect(remoteTargets.target("vm1")).toMatchObject({
      health: "down",
      remedy: expect.stringMatching(/\S/),
    });
    await remoteTargets.untilHealth("vm1", "ok", LIMIT_MS);
    // The wedged one is gone: it was ended over there.
    await until(() => !shells().some((pid) => first.includes(pid)), "the wedged shell is gone", LIMIT_MS);
    await untilSeen("vm1");
    await until(() => (remoteTargets.target("vm1")?.rtt_ms ?? 0) > 0, "it is connected again", LIMIT_MS);
    freeze(shells());
    await remoteTargets.daemon.daemon.service.targetRemove({ name: "vm1", isConfirmed: true });
  });
});

it("shows a far tmux that was started again with the same pane ids as what it is: other panes", async () => {
  const server = await serve();
  await open(server);
  await remote.close();
  remote = createPrivateTmux();
  const player = await play(server);
  await add("vm1", "vm1", "ssh2");
  await player.frame("waiting_approval");
  await untilState("vm1", player, "waiting_approval");
  await player.exit({ signal: "SIGKILL" });
  await remote.run("kill-server");
  await remote.newSession("again");
  expect(await remote.run("list-panes", "-a", "-F", "#{pane_id}")).toBe(player.paneId);
  await until(
    () =>
      remoteTargets
        .rowsOf("vm1")
        .some(({ identity, state }) => identity.session_name === "again" && state === null),
    "the new pane has no agent",
    LIMIT_MS,
  );
  await untilSeen("vm1");
  const next = await play(server);
  await next.frame("waiting_approval");
  await untilState("vm1", next, "waiting_approval");
});

it("says that there is no tmux, and does not log in again and again to find the same", async () => {
  const server = await serve();
  await open(server);
  await remoteTargets.add({
    name: "vm1",
    alias: "vm1",
    transport: "ssh2",
    socketPath: remote.socketPath,
    tmuxPath: "/nowhere/tmux",
  });
  await until(() => remoteTargets.target("vm1")?.next_attempt_at !== null, "it was tried", LIMIT_MS);
  expect(remoteTargets.target("vm1")).toMatchObject({
    health: "down",
    health_reason: expect.stringMatching(/no working tmux/),
    remedy: expect.stringMatching(/tmux/),
  });
  expect(pausesMs("vm1")).toBeGreaterThan(100_000);
});

it("needs no folder for temporary files over there", async () => {
  const server = await serve({ env: { TMPDIR: "/nowhere" } });
  await open(server);
  const player = await play(server);
  await add("vm1", "vm1", "openssh");
  await player.frame("waiting_approval");
  await untilState("vm1", player, "waiting_approval");
  expect(remoteServerOf("vm1")).toMatchObject({ status: "ok", problem: null });
  await player.frame("tool_running");
  await untilState("vm1", player, "running");
});

it("is not confused by a login shell that talks, in both directions and without an end of line", async () => {
  const talk =
    "echo Welcome to vm1; echo 'be careful' >&2; printf '%%begin 1 1 1\\n%s' agtmux- ; printf 'no newline'";
  const server = await serve({ bashrc: talk });
  await open(server);
  const player = await play(server);
  for (const transport of TRANSPORTS) await add(`vm-${transport}`, "vm1", transport);
  for (const transport of TRANSPORTS) await remoteTargets.untilHealth(`vm-${transport}`, "ok", LIMIT_MS);
  await player.frame("waiting_approval");
  for (const transport of TRANSPORTS) await untilState(`vm-${transport}`, player, "waiting_approval");
});

it("watches two tmux servers of one target", async () => {
  const server = await serve();
  const second = createPrivateTmux();
  try {
    await second.newSession("second");
    await open(server);
    await remoteTargets.add({
      name: "vm1",
      alias: "vm1",
      transport: "openssh",
      socketPath: remote.socketPath,
      moreSockets: { other: second.socketPath },
    });
    const seen = () => remoteTargets.target("vm1")?.servers.filter(({ status }) => status === "ok");
    await until(() => seen()?.length === 2, "both are watched", LIMIT_MS);
    const sessions = remoteTargets.rowsOf("vm1").map(({ identity }) => identity.session_name);
    expect(sessions.toSorted()).toEqual(["second", "work"]);
    await remoteTargets.daemon.daemon.service.targetRemove({ name: "vm1", isConfirmed: true });
    await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
  } finally {
    await second.close();
  }
});
