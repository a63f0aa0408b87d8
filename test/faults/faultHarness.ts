// What every fault is shown on: a real tmux with three played agents whose states are known, a daemon as a process of its
// own, events dropped as the hook drops them, and the count of what was lost or told wrongly.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { CanonicalState } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import {
  connectOnceUp,
  connectTo,
  type DaemonProcess,
  startDaemonProcess,
} from "../harness/daemonProcess.ts";
import { dropEvent, eventText } from "../harness/eventFile.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { bundleDaemon } from "./bundledDaemon.ts";
import { countPending, readPrompts } from "./storedEvents.ts";

// The picture of an agent at work with its clock counted on, as the real one redraws it: a picture that stays the same is no
// sign of life.

const FRAME = "tool_running";
const CLOCK = "(3s ";

/** `folder` is made for it; `recordings`: those of the agent. Resolves with each drawing once it is in the terminal. */
const createWorkingFrame = (folder: string, recordings: string): ((player: Player) => Promise<void>) => {
  mkdirSync(folder);
  for (const kind of ["json", "txt"])
    copyFileSync(join(recordings, `${FRAME}.${kind}`), join(folder, `${FRAME}.${kind}`));
  const recorded = readFileSync(join(recordings, `${FRAME}.ansi`), "utf8");
  if (!recorded.includes(CLOCK)) throw new Error(`the recording ${FRAME} shows no '${CLOCK}'`);
  let seconds = 0;
  return (player) => {
    seconds += 1;
    writeFileSync(join(folder, `${FRAME}.ansi`), recorded.replace(CLOCK, `(${seconds}s `));
    return player.frame(FRAME, folder);
  };
};

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const SCRIPT = fileURLToPath(new URL("../../resources/hooks/agtmux-event", import.meta.url));
export const LIMIT_MS = 60_000;
/** For hundreds of thousands of files on a busy machine. */
const DRAIN_LIMIT_MS = 1_200_000;

/** A played agent and what it is in truth. */
export interface Played {
  player: Player;
  state: CanonicalState;
}

export interface Agents {
  waiting: Played;
  running: Played;
  idle: Played;
}

/** `homeOf` makes the folder in which the home is to be, and `release` takes it back, for faults of the disk. */
export const openFaultHarness = async (
  options: { homeOf?: (root: string) => string; release?: () => void } = {},
) => {
  const main = await bundleDaemon();
  const root = mkdtempSync(join(tmpdir(), "agtmux-f-"));
  const home = join(root, "home");
  const paths = runtimePaths(join(options.homeOf?.(root) ?? root, "a"));
  mkdirSync(home);
  for (const folder of [paths.home, paths.binDir, paths.spool, paths.spoolTmp, paths.spoolNew])
    mkdirSync(folder, { mode: 0o700 });
  const eventScript = join(paths.binDir, "agtmux-event");
  await copyFile(SCRIPT, eventScript);
  const drawWorking = createWorkingFrame(join(root, "frames"), RECORDINGS);
  const tmux = createPrivateTmux();
  const openSession = () => tmux.run("new-session", "-d", "-s", "player", "-x", "120", "-y", "40");
  await openSession();
  const play = async (state: CanonicalState, frame: string): Promise<Played> => {
    const player = await createPlayer({
      tmux: { socketArgs: tmux.socketArgs },
      home,
      recordingsDir: RECORDINGS,
      eventScript,
    });
    await player.frame(frame);
    return { player, state };
  };
  const agents: Agents = {
    waiting: await play("waiting_approval", "waiting_approval"),
    running: await play("running", "tool_running"),
    idle: await play("idle", "idle_fresh"),
  };
  let serverPid = await tmux.serverPid();
  const dropped: string[] = [];
  const wrong: string[] = [];
  const daemons: DaemonProcess[] = [];
  let client: DaemonClient | null = null;
  let tried = 0;

  const connect = (): Promise<DaemonClient> => connectTo(paths.home, 10_000);
  const launch = (): DaemonProcess => {
    const daemon = startDaemonProcess({
      home: paths.home,
      main,
      env: { HOME: home, AGTMUX_TMUX_SOCKETS: tmux.socketPath },
    });
    daemons.push(daemon);
    return daemon;
  };
  const untilAnswers = async (): Promise<void> => {
    client?.close();
    client = null;
    client = await connectOnceUp(paths.home, LIMIT_MS);
  };
  const look = async (): Promise<PaneView[]> => {
    client ??= await connect();
    const { items } = await client.call((api) => api.panes.query({}));
    const rows: PaneView[] = [];
    for (const { player, state } of Object.values(agents)) {
      const row = items.find(({ identity }) => identity.pane_id === player.paneId);
      if (row === undefined) continue;
      rows.push(row);
      if (row.state !== state && row.state !== "unknown")
        wrong.push(`${state} was shown as ${row.state}/${row.reason_code}`);
    }
    return rows;
  };
  const isTrue = async (): Promise<boolean> => {
    const rows = await look().catch((error: unknown) => {
      if (!(error instanceof AgtmuxError)) throw error;
      client?.close();
      client = null;
      return [];
    });
    return Object.values(agents).every(({ player, state }) =>
      rows.some(({ identity, state: shown }) => identity.pane_id === player.paneId && shown === state),
    );
  };

  const redraw = (): Promise<void> => drawWorking(agents.running.player);
  const untilTrue = async (): Promise<number> => {
    const from = performance.now();
    await redraw();
    await until(isTrue, "every agent is shown as what it is", LIMIT_MS).catch(async (cause: unknown) => {
      const rows = await look().catch(() => []);
      throw new Error(JSON.stringify(rows.map(({ state, reason_code }) => [state, reason_code])), { cause });
    });
    return performance.now() - from;
  };

  const dropOne = (): boolean => {
    const { paneId, sessionId, pid } = agents.running.player;
    const prompt = `p-${String((tried += 1)).padStart(6, "0")}`;
    const place = { tmux: `${tmux.socketPath},${serverPid},0`, pane: paneId, ppid: pid };
    const event = { event: "UserPromptSubmit", sessionId, payload: { prompt }, ...place };
    try {
      dropEvent(paths.spool, prompt, eventText(event));
    } catch {
      // What cannot be written is no event: the hook gives up as well.
      return false;
    }
    dropped.push(prompt);
    return true;
  };

  return {
    root,
    paths,
    tmux,
    agents,
    /** Prompts that were dropped as events of the running agent, in order. */
    dropped,
    /** Rows that claimed a state which the agent was not in; not knowing is no wrong claim. */
    wrong,
    /** Starts the daemon without waiting for it. */
    launch,
    /** Starts it and resolves when it answers. */
    start: async (): Promise<DaemonProcess> => {
      const daemon = launch();
      await untilAnswers();
      return daemon;
    },
    /** Drops prompts of the running agent, one unless told otherwise; false where the last cannot be written. */
    drop: (count: number = 1): boolean => Array.from({ length: count }, dropOne).at(-1) ?? false,
    connect,
    /** Plays other agents on a tmux server that was started again: each in the pane id that another one had before. */
    replay: async (): Promise<void> => {
      for (const { player } of Object.values(agents)) await player.close();
      await openSession();
      serverPid = await tmux.serverPid();
      const { waiting, running, idle } = agents;
      const first = await play("running", "tool_running");
      const second = await play("idle", "idle_fresh");
      const third = await play("waiting_approval", "waiting_approval");
      Object.assign(agents, { waiting: third, running: first, idle: second });
      const ids = [waiting, running, idle].map(({ player }) => player.paneId);
      if (![first, second, third].every(({ player }) => ids.includes(player.paneId)))
        throw new Error("the pane ids did not come back");
    },
    /** A sign of life of the running agent: the frame of its turn with the time counted on. */
    redraw,
    /** The waiting agent is allowed to go on, or asks again. */
    turnWaiting: async (): Promise<void> => {
      const { waiting } = agents;
      const asks = waiting.state !== "waiting_approval";
      waiting.state = asks ? "waiting_approval" : "running";
      await waiting.player.frame(asks ? "waiting_approval" : "tool_running");
    },
    /** The rows of the agents now; what they claim wrongly is noted. */
    look,
    /** Resolves with the time it took until every agent is shown as what it is. */
    untilTrue,
    /** The same after an agent changed unseen: until it is seen for the first time, its old state is no wrong claim. */
    untilTrueAfterChange: async (): Promise<number> => {
      const noted = wrong.length;
      const tookMs = await untilTrue();
      wrong.length = noted;
      return tookMs;
    },
    /** Resolves once the spool is empty and no event waits for its agent any more. */
    untilDrained: async (): Promise<void> => {
      const end = performance.now() + DRAIN_LIMIT_MS;
      for (;;) {
        const left = readdirSync(paths.spoolNew).length;
        if (left === 0) break;
        if (performance.now() > end) throw new Error(`${left} files are still in the spool`);
        // Listing a large folder again and again would hold up who empties it.
        await wait(left > 500 ? 1_000 : 10);
      }
      await until(() => countPending(paths.stateDb) === 0, "no event waits for its agent", LIMIT_MS);
    },
    /** Prompts in the database, in order, from a file of its own where one is given. */
    stored: (path: string = paths.stateDb): string[] => readPrompts(path),
    close: async (): Promise<void> => {
      client?.close();
      for (const daemon of daemons) await daemon.stop("SIGKILL");
      for (const { player } of Object.values(agents)) await player.close();
      await tmux.close();
      options.release?.();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export type FaultHarness = Awaited<ReturnType<typeof openFaultHarness>>;
