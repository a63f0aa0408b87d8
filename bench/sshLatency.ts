// The time from an event on a machine 50 ms away to the entry that a client of the feed receives.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import type { PaneView } from "../core/model/view.ts";
import { dropEvent, eventText } from "../test/harness/eventFile.ts";
import { createPlayer, type Player } from "../test/player/player.ts";
import { FeedWatch } from "./feedWatch.ts";
import { createSshHarness, untilHealth, type SshHarness, type Transport } from "./sshHarness.ts";
import { spreadOf, type Spread } from "./statistics.ts";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const PANES = 50;

const isState = (player: Player, state: string) => (pane: PaneView) =>
  pane.identity.pane_id === player.paneId && pane.state === state;

/** Drops event files as the hook does. */
export const createDropper = async ({ server, remote }: SshHarness) => {
  const spool = join(server.remoteHome, ".agtmux", "spool");
  for (const name of ["tmp", "new"]) mkdirSync(join(spool, name), { recursive: true, mode: 0o700 });
  const tmux = `${remote.socketPath},${await remote.serverPid()},0`;
  let dropped = 0;
  return (
    { paneId: pane, pid: ppid, sessionId }: Pick<Player, "paneId" | "pid" | "sessionId">,
    event: string,
    payload: Record<string, unknown>,
  ): number => {
    const text = eventText({ event, sessionId, tmux, pane, ppid, payload });
    return dropEvent(spool, `9${String((dropped += 1)).padStart(6, "0")}-0`, text);
  };
};

const measureHooks = async (
  drop: Awaited<ReturnType<typeof createDropper>>,
  player: Player,
  feed: FeedWatch,
  rounds: number,
): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [event, state] =
      round % 2 === 0 ? (["UserPromptSubmit", "running"] as const) : (["Stop", "completed"] as const);
    const arrived = feed.next(isState(player, state));
    const at = drop(player, event, { background_tasks: [] });
    sample.push((await arrived) - at);
    // The moments of looking must not fall in step with the dropping.
    await wait(137 * (1 + (round % 7)));
  }
  return spreadOf(sample);
};

const measureScreens = async (player: Player, feed: FeedWatch, rounds: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const running = feed.next(isState(player, "running"));
    await player.frame("tool_running");
    await running;
    await wait(500 + 137 * (1 + (round % 7)));
    const arrived = feed.next(isState(player, "waiting_approval"));
    const at = performance.now();
    await player.frame("waiting_approval");
    sample.push((await arrived) - at);
  }
  return spreadOf(sample);
};

export const benchSshLatency = async (transport: Transport, rounds: number) => {
  const harness = await createSshHarness(transport);
  const { remote, server } = harness;
  const players: Player[] = [];
  try {
    await remote.run("new-session", "-d", "-s", "s", "-x", "120", "-y", "40", "sleep 100000");
    for (let pane = 1; pane < PANES; pane += 1)
      await remote.run("new-window", "-d", "-t", "s:", "sleep 100000");
    const play = async (): Promise<Player> => {
      const player = await createPlayer({
        tmux: { socketArgs: remote.socketArgs, session: "s" },
        home: server.remoteHome,
        recordingsDir: RECORDINGS,
      });
      players.push(player);
      await player.frame("idle_fresh");
      return player;
    };
    const [hooked, silent] = [await play(), await play()];
    const drop = await createDropper(harness);
    const client = await harness.startDaemon([harness.settingsOf("vm1", harness.slowAlias)]);
    await untilHealth(client, "vm1", "ok");
    await wait(3_000);
    const feed = new FeedWatch(client);
    const hookToFeed = await measureHooks(drop, hooked, feed, rounds);
    const screenToFeed = await measureScreens(silent, feed, Math.ceil(rounds / 2));
    const targets = await client.call((api) => api.targets.query());
    await feed.close();
    return {
      rttMs: targets.find(({ target }) => target === "vm1")?.rtt_ms ?? null,
      /** The time from the rename into the remote spool to the client's feed, in milliseconds. */
      hookToFeed,
      /** The same from the first frame of a dialog without an event. */
      screenToFeed,
    };
  } finally {
    for (const player of players) await player.close();
    await harness.close();
  }
};

export type SshLatency = Awaited<ReturnType<typeof benchSshLatency>>;
