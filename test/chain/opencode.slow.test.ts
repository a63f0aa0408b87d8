// opencode as a person runs it: real tmux, the real daemon, the plugin file that the integration wrote, played frames.
import { describe, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

/** Its session: of its own, because others play at the same time. */
const rootOf = (player: Player): string => `ses_${player.sessionId}`;

const harness = useChainHarness({ isConcurrent: true });
const { daemon } = harness;

const install = () => harness.install("opencode");
const play = () => harness.play("opencode");
const status = (player: Player, type: string) =>
  player.event("session.status", { sessionID: rootOf(player), status: { type } });
const idle = async (player: Player): Promise<void> => {
  await status(player, "idle");
  await player.event("session.idle", { sessionID: rootOf(player) });
};
const prompt = async (player: Player, frame = "running"): Promise<void> => {
  await player.event("session.created", { sessionID: rootOf(player), info: { id: rootOf(player) } });
  await player.event("chat.message", { sessionID: rootOf(player) });
  await status(player, "busy");
  await player.frame(frame);
  await daemon.untilState(player.paneId, "running");
};
const askPermission = async (player: Player): Promise<void> => {
  await player.event("tool.execute.before", { sessionID: rootOf(player), tool: "bash", callID: "call_1" });
  await player.event("permission.asked", { sessionID: rootOf(player), id: "per_1" });
  await player.frame("waiting_approval");
  await daemon.untilState(player.paneId, "waiting_approval");
};

describe.concurrent("a played opencode with its plugin", () => {
  it("goes from its prompt over an approval to the end, and its row goes with it", async () => {
    await install();
    const player = await play();
    await player.frame("idle_fresh");
    await daemon.untilState(player.paneId, "idle");
    await prompt(player);
    await askPermission(player);
    expect(await daemon.untilState(player.paneId, "waiting_approval")).toMatchObject({
      agent: "opencode",
      reason_code: "permission_tool",
      request: { kind: "command", body: "touch approved.txt", options: [{ label: "Allow once" }, {}, {}] },
    });
    await player.event("permission.replied", {
      sessionID: rootOf(player),
      requestID: "per_1",
      reply: "once",
    });
    await player.frame("tool_running");
    await daemon.untilState(player.paneId, "running");
    await player.event("tool.execute.after", { sessionID: rootOf(player), tool: "bash", callID: "call_1" });
    await idle(player);
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed");
    await harness.untilTold(player, ["idle", "running", "waiting_approval", "running", "completed"]);
    await player.exit();
    await daemon.untilGone(player.paneId);
  });

  it("is interrupted, not completed, when the person refuses and the turn ends", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await askPermission(player);
    await player.event("permission.replied", {
      sessionID: rootOf(player),
      requestID: "per_1",
      reply: "reject",
    });
    await idle(player);
    // A dialog that was still there would be newer than what the events tell.
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("tells an interruption from an end although both end in idle", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await player.event("session.error", {
      sessionID: rootOf(player),
      error: { name: "MessageAbortedError" },
    });
    await idle(player);
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("shows an API error that ends in idle, and the next prompt clears it", async () => {
    await install();
    const player = await play();
    await prompt(player);
    const error = { name: "APIError", data: { statusCode: 401, message: "lab failure 401" } };
    await player.event("session.error", { sessionID: rootOf(player), error });
    await idle(player);
    await idle(player);
    await player.frame("error_401");
    await daemon.until(player.paneId, (row) => row.state === "error" && row.reason_code === "auth_failed");
    await prompt(player);
  });

  it("asks a question and leaves it when it is answered", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await player.event("question.asked", { sessionID: rootOf(player), id: "que_1" });
    await player.frame("waiting_input_question");
    // The keys are those of the dialog, which is drawn after the event.
    const row = await daemon.until(
      player.paneId,
      ({ state, prompt_fingerprint: name }) => state === "waiting_input" && name !== null,
    );
    expect(row.request).toMatchObject({
      kind: "question",
      title: "Which colour should the lab use?",
      options: [
        { label: "Red", keys: ["Enter"] },
        { label: "Blue", keys: ["Down", "Enter"] },
        { label: "Type your own answer", keys: null },
      ],
    });
    await player.event("question.replied", { sessionID: rootOf(player), requestID: "que_1" });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
  });

  it("keeps running while a sub-agent's session ends", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await player.event("session.created", {
      sessionID: `${rootOf(player)}_child`,
      info: { id: `${rootOf(player)}_child`, parentID: rootOf(player) },
    });
    await player.event("session.status", { sessionID: `${rootOf(player)}_child`, status: { type: "busy" } });
    await daemon.until(player.paneId, (row) => row.reason_code === "subagent");
    await player.event("session.idle", { sessionID: `${rootOf(player)}_child` });
    await player.event("tool.execute.after", { sessionID: rootOf(player), tool: "task", callID: "call_2" });
    await daemon.until(player.paneId, (row) => row.reason_code === "thinking");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("retries: still running", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await player.event("session.status", {
      sessionID: rootOf(player),
      status: { type: "retry", attempt: 3 },
    });
    await player.frame("error_500");
    await daemon.until(player.paneId, (row) => row.reason_code === "retrying");
  });

  it("just ends when it is killed: it announces no exit, so nothing proves a crash", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await player.exit({ signal: "SIGKILL" });
    await daemon.untilGone(player.paneId);
  });

  it("leaves waiting within two seconds when no event tells the answer", async () => {
    await install();
    const player = await play();
    await prompt(player);
    await askPermission(player);
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });
});

describe.concurrent("a played opencode without its plugin", () => {
  it("is right within two seconds by its screen alone", async () => {
    const player = await play();
    await harness.followsScreens(player, [
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval", "waiting_approval"],
      ["tool_running", "running"],
      ["waiting_input_question", "waiting_input"],
      ["error_400", "error"],
      ["error_cut_retrying", "running"],
      ["completed", "completed"],
    ]);
  });
});
