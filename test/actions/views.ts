// A text goes into the prompt's box or nowhere: menus, lists and views of an agent take keys as commands. Recorded with
// Claude Code 2.1.329, where each of them took a text and Enter and chose something, Codex 0.169.0, Gemini CLI 0.61.0, Copilot CLI
// 1.0.102, opencode 1.18.33, omp 18.2.3 and pi 0.87.1.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { openHarness, openPlayer, sendTo, type Harness } from "./actionHarness.ts";

const folderOf = (agent: string): string =>
  fileURLToPath(new URL(`../fixtures/views/${agent}`, import.meta.url));

/** What the agent shows beside its conversation, as far as it is recorded: by name. */
export const viewsOf = (agent: string): string[] =>
  readdirSync(folderOf(agent)).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));

/** The event by which each says that it is at its prompt. */
const STARTS: Readonly<Record<string, string>> = {
  copilot: "sessionStart",
  omp: "session_start",
  opencode: "session.created",
  pi: "session_start",
};

/** Tests that an agent which its event told to be at its prompt gets no text while it shows one of these. */
export const describeViews = (agent: string, views: readonly string[]): void => {
  describe(`a text for ${agent}`, () => {
    let harness: Harness;
    let player: Player;
    beforeAll(async () => {
      harness = await openHarness();
      await harness.service.integrationChange({ agent, action: "install", dryRun: false });
      player = await openPlayer(harness, agent);
      await player.frame("idle_fresh");
      await player.event(STARTS[agent] ?? "SessionStart");
      await harness.daemon.untilState(player.paneId, "idle");
    });
    afterAll(async () => {
      await player.close();
      await harness.close();
    });

    it.each(views)("is not typed into %s", async (view) => {
      const row = await harness.daemon.until(player.paneId, (one) => one.agent === agent);
      await player.frame(view, folderOf(agent));
      await expect(sendTo(harness, row, "do something", {}, { forceStale: true })).rejects.toMatchObject({
        code: "E_STALE_SNAPSHOT",
        message: expect.stringMatching(/its input box is not on the screen|a menu of its input box is open/),
      });
    });
  });
};
