// A target behind a real sshd: its panes stand beside those of this machine.
import { describe, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { openTwoTargets } from "./twoTargetsHarness.ts";
import { LIMIT_MS } from "./targetHarness.ts";

describe.concurrent.each(["openssh", "ssh2"] as const)("a target over %s", (transport) => {
  it("shows its panes with their true states beside those of this machine", async ({ expect }) => {
    const beside = await openTwoTargets(transport);
    try {
      await beside.configure();
      expect(beside.target()).toMatchObject({ kind: "ssh", connection_ref: "vm1", transport, enabled: true });
      await until(() => beside.rowsOf("vm1").length === 1, "the far pane is listed", LIMIT_MS);
      expect(beside.rowsOf("host")).toHaveLength(1);
      const player = await beside.play();
      await player.frame("waiting_approval");
      await beside.untilState(player, "waiting_approval");
      await player.frame("tool_running");
      await beside.untilState(player, "running");
    } finally {
      await beside.close();
    }
  });
});
