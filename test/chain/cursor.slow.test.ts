// The Cursor CLI on real tmux, as its documents and the screens that others published tell of it: nobody could record it.
import { describe, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { Player } from "../player/player.ts";
import { framesOf, useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const harness = useChainHarness({ isConcurrent: true });
const { daemon, tmux } = harness;

const play = (): Promise<Player> =>
  harness.play("cursor", { recordingsDir: framesOf("cursor", "published") });

describe.concurrent("a played Cursor", () => {
  it("shows what its screen asks, with low confidence, and nothing more once its input line is back", async () => {
    const player = await play();
    await player.frame("command");
    const row = await daemon.untilState(player.paneId, "waiting_approval", WITHOUT_HOOK_MS);
    expect(row).toMatchObject({
      agent: "cursor",
      confidence: "low",
      reason_code: "permission_tool",
      request: { kind: "command", title: "Run this command?", body: " $  wc -l notes.txt in ." },
    });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running", WITHOUT_HOOK_MS);
    await player.frame("question");
    await daemon.untilState(player.paneId, "waiting_input", WITHOUT_HOOK_MS);
    await player.frame("input_line");
    await daemon.untilState(player.paneId, "unknown", WITHOUT_HOOK_MS);
  });

  it("is answered by nobody but its person: its keys were never tried", async () => {
    const player = await play();
    await player.frame("command");
    // A dialog that does not show the whole of what it asks is named with the second look.
    const { identity, prompt_fingerprint } = await daemon.until(
      player.paneId,
      (row) => row.state === "waiting_approval" && row.prompt_fingerprint !== null,
      WITHOUT_HOOK_MS,
    );
    const asked = actionGuardsSchema.parse({ ifPrompt: prompt_fingerprint });
    for (const choice of [{ kind: "approve" }, { kind: "deny" }, { kind: "option", number: 1 }] as const)
      await expect(
        daemon.daemon.service.answer({
          ref: identity.pane_ref,
          guards: asked,
          surface: "cli",
          choice,
          idempotencyKey: null,
        }),
      ).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    expect(await tmux.run("capture-pane", "-p", "-t", player.paneId)).toContain("→ Run (once) (y)");
  });

  it("waits although its hooks say that it runs, runs on after it, and is done when they say so", async () => {
    await harness.install("cursor");
    const player = await play();
    await player.event("beforeSubmitPrompt", { prompt: "count" });
    await player.frame("running");
    await daemon.until(player.paneId, (row) => row.state === "running" && row.confidence === "medium");
    await player.frame("command_boxed");
    await daemon.untilState(player.paneId, "waiting_approval", WITHOUT_HOOK_MS);
    await player.event("postToolUse", { tool_name: "Shell" });
    await player.frame("input_line");
    await daemon.until(player.paneId, (row) => row.state === "running" && row.confidence === "medium");
    await player.event("stop", { status: "completed" });
    await daemon.untilState(player.paneId, "completed");
    await harness.untilTold(player, ["running", "waiting_approval", "running", "completed"]);
  });
});
