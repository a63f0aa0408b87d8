// A target behind a real sshd: its panes stand beside those of this machine, and it comes and goes with its connection.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { framesOf } from "../chain/chainHarness.ts";
import { createMovedClock, type MovedClock } from "../endurance/movedClock.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { createRemoteTmux, remoteTmuxSettings } from "./remoteTmux.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

const LIMIT_MS = 20_000;
/** What a connection has for an answer. */
const ANSWER_MS = 10_000;

describe.each(["openssh", "ssh2"] as const)("a target over %s", (transport) => {
  let server: SshServer;
  let remote: PrivateTmux;
  let near: PrivateTmux;
  let clock: MovedClock;
  let test: TestDaemon;
  const players: Player[] = [];

  beforeEach(async () => {
    server = await createSshServer();
    remote = createRemoteTmux();
    near = createPrivateTmux();
    await remote.newSession("work");
    await near.newSession("here");
    clock = createMovedClock();
    test = await startTestDaemon({
      sockets: [near.socketPath],
      clock,
      env: { AGTMUX_SSH_CONFIG: server.configFile },
    });
  });
  afterEach(async () => {
    for (const player of players.splice(0)) await player.close();
    await test.close();
    expect(server.remoteProcesses()).toEqual([]);
    await server.close();
    await remote.close();
    await near.close();
  });

  const configure = async (): Promise<void> => {
    const target = {
      name: "vm1",
      ssh_target: "vm1",
      transport,
      tmux_servers: [{ name: "far", socket_path: remote.socketPath }],
      ...remoteTmuxSettings,
    };
    await test.configure({ targets: [target] });
    await until(() => (targetNow()?.rtt_ms ?? 0) > 0, `vm1 is connected`, LIMIT_MS);
  };
  const targetNow = () => test.daemon.service.targets().find(({ target }) => target === "vm1");
  const untilHealth = (health: string) =>
    until(() => targetNow()?.health === health, `vm1 is ${health}: ${JSON.stringify(targetNow())}`, LIMIT_MS);
  const rowsOf = (target: string) => test.rows().filter((row) => row.identity.target === target);
  const play = async (): Promise<Player> => {
    const player = await createPlayer({
      tmux: remote,
      home: server.remoteHome,
      recordingsDir: framesOf("claude"),
      agent: "claude",
    });
    players.push(player);
    return player;
  };
  const untilState = (player: Player, state: string) =>
    until(
      () => rowsOf("vm1").some((row) => row.identity.pane_id === player.paneId && row.state === state),
      `the far pane is ${state}`,
      LIMIT_MS,
    );

  it("shows its panes with their true states beside those of this machine", async () => {
    await configure();
    expect(targetNow()).toMatchObject({ kind: "ssh", connection_ref: "vm1", transport, enabled: true });
    await until(() => rowsOf("vm1").length === 1, "the far pane is listed", LIMIT_MS);
    expect(rowsOf("host")).toHaveLength(1);
    const player = await play();
    await player.frame("waiting_approval");
    await untilState(player, "waiting_approval");
    await player.frame("tool_running");
    await untilState(player, "running");
  });

  it("is unknown at once when its connection breaks, and heals by itself", async () => {
    await configure();
    const player = await play();
    await player.frame("waiting_approval");
    await untilState(player, "waiting_approval");
    await server.stop();
    await untilHealth("down");
    expect(rowsOf("vm1").find((row) => row.identity.pane_id === player.paneId)).toMatchObject({
      state: "unknown",
      reason_code: "target_unreachable",
    });
    expect(targetNow()?.health_reason).toBeTruthy();
    // What nobody could see: the old state must not come back with the connection, not even for a moment.
    await player.frame("tool_running");
    const before = test.timeline(player.paneId).length;
    await server.start();
    await untilHealth("ok");
    await untilState(player, "running");
    expect(test.timeline(player.paneId).slice(before)).toEqual(["running"]);
  });

  it("is asked by a forced attempt, and a connection that has frozen is found out", async () => {
    await configure();
    const connect = () => test.daemon.service.targetConnect({ name: "vm1" });
    expect((await connect()).rtt_ms).toBeGreaterThan(0);
    const frozen = server.sessionPids();
    for (const pid of frozen) process.kill(pid, "SIGSTOP");
    try {
      const answer = expect(connect()).rejects.toMatchObject({ code: "E_TARGET_UNREACHABLE" });
      await new Promise((asked) => setImmediate(asked));
      clock.skip(ANSWER_MS);
      await answer;
    } finally {
      for (const pid of frozen) process.kill(pid, "SIGCONT");
    }
    await untilHealth("ok");
    expect((await connect()).health).toBe("ok");
  });

  it("leaves nothing behind when it is removed", async () => {
    await configure();
    await until(() => rowsOf("vm1").length === 1, "the far pane is listed", LIMIT_MS);
    await test.daemon.service.targetRemove({ name: "vm1", isConfirmed: true });
    expect(targetNow()).toBeUndefined();
    expect(rowsOf("vm1")).toEqual([]);
    await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
  });
});
