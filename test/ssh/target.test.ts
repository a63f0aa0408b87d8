// A target behind a real sshd: its panes stand beside those of this machine.
import { describe, it } from "vitest";
import { openTargetHarness } from "./targetHarness.ts";

describe.concurrent.each(["openssh", "ssh2"] as const)("a target over %s", (transport) => {
  it("shows its panes with their true states beside those of this machine", async ({ expect }) => {
    const beside = await openTargetHarness(transport, { isBeside: true });
    try {
      expect(beside.target()).toMatchObject({ kind: "ssh", connection_ref: "vm1", transport, enabled: true });
      expect([beside.rowsOf("host").length, beside.rowsOf("vm1").length]).toEqual([1, 1]);
      const player = await beside.play("claude");
      await player.frame("waiting_approval");
      await beside.untilState(player, "waiting_approval");
      await player.frame("tool_running");
      await beside.untilState(player, "running");
    } finally {
      await beside.close();
    }
  });
});
