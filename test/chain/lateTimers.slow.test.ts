// A machine that lets timers sleep, as App Nap does with an app without windows: each is eight to twelve seconds late. What was
// known before must not flicker to unknown only because nobody looked in time.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "../../core/ports/clock.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { framesOf } from "./chainHarness.ts";

/** Waiting is all that this test does: time goes faster in it, for all alike. */
const SPEED = 10;
const WATCHED_MS = 90_000;

/** Not late before `fallAsleep`. */
const createDrowsyClock = (): { clock: Clock; fallAsleep: () => void } => {
  const from = Date.now();
  let timers = 0;
  let isAsleep = false;
  const lateness = (): number => (isAsleep ? 8_000 + ((timers += 1) % 5) * 1_000 : 0);
  return {
    clock: {
      now: () => from + (Date.now() - from) * SPEED,
      setTimer: (delayMs, callback) => {
        const timer = setTimeout(callback, (delayMs + lateness()) / SPEED);
        return () => clearTimeout(timer);
      },
    },
    fallAsleep: () => {
      isAsleep = true;
    },
  };
};

let tmux: PrivateTmux;
let daemon: TestDaemon;
let players: Player[];
let fallAsleep: () => void;
beforeEach(async () => {
  tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
  const drowsy = createDrowsyClock();
  ({ fallAsleep } = drowsy);
  daemon = await startTestDaemon({ sockets: [tmux.socketPath], clock: drowsy.clock });
  players = [];
});
afterEach(async () => {
  for (const player of players) await player.close();
  await daemon.close();
  await tmux.close();
});

const play = async (
  frame: "idle_fresh" | "waiting_approval" | "completed",
  state: string,
): Promise<Player> => {
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: framesOf("claude"),
    agent: "claude",
  });
  players.push(player);
  await player.frame(frame);
  await daemon.untilState(player.paneId, state);
  return player;
};

it("shows nothing as unknown that nobody could look at in time", async () => {
  const at = [
    await play("idle_fresh", "idle"),
    await play("waiting_approval", "waiting_approval"),
    await play("completed", "idle"),
  ];
  fallAsleep();
  const from = daemon.feed.length;
  await new Promise((next) => setTimeout(next, WATCHED_MS / SPEED));
  const told = daemon.feed
    .slice(from)
    .flatMap((entry) =>
      entry.kind === "state" ? [`${entry.pane.identity.pane_id} ${entry.pane.state}`] : [],
    );
  expect(told.filter((one) => one.endsWith("unknown"))).toEqual([]);
  expect(at.map(({ paneId }) => daemon.rows().find((row) => row.identity.pane_id === paneId)?.state)).toEqual(
    ["idle", "waiting_approval", "idle"],
  );
});
