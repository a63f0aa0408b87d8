// End-to-end figures: from a dropped event, a drawn dialog and a new pane to the entry that a client of the feed receives,
// and what the daemon costs while nothing happens.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { PaneView } from "../core/model/view.ts";
import type { Player } from "../test/player/player.ts";
import { FeedWatch } from "./feedWatch.ts";
import { cpuSecondsOf, processFamily, residentMbOf, countChildren } from "./processCost.ts";
import { createScene, type Scene } from "./scene.ts";
import { spreadOf, type Spread } from "./statistics.ts";

export interface EndToEndFigures {
  panes: number;
  agents: number;
  /** Milliseconds from the start of the daemon's process to its first answer. */
  firstAnswerMs: number;
  /** From the rename into the spool to the client's feed, milliseconds. */
  hookToFeed: Spread;
  /** From the first frame that shows the dialog, for events that need confirmation. */
  dialogToFeed: Spread;
  /** From the return of split-window, in a session that nobody is attached to. */
  newPaneToFeed: Spread;
  idleSeconds: number;
  /** Share of one core, percent: the daemon with its children, and what the tmux server uses more than without it. */
  daemonCpuPercent: number;
  tmuxCpuPercent: number;
  residentMb: number;
  /** Children that the daemon started, per minute. */
  processesPerMinute: number;
}

const ROUNDS = 10;
/** Apart from the quiet stretch: the counting itself costs. */
const PROCESS_COUNT_SECONDS = 30;

let dropped = 0;
/** Drops an event file exactly as the hook does, and returns the moment before the rename. */
const drop = async (
  scene: Scene,
  player: Player,
  event: string,
  payload: Record<string, unknown>,
): Promise<number> => {
  dropped += 1;
  const name = `9${String(dropped).padStart(6, "0")}-0`;
  const header = `agtmux-event 1\nagent=claude\nevent=${event}\ntmux=${scene.tmux.socketPath},${await scene.tmux.serverPid()},0\npane=${player.paneId}\nppid=${player.pid}\n\n`;
  const temporary = join(scene.paths.spoolTmp, name);
  writeFileSync(
    temporary,
    header + JSON.stringify({ session_id: player.sessionId, hook_event_name: event, ...payload }),
    { mode: 0o600 },
  );
  const at = performance.now();
  renameSync(temporary, join(scene.paths.spoolNew, name));
  return at;
};

const isState = (player: Player, state: string) => (pane: PaneView) =>
  pane.identity.pane_id === player.paneId && pane.state === state;

const measureHooks = async (scene: Scene, feed: FeedWatch): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const player of scene.players) {
      const [event, state] =
        round % 2 === 0 ? (["UserPromptSubmit", "running"] as const) : (["Stop", "completed"] as const);
      const arrived = feed.next(isState(player, state));
      const at = await drop(scene, player, event, { background_tasks: [] });
      sample.push((await arrived) - at);
    }
  return spreadOf(sample);
};

/** An auto-accept mode makes Claude's permission event need its dialog. The recorded gap between event and dialog is kept. */
const measureDialogs = async (scene: Scene, feed: FeedWatch): Promise<Spread> => {
  const sample: number[] = [];
  for (const player of scene.players) {
    await player.frame("running");
    await drop(scene, player, "UserPromptSubmit", { permission_mode: "auto" });
    await wait(700);
    const arrived = feed.next(isState(player, "waiting_approval"));
    await drop(scene, player, "PermissionRequest", {
      permission_mode: "auto",
      tool_name: "Bash",
      tool_input: { command: "touch approved.txt" },
    });
    await wait(300);
    const drawing = performance.now();
    await player.frame("waiting_approval");
    sample.push((await arrived) - drawing);
    await player.frame("completed");
    await drop(scene, player, "Stop", { background_tasks: [] });
  }
  return spreadOf(sample);
};

const measureNewPanes = async (scene: Scene, feed: FeedWatch): Promise<Spread> => {
  const sample: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round += 1) {
    let paneId = "";
    const early: { pane: string; at: number }[] = [];
    const arrived = feed.next((pane) => {
      early.push({ pane: pane.identity.pane_id, at: performance.now() });
      return paneId !== "" && early.some((one) => one.pane === paneId);
    });
    paneId = await scene.tmux.run(
      "split-window",
      "-d",
      "-t",
      `s${round % 20}:0`,
      "-P",
      "-F",
      "#{pane_id}",
      "sleep 100000",
    );
    const at = performance.now();
    sample.push(Math.max(0, (await arrived) - at));
    await scene.tmux.run("kill-pane", "-t", paneId);
    // The moments of looking must not fall in step with the asking.
    await wait(137 * (1 + (round % 7)));
  }
  return spreadOf(sample);
};

/** CPU over a quiet stretch of the given length, in percent of a core, per group of processes. */
const measureQuiet = async (
  seconds: number,
  groups: readonly (() => readonly number[])[],
): Promise<number[]> => {
  const before = groups.map((pids) => cpuSecondsOf(pids()));
  await wait(seconds * 1_000);
  return groups.map((pids, index) => ((cpuSecondsOf(pids()) - (before[index] ?? 0)) / seconds) * 100);
};

export const benchEndToEnd = async (idleSeconds = 60): Promise<EndToEndFigures> => {
  const scene = await createScene({ sessions: 20, panes: 180, agents: 20 });
  try {
    for (const player of scene.players) await player.frame("idle_fresh");
    const tmuxPid = await scene.tmux.serverPid();
    await wait(2_000);
    const [tmuxAlone = Number.NaN] = await measureQuiet(idleSeconds, [() => [tmuxPid]]);

    const startedAt = performance.now();
    const daemon = await scene.startDaemon();
    await daemon.client.call((api) => api.panes.query({}));
    const firstAnswerMs = performance.now() - startedAt;
    await wait(5_000);
    const [daemonCpuPercent = Number.NaN, tmuxWithDaemon = Number.NaN] = await measureQuiet(idleSeconds, [
      () => processFamily(daemon.pid),
      () => [tmuxPid],
    ]);
    const stopCounting = countChildren(daemon.pid);
    await wait(PROCESS_COUNT_SECONDS * 1_000);
    const startedProcesses = stopCounting();
    const residentMb = residentMbOf(daemon.pid);

    const feed = new FeedWatch(daemon.client);
    const hookToFeed = await measureHooks(scene, feed);
    const newPaneToFeed = await measureNewPanes(scene, feed);
    const dialogToFeed = await measureDialogs(scene, feed);
    await feed.close();
    await daemon.stop();
    return {
      panes: 200,
      agents: scene.players.length,
      firstAnswerMs,
      hookToFeed,
      dialogToFeed,
      newPaneToFeed,
      idleSeconds,
      daemonCpuPercent,
      tmuxCpuPercent: tmuxWithDaemon - tmuxAlone,
      residentMb,
      processesPerMinute: (startedProcesses / PROCESS_COUNT_SECONDS) * 60,
    };
  } finally {
    await scene.close();
  }
};
