// The heart of kill: only what was confirmed, and no crash is claimed. The rest, and interrupt, is in stop.slow.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaemonService } from "../../core/api/calls.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Player } from "../player/player.ts";
import { openHarness, openPlayer, type Harness } from "./actionHarness.ts";

let harness: Harness;
const players: Player[] = [];
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  for (const player of players.splice(0)) await player.close();
  await harness.close();
});

const play = async (agent = "claude"): Promise<Player> => {
  const player = await openPlayer(harness, agent);
  players.push(player);
  return player;
};

type KillInput = Parameters<DaemonService["kill"]>[0];
const kill = (row: PaneView, more: Partial<KillInput> = {}) =>
  harness.service.kill({ ...harness.request(row), signal: "INT", isConfirmed: true, ...more });

describe.concurrent("kill", () => {
  it("asks first: nothing happens without a confirmation", async () => {
    const player = await play();
    const row = await harness.daemon.until(player.paneId, ({ agent }) => agent === "claude");
    await expect(kill(row, { isConfirmed: false })).rejects.toMatchObject({
      code: "E_CONFIRMATION_REQUIRED",
      message: expect.stringContaining(`INT to process ${player.pid} (claude)`),
    });
    expect(player.isAlive()).toBe(true);
  });

  it.each(["INT"] as const)("ends the process with %s, and that is no crash", async (signal) => {
    await harness.service.integrationChange({ agent: "claude", action: "install", dryRun: false });
    const player = await play();
    await player.event("SessionStart");
    await player.event("UserPromptSubmit");
    await player.frame("running");
    const row = await harness.daemon.untilState(player.paneId, "running");
    expect(await kill(row, { signal })).toMatchObject({ action: "kill", outcome: "delivered" });
    expect(player.isAlive()).toBe(false);
    await harness.daemon.untilGone(player.paneId);
    expect(harness.daemon.timeline(player.paneId)).not.toContain("error");
  });
});
