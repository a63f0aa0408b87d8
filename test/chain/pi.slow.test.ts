// pi as a person runs it: real tmux, the real daemon, the extension that the integration wrote, played frames.
import { describe, expect, it, vi } from "vitest";
import type { Player } from "../player/player.ts";
import { useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const harness = useChainHarness({ isConcurrent: true });
const { daemon } = harness;

const play = () => harness.play("pi");
const start = async (): Promise<Player> => {
  await harness.install("pi");
  const player = await play();
  await player.event("session_start");
  await player.frame("idle_fresh");
  await daemon.untilState(player.paneId, "idle");
  return player;
};
const prompt = async (player: Player, frame = "running"): Promise<void> => {
  for (const event of ["before_agent_start", "agent_start", "turn_start"]) await player.event(event);
  await player.frame(frame);
  await daemon.untilState(player.paneId, "running");
};
const askByExtension = async (player: Player): Promise<void> => {
  await player.event("tool_execution_start", {
    toolName: "bash",
    toolCallId: "call_1",
    args: { command: "touch gate.txt" },
  });
  await player.event("ui_prompt_start");
  await player.frame("waiting_approval_extension");
  await daemon.untilState(player.paneId, "waiting_approval");
};
const settle = async (player: Player, outcome: string, message: Record<string, unknown>): Promise<void> => {
  await player.event("turn_end", { message });
  await player.event("agent_end", { messages: [message] });
  if (outcome !== "aborted") await player.event("agent_before_settle", { outcome });
  await player.event("agent_settled");
};

describe.concurrent("a played pi with its extension", () => {
  it("goes from its prompt over an extension's gate to the end, and its row goes with it", async () => {
    const player = await start();
    await prompt(player);
    await askByExtension(player);
    expect(await daemon.untilState(player.paneId, "waiting_approval")).toMatchObject({
      agent: "pi",
      reason_code: "permission_tool",
      // The dialog's own text is what is asked; that it holds up a tool is what the event adds.
      request: {
        kind: "other",
        title: "Allow command: touch gate.txt?",
        body: "Allow command: touch gate.txt?",
      },
    });
    await player.event("ui_prompt_end");
    await player.frame("tool_running");
    await daemon.until(player.paneId, (row) => row.state === "running" && row.reason_code === "tool");
    await player.event("tool_execution_end", { toolName: "bash", toolCallId: "call_1" });
    await settle(player, "completed", { role: "assistant", stopReason: "stop" });
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed");
    await harness.untilTold(player, ["idle", "running", "waiting_approval", "running", "completed"]);
    await player.exit();
    await daemon.untilGone(player.paneId);
  });

  it("runs on when the person refuses what its extension asked", async () => {
    const player = await start();
    await prompt(player);
    await askByExtension(player);
    await player.event("ui_prompt_end");
    await player.event("tool_execution_end", { toolName: "bash", toolCallId: "call_1", isError: true });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("is interrupted, not completed, when its turn was aborted", async () => {
    const player = await start();
    await prompt(player);
    await settle(player, "aborted", { role: "assistant", stopReason: "aborted" });
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("runs on while it will try a failed request again, and fails when it settles", async () => {
    const player = await start();
    await prompt(player);
    const message = { role: "assistant", stopReason: "error", errorMessage: "500: lab failure" };
    await player.event("turn_end", { message });
    await player.event("agent_end", { messages: [message] });
    await player.event("agent_start");
    await settle(player, "error", { role: "assistant", stopReason: "error", errorMessage: "401: no key" });
    await player.frame("error_400");
    await daemon.until(player.paneId, (row) => row.state === "error" && row.reason_code === "auth_failed");
    await vi.waitFor(() =>
      expect(daemon.timeline(player.paneId).filter((state) => state === "error")).toHaveLength(1),
    );
    await prompt(player);
  });

  it("that is killed in the middle of a turn crashed: its exit is always announced", async () => {
    const player = await start();
    await prompt(player);
    await player.exit({ signal: "SIGKILL" });
    await daemon.until(player.paneId, (row) => row.reason_code === "crashed");
  });

  it("leaves waiting within two seconds when no event tells the answer", async () => {
    const player = await start();
    await prompt(player);
    await askByExtension(player);
    await player.frame("tool_running");
    await daemon.untilState(player.paneId, "running", WITHOUT_HOOK_MS);
  });
});

describe.concurrent("a played pi without its extension", () => {
  it("is right within two seconds by its screen alone", async () => {
    const player = await play();
    await harness.followsScreens(player, [
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval_extension", "waiting_approval"],
      ["tool_running", "running"],
      ["error_400", "error"],
      ["running", "running"],
      ["completed", "completed"],
    ]);
  });
});
