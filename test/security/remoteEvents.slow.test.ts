// Events of a target that name what is not its own: the session, the pane, the process and the tmux server of an agent of this
// machine, dropped into a real target's spool behind a real sshd.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { framesOf } from "../chain/chainHarness.ts";
import { dropEvent, type EventFile, eventText } from "../harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { openRemoteTargets, type RemoteTargetsHarness } from "../ssh/remoteTargetsHarness.ts";
import { createSshServer, type SshServer } from "../ssh/sshServer.ts";

const LIMIT_MS = 20_000;

let server: SshServer;
let near: PrivateTmux;
let remote: PrivateTmux;
let remoteTargets: RemoteTargetsHarness;
let players: Player[];

beforeEach(async () => {
  players = [];
  server = await createSshServer();
  [near, remote] = [createPrivateTmux(), createPrivateTmux()];
  await Promise.all([near.newSession("here"), remote.newSession("there")]);
  remoteTargets = await openRemoteTargets({ server, sockets: [near.socketPath] });
  await remoteTargets.add({ name: "vm1", alias: "vm1", transport: "ssh2", socketPath: remote.socketPath });
  await remoteTargets.untilHealth("vm1", "ok", LIMIT_MS);
});
afterEach(async () => {
  for (const player of players) await player.close();
  await remoteTargets.daemon.close();
  await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
  await server.close();
  await Promise.all([near.close(), remote.close()]);
});

const play = async (tmux: PrivateTmux, home: string): Promise<Player> => {
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home,
    recordingsDir: framesOf("claude"),
    agent: "claude",
  });
  players.push(player);
  return player;
};
const integrate = (target: string) =>
  remoteTargets.daemon.daemon.service.integrationChange({
    agent: "claude",
    target,
    action: "install",
    dryRun: false,
  });

const rowOf = ({ paneId }: Player, target = "host"): PaneView | undefined =>
  remoteTargets.rowsOf(target).find((row) => row.identity.pane_id === paneId);
const untilState = (player: Player, state: string, target = "host"): Promise<void> =>
  until(() => rowOf(player, target)?.state === state, `the agent on ${target} is ${state}`, LIMIT_MS);

const farSpool = (): string => join(server.remoteHome, ".agtmux", "spool");
let dropped = 0;
/** As the hook on the remote side would write it. */
const drop = (claim: EventFile): void => {
  mkdirSync(join(farSpool(), "tmp"), { recursive: true });
  dropEvent(farSpool(), `${String((dropped += 1)).padStart(9, "0")}-${process.pid}`, eventText(claim));
};
const untilTaken = (): Promise<void> =>
  until(() => readdirSync(join(farSpool(), "new")).length === 0, "the far spool is empty", LIMIT_MS);

const ASKS: Omit<EventFile, "sessionId"> = {
  event: "PermissionRequest",
  payload: { tool_name: "Bash", tool_input: { command: "rm -rf /" }, tool_use_id: "toolu_1" },
};

describe("an event of a target that speaks of an agent of this machine", () => {
  let local: Player;
  beforeEach(async () => {
    await Promise.all([integrate("host"), integrate("vm1")]);
    local = await play(near, remoteTargets.daemon.home);
    await local.frame("idle_fresh");
    await local.event("SessionStart");
    await local.frame("running");
    await local.event("UserPromptSubmit");
    await untilState(local, "running");
    await until(() => rowOf(local)?.agent_session_id === local.sessionId, "its session is known", LIMIT_MS);
  });

  it("changes nothing of it, whatever of it the event names", async () => {
    const { sessionId, pid, paneId } = local;
    const tmux = `${near.socketPath},${await near.serverPid()},0`;
    const before = rowOf(local);
    for (const claim of [ASKS, { event: "Stop" }, { event: "SessionEnd" }]) {
      drop({ ...claim, sessionId });
      drop({ ...claim, sessionId, ppid: pid });
      drop({ ...claim, sessionId, tmux, pane: paneId, ppid: pid });
      drop({ ...claim, sessionId, pane: paneId });
    }
    await untilTaken();
    const after = rowOf(local);
    expect(after).toMatchObject({ state: "running", request: null, state_version: before?.state_version });
    const told = remoteTargets.daemon.timeline(local.paneId);
    expect(told.filter((state) => ["waiting_approval", "completed"].includes(state))).toEqual([]);
    // Its own events still count.
    await local.frame("completed");
    await local.event("Stop");
    await untilState(local, "completed");
  });

  it("does not take the session from it either: events without a pane still find it", async () => {
    const there = await play(remote, server.remoteHome);
    await there.frame("running");
    await untilState(there, "running", "vm1");
    const tmux = `${remote.socketPath},${await remote.serverPid()},0`;
    drop({ event: "SessionStart", sessionId: local.sessionId, tmux, pane: there.paneId });
    await until(
      () => rowOf(there, "vm1")?.agent_session_id === local.sessionId,
      "the far agent says that it has the same session",
      LIMIT_MS,
    );
    const { spool } = remoteTargets.daemon.paths;
    await local.frame("completed");
    dropEvent(spool, "0000000001-1", eventText({ event: "Stop", sessionId: local.sessionId }));
    await until(() => rowOf(local)?.reason_code === "turn_ended", "its own event counts", LIMIT_MS);
    expect(rowOf(there, "vm1")?.reason_code).not.toBe("turn_ended");
  });
});
