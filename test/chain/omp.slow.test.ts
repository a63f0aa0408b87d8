// oh-my-pi as a person runs it: real tmux, the real daemon, the extension that the integration wrote, played frames.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const CALL = { toolName: "bash", toolCallId: "call_1" };

const harness = useChainHarness({ isConcurrent: true });
const { tmux, daemon } = harness;

const install = () => harness.install("omp");
const play = () => harness.play("omp");
const start = async (): Promise<Player> => {
  await install();
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
const askApproval = async (player: Player): Promise<void> => {
  await player.event("tool_execution_start", { ...CALL, args: { command: "touch approved.txt" } });
  await player.event("tool_approval_requested", CALL);
  await player.frame("waiting_approval");
  await daemon.untilState(player.paneId, "waiting_approval");
};
const end = async (player: Player, stopReason: string, errorMessage?: string): Promise<void> => {
  const message = { role: "assistant", stopReason, errorMessage };
  await player.event("turn_end", { message });
  if (stopReason !== "aborted") await player.event("session_stop", { last_assistant_message: message });
  await player.event("agent_end", { messages: [message] });
};

describe.concurrent("a played oh-my-pi with its extension", () => {
  it("goes from its prompt over an approval to the end, and its row goes with it", async () => {
    const player = await start();
    await prompt(player);
    await askApproval(player);
    expect(await daemon.untilState(player.paneId, "waiting_approval")).toMatchObject({
      agent: "omp",
      reason_code: "permission_tool",
      request: {
        kind: "command",
        title: "Allow tool: bash",
        body: "touch approved.txt",
        options: [
          { label: "Approve", keys: ["Enter"], role: "approve" },
          { label: "Deny", keys: ["Escape"], role: "deny" },
        ],
      },
      agent_session_id: player.sessionId,
    });
    await player.event("tool_approval_resolved", { ...CALL, approved: true });
    await player.frame("tool_running");
    await daemon.until(player.paneId, (row) => row.state === "running" && row.reason_code === "tool");
    await player.event("tool_execution_end", CALL);
    await end(player, "stop");
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed");
    await harness.untilTold(player, ["idle", "running", "waiting_approval", "running", "completed"]);
    await player.exit();
    await daemon.untilGone(player.paneId);
  });

  it("runs on when the person denies", async () => {
    const player = await start();
    await prompt(player);
    await askApproval(player);
    await player.event("tool_approval_resolved", { ...CALL, approved: false, reason: "denied" });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
  });

  it("tells an interruption from an end although both draw the same", async () => {
    const player = await start();
    await prompt(player);
    await end(player, "aborted", "Interrupted by user");
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("shows an API error, and the next prompt clears it", async () => {
    const player = await start();
    await prompt(player);
    await end(player, "error", "400 lab failure 400");
    await player.frame("error_400");
    await daemon.until(player.paneId, (row) => row.state === "error" && row.reason_code === "api_error");
    await prompt(player);
  });

  it("asks a question and leaves it when it is answered", async () => {
    const player = await start();
    await prompt(player);
    const questions = [
      { question: "Which colour should the lab use?", options: [{ label: "Red" }, { label: "Blue" }] },
    ];
    await player.event("tool_execution_start", {
      toolName: "ask",
      toolCallId: "call_2",
      args: { questions },
    });
    // It tells the question before it draws it, with one option more.
    const row = await daemon.untilState(player.paneId, "waiting_input");
    await player.frame("waiting_input_question");
    expect(row.request).toMatchObject({
      kind: "question",
      options: [
        { label: "Red", keys: ["Enter"] },
        { label: "Blue", keys: ["Down", "Enter"] },
      ],
    });
    await player.event("tool_execution_end", { toolName: "ask", toolCallId: "call_2" });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
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
    await askApproval(player);
    await player.frame("tool_running");
    await daemon.untilState(player.paneId, "running", WITHOUT_HOOK_MS);
  });
});

describe.concurrent("a played oh-my-pi without its extension", () => {
  it("is right within two seconds by its screen alone", async () => {
    const player = await play();
    await harness.followsScreens(player, [
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval", "waiting_approval"],
      ["tool_running", "running"],
      ["waiting_input_question", "waiting_input"],
      ["error_400", "error"],
      ["error_500", "running"],
      ["completed", "completed"],
    ]);
  });

  it("is followed by its breadcrumb to its session file when the screen says nothing", async () => {
    const player = await play();
    const tty = await tmux.run("display-message", "-p", "-t", player.paneId, "#{pane_tty}");
    const agent = join(daemon.home, ".omp", "agent");
    const session = join(agent, "sessions", "-", "s.jsonl");
    mkdirSync(dirname(session), { recursive: true });
    mkdirSync(join(agent, "terminal-sessions"));
    const stamp = new Date().toISOString();
    const lines = [
      { type: "session", version: 3, id: "s", timestamp: stamp, cwd: daemon.home },
      {
        type: "message",
        timestamp: stamp,
        message: { role: "assistant", content: [], stopReason: "aborted" },
      },
    ];
    writeFileSync(session, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    writeFileSync(
      join(agent, "terminal-sessions", tty.trim().replace("/dev/", "").replaceAll("/", "-")),
      `${daemon.home}\n${session}\n`,
    );
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted");
  });
});
