// The harness of the action tests with its panes behind a real sshd: `tmux` is the far server. Nothing of this machine is watched,
// so that a pane's id names a far pane, unless a test wants both beside each other. The remote side runs as the same user with a home of its own.
import { join } from "node:path";
import { actionGuardsSchema, type ActionGuards } from "../../core/model/action.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import type { Harness } from "../actions/actionHarness.ts";
import { framesOf } from "../chain/chainHarness.ts";
import { createMovedClock } from "../endurance/movedClock.ts";
import { startTestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { createRemoteTmux, remoteTmuxSettings } from "./remoteTmux.ts";
import { createSshServer } from "./sshServer.ts";

export const LIMIT_MS = 20_000;
export type Transport = "openssh" | "ssh2";

/** Resolves once `vm1` is connected. `tmuxPath`: the remote tmux program. `isBeside`: a tmux of this machine is watched too. */
export const openTargetHarness = async (
  transport: Transport,
  { tmuxPath, isBeside = false }: { tmuxPath?: string; isBeside?: boolean } = {},
) => {
  const server = await createSshServer();
  const tmux = createRemoteTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
  const near = createPrivateTmux();
  if (isBeside) await near.newSession("here");
  const clock = createMovedClock();
  const daemon = await startTestDaemon({
    sockets: [isBeside ? near.socketPath : join(tmux.folder, "none")],
    clock,
    env: { AGTMUX_SSH_CONFIG: server.configFile },
  });
  const players: Player[] = [];
  /** `vm1` as it is listed now. */
  const target = (): TargetView | undefined =>
    daemon.daemon.service.targets().find((one) => one.target === "vm1");
  const rowsOf = (name: string): PaneView[] => daemon.rows().filter((row) => row.identity.target === name);
  const untilHealth = (health: TargetView["health"]) =>
    until(() => target()?.health === health, `vm1 is ${health}`, LIMIT_MS);
  const close = async (): Promise<void> => {
    for (const player of players) await player.close();
    await daemon.close();
    // What a killed connection leaves ends by itself, a moment later.
    await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
    await server.close();
    await Promise.all([tmux.close(), near.close()]);
  };
  const settings = {
    name: "vm1",
    ssh_target: "vm1",
    transport,
    tmux_servers: [{ name: "far", socket_path: tmux.socketPath }],
    ...remoteTmuxSettings,
    ...(tmuxPath === undefined ? {} : { tmux_path: tmuxPath }),
  };
  try {
    await daemon.configure({ targets: [settings] });
    await untilHealth("ok");
    await until(() => rowsOf("vm1").length > 0, "the far pane is listed", LIMIT_MS);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    server,
    /** Of the daemon. */
    clock,
    tmux,
    daemon,
    target,
    untilHealth,
    rowsOf,
    /** The player's pane is shown in this state. */
    untilState: (player: Player, state: string): Promise<void> =>
      until(
        () => rowsOf("vm1").some((row) => row.identity.pane_id === player.paneId && row.state === state),
        `the far pane is ${state}`,
        LIMIT_MS,
      ),
    close,
    get service() {
      return daemon.daemon.service;
    },
    open: async (command: string) => {
      const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
      const row = await daemon.until(paneId, () => true, LIMIT_MS);
      return { ...row, identity: { ...row.identity, pane_id: paneId } };
    },
    request: (row: PaneView, guards: Partial<ActionGuards> = {}) => ({
      ref: row.identity.pane_ref,
      guards: { ...actionGuardsSchema.parse({}), ...guards },
      surface: "test",
    }),
    screen: (paneId: string) => tmux.run("capture-pane", "-p", "-J", "-t", paneId),
    /** Plays an agent in a far pane, with the far home. */
    play: async (agent: string): Promise<Player> => {
      const player = await createPlayer({
        tmux,
        home: server.remoteHome,
        recordingsDir: framesOf(agent),
        agent,
      });
      players.push(player);
      return player;
    },
  } satisfies Harness & Record<string, unknown>;
};

export type TargetHarness = Awaited<ReturnType<typeof openTargetHarness>>;
