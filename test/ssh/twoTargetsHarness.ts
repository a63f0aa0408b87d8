// A target behind a real sshd whose panes stand beside those of this machine.
import { framesOf } from "../chain/chainHarness.ts";
import { createMovedClock, type MovedClock } from "../endurance/movedClock.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { createRemoteTmux, remoteTmuxSettings } from "./remoteTmux.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";
import { LIMIT_MS, type Transport } from "./targetHarness.ts";

export interface TwoTargets {
  readonly server: SshServer;
  readonly clock: MovedClock;
  readonly test: TestDaemon;
  /** Puts `vm1` into config.json; resolves when it is connected. */
  configure(): Promise<void>;
  target(): TargetView | undefined;
  untilHealth(health: TargetView["health"]): Promise<void>;
  rowsOf(target: string): PaneView[];
  /** Plays an agent in a far pane. */
  play(): Promise<Player>;
  untilState(player: Player, state: string): Promise<void>;
  close(): Promise<void>;
}

export const openTwoTargets = async (transport: Transport): Promise<TwoTargets> => {
  const server = await createSshServer();
  const [remote, near] = [createRemoteTmux(), createPrivateTmux()];
  await Promise.all([remote.newSession("work"), near.newSession("here")]);
  const clock = createMovedClock();
  const test = await startTestDaemon({
    sockets: [near.socketPath],
    clock,
    env: { AGTMUX_SSH_CONFIG: server.configFile },
  });
  const players: Player[] = [];
  const target = () => test.daemon.service.targets().find((one) => one.target === "vm1");
  const rowsOf = (name: string) => test.rows().filter((row) => row.identity.target === name);
  return {
    server,
    clock,
    test,
    target,
    rowsOf,
    configure: async () => {
      const settings = {
        name: "vm1",
        ssh_target: "vm1",
        transport,
        tmux_servers: [{ name: "far", socket_path: remote.socketPath }],
        ...remoteTmuxSettings,
      };
      await test.configure({ targets: [settings] });
      await until(() => (target()?.rtt_ms ?? 0) > 0, `vm1 is connected`, LIMIT_MS);
    },
    untilHealth: (health) =>
      until(() => target()?.health === health, `vm1 is ${health}: ${JSON.stringify(target())}`, LIMIT_MS),
    play: async () => {
      const player = await createPlayer({
        tmux: remote,
        home: server.remoteHome,
        recordingsDir: framesOf("claude"),
        agent: "claude",
      });
      players.push(player);
      return player;
    },
    untilState: (player, state) =>
      until(
        () => rowsOf("vm1").some((row) => row.identity.pane_id === player.paneId && row.state === state),
        `the far pane is ${state}`,
        LIMIT_MS,
      ),
    close: async () => {
      for (const player of players) await player.close();
      await test.close();
      const left = server.remoteProcesses();
      await Promise.all([server.close(), remote.close(), near.close()]);
      if (left.length > 0) throw new Error(`left over there: ${left.join(", ")}`);
    },
  };
};
