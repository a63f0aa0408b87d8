// An action on a pane behind a real sshd, over both transports.
import { describe, it } from "vitest";
import { dialogOf, openDialogs } from "../actions/dialogPane.ts";
import { openTargetHarness } from "./targetHarness.ts";

describe.concurrent.each(["openssh", "ssh2"] as const)("on a pane over %s", (transport) => {
  it("answer approves exactly the prompt that was seen", async ({ expect }) => {
    const harness = await openTargetHarness(transport);
    try {
      const dialog = dialogOf("recordings/claude/waiting_approval", {
        options: ["Yes", "Yes, and always allow access to this project", "No"],
        digits: "too",
      });
      const pane = await openDialogs(harness, "claude", [dialog]);
      const request = harness.request(pane.row, { ifPrompt: pane.row.prompt_fingerprint });
      const result = await harness.service.answer({
        ...request,
        choice: { kind: "approve" },
        idempotencyKey: null,
      });
      expect([result.outcome, pane.chosen()]).toEqual(["delivered", [[dialog.name, "Yes"]]]);
      await expect(
        harness.service.answer({ ...request, choice: { kind: "approve" }, idempotencyKey: null }),
      ).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
    } finally {
      await harness.close();
    }
  });
});
