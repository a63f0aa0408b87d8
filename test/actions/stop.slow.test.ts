// interrupt and kill on real processes with the real daemon.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaemonService } from "../../core/api/calls.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Player } from "../player/player.ts";
import { openAgent } from "./agentPane.ts";
import { openHarness, openPlayer, recordings, type Harness } from "./actionHarness.ts";

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
  it.each(["TERM", "KILL"] as const)("ends the process with %s, and that is no crash", async (signal) => {
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

  it("says so when the process goes on", async () => {
    const agent = await openAgent(harness, { ignoresSignals: true });
    const row = await harness.daemon.untilState(agent.paneId, "idle");
    expect(await kill(row)).toMatchObject({ outcome: "not_delivered" });
    expect(await kill(row, { signal: "KILL" })).toMatchObject({ outcome: "delivered" });
  });

  it("of Codex in a turn does not claim that the turn ended", async () => {
    const player = await play("codex");
    await player.frame("running");
    const row = await harness.daemon.untilState(player.paneId, "running");
    expect(await kill(row, { signal: "TERM" })).toMatchObject({ outcome: "unverified" });
    expect(player.isAlive()).toBe(false);
  });

  it("needs an agent, and the one that was meant", async () => {
    const cat = await harness.open("exec cat");
    await expect(kill(cat)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    const player = await play();
    const row = await harness.daemon.until(player.paneId, ({ agent }) => agent === "claude");
    const request = harness.request(row, { ifRuntime: "rt_other", forceStale: true });
    await expect(kill(row, request)).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
    expect(player.isAlive()).toBe(true);
  });
});

describe.concurrent("interrupt", () => {
  it("presses the agent's own key once and reports the state that it left", async () => {
    const agent = await openAgent(harness, { working: `${recordings("claude")}/running.txt` });
    const result = await harness.service.interrupt(harness.request(agent.row));
    expect([result.outcome, agent.received()]).toEqual(["delivered", ["escape"]]);
    const { items } = harness.service.audit({ limit: 50 });
    expect(items.find(({ action_id }) => action_id === result.action_id)).toMatchObject({
      followed_by: expect.arrayContaining([expect.objectContaining({ kind: "transition", what: "idle" })]),
    });
  });

  it("that has no effect is not delivered", async () => {
    const agent = await openAgent(harness, { working: `${recordings("claude")}/running.txt`, escapes: 9 });
    const result = await harness.service.interrupt(harness.request(agent.row));
    expect([result.outcome, agent.received()]).toEqual(["not_delivered", ["escape"]]);
  });

  it("is refused at rest, where the same key means something else", async () => {
    const agent = await openAgent(harness);
    await expect(harness.service.interrupt(harness.request(agent.row))).rejects.toMatchObject({
      code: "E_STALE_SNAPSHOT",
    });
    expect(agent.received()).toEqual([]);
  });

  it("of a pane without an agent is not supported", async () => {
    const cat = await harness.open("exec cat");
    await expect(harness.service.interrupt(harness.request(cat))).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
    });
  });
});
