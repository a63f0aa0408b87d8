// The surroundings that every chain test needs: a private tmux and a real daemon on it, which the tests of a file share, and
// players that are gone when their test is. Each test plays in panes of its own.
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import type { CanonicalState } from "../../core/model/state.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player, type PlayerOptions } from "../player/player.ts";

/** Two seconds are promised; the rest is for a busy machine. The figure itself comes from the benchmark. */
export const WITHOUT_HOOK_MS = 3_000;

export const AGENTS = ["claude", "codex", "gemini", "copilot", "opencode", "omp", "pi"] as const;
export type PlayedAgent = (typeof AGENTS)[number];

/** Folder of an agent's frames: recorded, made by hand from recorded texts, or after captures that others published. */
export const framesOf = (
  agent: string,
  kind: "recordings" | "variants" | "published" = "recordings",
): string => fileURLToPath(new URL(`../fixtures/${kind}/${agent}`, import.meta.url));

export interface ChainHarness {
  readonly tmux: PrivateTmux;
  readonly daemon: TestDaemon;
  /** Our hooks, plugin or extension into the agent's settings. */
  install(agent: string): Promise<unknown>;
  play(agent: string, more?: Partial<PlayerOptions>): Promise<Player>;
  /** Draws frame after frame; without any event each must be seen in time. */
  followsScreens(
    player: Player,
    frames: readonly (readonly [frame: string, state: CanonicalState])[],
  ): Promise<void>;
  /** Resolves when the screen alone shows this. A person answers what is on the screen: nobody is faster than the first look at it. */
  untilSeen(player: Player, state: CanonicalState): Promise<void>;
  /** The states that the feed told so far, `unknown` left out; it tells them a moment after the list does. */
  untilTold(player: Player, states: readonly CanonicalState[]): Promise<void>;
}

/** An object that is there only while the tests run. */
const standIn = <T extends object>(present: () => T): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every read goes to the present object
  new Proxy({} as T, { get: (_none, key) => Reflect.get(present(), key) as unknown });

/**
 * To be called once in a test file, outside of its tests. `isConcurrent`: its tests run at the same time, so that the players stay
 * until all of them have ended.
 */
export const useChainHarness = ({ isConcurrent = false } = {}): ChainHarness => {
  let tmux: PrivateTmux | null = null;
  let daemon: TestDaemon | null = null;
  const players: Player[] = [];
  /** Once for all tests of the file. */
  const installs = new Map<string, Promise<unknown>>();
  const now = () => {
    if (tmux === null || daemon === null) throw new Error("the harness exists only within a test");
    return { tmux, daemon };
  };
  beforeAll(async () => {
    tmux = createPrivateTmux();
    await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
    daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  });
  const closePlayers = async (): Promise<void> => {
    if (players.length === 0) return;
    for (const player of players.splice(0)) await player.close();
    // Gone already where a test closed the last of its panes.
    await tmux?.run("kill-session", "-t", "=player").catch(() => "");
  };
  afterEach(async () => {
    if (!isConcurrent) await closePlayers();
  });
  afterAll(async () => {
    await closePlayers();
    // Each may be missing where the harness could not be set up.
    await daemon?.close();
    daemon = null;
    await tmux?.close();
    tmux = null;
  });
  return {
    tmux: standIn(() => now().tmux),
    daemon: standIn(() => now().daemon),
    install: (agent) => {
      const { service } = now().daemon.daemon;
      const done =
        installs.get(agent) ?? service.integrationChange({ agent, action: "install", dryRun: false });
      installs.set(agent, done);
      return done;
    },
    play: async (agent, more = {}) => {
      const { tmux, daemon } = now();
      const player = await createPlayer({
        tmux: { socketArgs: tmux.socketArgs },
        home: daemon.home,
        recordingsDir: framesOf(agent),
        agent,
        ...more,
      });
      players.push(player);
      return player;
    },
    followsScreens: async (player, frames) => {
      for (const [frame, state] of frames) {
        await player.frame(frame);
        await now().daemon.untilState(player.paneId, state, WITHOUT_HOOK_MS);
      }
    },
    untilSeen: (player, state) =>
      vi.waitFor(async () => {
        const { daemon: running } = now();
        const row = running.rows().find((one) => one.identity.pane_id === player.paneId);
        const { evidence } = await running.daemon.service.explain({ ref: row?.identity.pane_ref ?? "" });
        expect(evidence.find((one) => one.source === "poller")?.state).toBe(state);
      }, WITHOUT_HOOK_MS),
    untilTold: (player, states) =>
      vi.waitFor(() => {
        const told = now().daemon.timeline(player.paneId);
        expect(told.filter((state) => state !== "unknown")).toEqual(states);
      }),
  };
};
