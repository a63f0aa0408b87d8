// An agent that is suspended (Ctrl-Z, SIGSTOP) does nothing, whatever its screen still shows: unknown, with the reason, until it
// goes on; and nothing is typed into it meanwhile.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { answerTo, openHarness, openPlayer, sendTo, type Harness } from "./actionHarness.ts";

/** Two seconds are promised; the rest is for a busy machine. */
const WITHIN_MS = 3_000;

let harness: Harness;
const players: Player[] = [];
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  for (const player of players.splice(0)) await player.close();
  await harness.close();
});

const play = async (): Promise<Player> => {
  const player = await openPlayer(harness, "claude");
  players.push(player);
  return player;
};
const untilSuspended = ({ paneId }: Player) =>
  harness.daemon.until(paneId, ({ reason_code: reason }) => reason === "suspended", WITHIN_MS);

describe.concurrent("a suspended agent", () => {
  it("in the background of its shell is unknown until it is brought back, and takes no text", async () => {
    const player = await play();
    await player.frame("running");
    await harness.daemon.untilState(player.paneId, "running");
    // As Ctrl-Z does to the group in front.
    process.kill(-player.pid, "SIGSTOP");
    const row = await untilSuspended(player);
    expect(row).toMatchObject({ state: "unknown", confidence: "low", needs_action: false });
    await expect(sendTo(harness, row, "go on")).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
    await harness.tmux.run("send-keys", "-t", player.paneId, "fg", "Enter");
    await harness.daemon.until(player.paneId, ({ reason_code: reason }) => reason !== "suspended", WITHIN_MS);
    await player.frame("running");
    await harness.daemon.untilState(player.paneId, "running", WITHIN_MS);
  });

  it("in front takes no answer, and its request is there again when it goes on", async () => {
    const player = await play();
    await player.frame("waiting_approval");
    const asked = await harness.daemon.until(player.paneId, (row) => row.prompt_fingerprint !== null);
    process.kill(player.pid, "SIGSTOP");
    await expect(answerTo(harness, asked, { kind: "approve" })).rejects.toMatchObject({
      code: "E_STALE_SNAPSHOT",
    });
    await untilSuspended(player);
    process.kill(player.pid, "SIGCONT");
    // As Claude Code does then: its shell has written into the dialog, where the cursor was.
    await player.frame("waiting_approval");
    const again = await harness.daemon.untilState(player.paneId, "waiting_approval", WITHIN_MS);
    expect(again.prompt_fingerprint).toBe(asked.prompt_fingerprint);
  });
});
