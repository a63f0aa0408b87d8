// A target behind a real sshd: it comes and goes with its connection.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, openTargetHarness, type TargetHarness } from "./targetHarness.ts";

/** What a connection has for an answer. */
const ANSWER_MS = 10_000;

describe.each(["openssh", "ssh2"] as const)("a target over %s", (transport) => {
  let beside: TargetHarness;
  beforeEach(async () => {
    beside = await openTargetHarness(transport, { isBeside: true });
  });
  afterEach(() => beside.close());

  it("is unknown at once when its connection breaks, and heals by itself", async () => {
    const player = await beside.play("claude");
    await player.frame("waiting_approval");
    await beside.untilState(player, "waiting_approval");
    await beside.server.stop();
    await beside.untilHealth("down");
    expect(beside.rowsOf("vm1").find((row) => row.identity.pane_id === player.paneId)).toMatchObject({
      state: "unknown",
      reason_code: "target_unreachable",
    });
    expect(beside.target()?.health_reason).toBeTruthy();
    // What nobody could see: the old state must not come back with the connection, not even for a moment.
    await player.frame("tool_running");
    const before = beside.daemon.timeline(player.paneId).length;
    await beside.server.start();
    await beside.untilHealth("ok");
    await beside.untilState(player, "running");
    expect(beside.daemon.timeline(player.paneId).slice(before)).toEqual(["running"]);
  });

  it("is asked by a forced attempt, and a connection that has frozen is found out", async () => {
    const connect = () => beside.service.targetConnect({ name: "vm1" });
    expect((await connect()).rtt_ms).toBeGreaterThan(0);
    const frozen = beside.server.sessionPids();
    for (const pid of frozen) process.kill(pid, "SIGSTOP");
    try {
      const answer = expect(connect()).rejects.toMatchObject({ code: "E_TARGET_UNREACHABLE" });
      await new Promise((asked) => setImmediate(asked));
      beside.clock.skip(ANSWER_MS);
      await answer;
    } finally {
      for (const pid of frozen) process.kill(pid, "SIGCONT");
    }
    await beside.untilHealth("ok");
    expect((await connect()).health).toBe("ok");
  });

  it("leaves nothing behind when it is removed", async () => {
    await beside.service.targetRemove({ name: "vm1", isConfirmed: true });
    expect(beside.target()).toBeUndefined();
    expect(beside.rowsOf("vm1")).toEqual([]);
    await until(
      () => beside.server.remoteProcesses().length === 0,
      "nothing of ours runs over there",
      LIMIT_MS,
    );
  });
});
