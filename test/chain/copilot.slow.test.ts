// Copilot CLI as a person runs it: real tmux, the real daemon, played frames, hooks and session log, behind its launcher.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const COMMAND = { command: "touch approved.txt" };
const SHELL = { toolName: "bash", toolArgs: { ...COMMAND, description: "Lab command", initial_wait: 5 } };
const REQUEST = { toolName: "bash", toolInput: COMMAND };
const PERMISSION = {
  notification_type: "permission_prompt",
  title: "Permission needed",
  message: "Run command: touch approved.txt",
};
const QUESTION = {
  toolName: "ask_user",
  toolArgs: {
    message: "Which colour should the lab use?",
    requestedSchema: { type: "object", properties: { colour: { type: "string", enum: ["Red", "Blue"] } } },
  },
};

const harness = useChainHarness({ isConcurrent: true });
const { daemon } = harness;

const play = () => harness.play("copilot");
const playWithHooks = async (): Promise<Player> => {
  await harness.install("copilot");
  const player = await play();
  await player.frame("idle_fresh");
  await daemon.untilState(player.paneId, "idle");
  // It comes with the first prompt.
  await player.event("sessionStart");
  return player;
};
const log = (player: Player, type: string, data: Record<string, unknown> = {}): Promise<void> =>
  player.transcriptLine({ type, data, id: crypto.randomUUID() });
const prompt = async (player: Player): Promise<void> => {
  await player.event("userPromptSubmitted", { prompt: "RUN touch approved.txt" });
  await log(player, "user.message", { content: "RUN touch approved.txt" });
  await log(player, "assistant.turn_start", { turnId: "0" });
  await player.frame("running");
  await daemon.untilState(player.paneId, "running");
};
const ask = async (player: Player): Promise<void> => {
  await player.event("preToolUse", SHELL);
  await log(player, "tool.execution_start", { toolCallId: "c1", toolName: "bash", arguments: COMMAND });
  await player.event("permissionRequest", REQUEST);
  await log(player, "permission.requested", {
    requestId: "r1",
    permissionRequest: { kind: "shell", fullCommandText: COMMAND.command },
  });
  await player.event("notification", PERMISSION);
  await player.frame("waiting_approval");
  await daemon.untilState(player.paneId, "waiting_approval");
  await harness.untilSeen(player, "waiting_approval");
};
/** States since the first prompt; the pane's start is not part of it. */
const turns = (player: Player): string[] => {
  const states = daemon.timeline(player.paneId);
  return states.slice(states.indexOf("running"));
};

describe.concurrent("a played Copilot with hooks and log", () => {
  it("runs, asks, is allowed, completes and leaves with its row", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await ask(player);
    const waiting = await daemon.untilState(player.paneId, "waiting_approval");
    expect(waiting).toMatchObject({
      agent: "copilot",
      reason_code: "permission_tool",
      request: { kind: "command", body: "touch approved.txt" },
    });
    await log(player, "permission.completed", { requestId: "r1", result: { kind: "approved" } });
    await player.frame("tool_running");
    await daemon.untilState(player.paneId, "running", WITHOUT_HOOK_MS);
    await player.event("postToolUse", SHELL);
    await log(player, "tool.execution_complete", { toolCallId: "c1", success: true });
    await log(player, "assistant.turn_end", { turnId: "0" });
    await log(player, "assistant.turn_start", { turnId: "1" });
    await log(player, "assistant.message", { content: "DONE" });
    await log(player, "assistant.turn_end", { turnId: "1" });
    await player.event("agentStop");
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed");
    expect(turns(player)).toEqual(["running", "waiting_approval", "running", "completed"]);
    await player.exit();
    await daemon.untilGone(player.paneId);
  });

  it("does not wait where the request over-fires and no dialog comes", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.event("preToolUse", SHELL);
    await player.event("permissionRequest", REQUEST);
    await player.frame("tool_running");
    await daemon.until(player.paneId, (row) => row.reason_code === "tool", WITHOUT_HOOK_MS);
    await player.event("postToolUse", SHELL);
    await player.event("agentStop");
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed");
    expect(turns(player)).toEqual(["running", "completed"]);
  });

  it("is idle within two seconds when the person denies and no hook fires", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await ask(player);
    await log(player, "permission.completed", { requestId: "r1", result: { kind: "denied" } });
    await log(player, "abort", { reason: "user_abort" });
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
    expect(turns(player)).toEqual(["running", "waiting_approval", "idle"]);
  });

  it("knows of an interrupt by the log alone", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await log(player, "abort", { reason: "user_abort" });
    await player.frame("exited");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });

  it("asks a question and goes on with the answer", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.event("preToolUse", QUESTION);
    await player.event("notification", {
      notification_type: "elicitation_dialog",
      title: "Information requested",
    });
    await player.frame("waiting_input_question");
    const waiting = await daemon.until(
      player.paneId,
      (row) => row.request?.body === "Which colour should the lab use?",
    );
    expect(waiting).toMatchObject({ state: "waiting_input", reason_code: "question" });
    await player.event("postToolUse", QUESTION);
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
    expect(turns(player)).toEqual(["running", "waiting_input", "running"]);
  });

  it("retries while it retries, fails at the end, and the next prompt clears the error", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.event("errorOccurred");
    await daemon.until(player.paneId, (row) => row.reason_code === "retrying");
    await log(player, "session.error", { errorType: "query", message: "500 lab failure", statusCode: 500 });
    await player.frame("error_500");
    await daemon.untilState(player.paneId, "error", WITHOUT_HOOK_MS);
    await prompt(player);
    expect(turns(player)).toEqual(["running", "error", "running"]);
  });

  it("that is killed in the middle of a turn shows a crash", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.exit({ signal: "SIGKILL" });
    await daemon.until(player.paneId, (row) => row.reason_code === "crashed");
  });

  it("lives on when only its launcher is ended", async () => {
    const player = await playWithHooks();
    await prompt(player);
    const launcher = Number(
      execFileSync("ps", ["-o", "ppid=", "-p", String(player.pid)], { encoding: "utf8" }).trim(),
    );
    process.kill(launcher, "SIGKILL");
    await log(player, "abort", { reason: "user_abort" });
    await player.frame("interrupted");
    const row = await daemon.until(
      player.paneId,
      ({ reason_code }) => reason_code === "interrupted",
      WITHOUT_HOOK_MS,
    );
    expect(row.agent).toBe("copilot");
    expect(player.isAlive()).toBe(true);
  });
});

describe.concurrent("a played Copilot without hooks", () => {
  it("is right within two seconds by its screen alone", async () => {
    const player = await play();
    await harness.followsScreens(player, [
      ["trust_dialog", "waiting_approval"],
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval", "waiting_approval"],
      ["tool_running", "running"],
      ["waiting_input_question", "waiting_input"],
      ["running", "running"],
      ["interrupted", "idle"],
      ["running", "running"],
      ["error_401", "error"],
    ]);
  });

  it("is right by its log when its screen says nothing, tied by the lock that bears its process id", async () => {
    const player = await play();
    const root = join(daemon.home, ".copilot");
    await log(player, "user.message", { content: "hello" });
    await log(player, "permission.requested", {
      requestId: "r1",
      permissionRequest: { kind: "shell", fullCommandText: "make" },
    });
    const lock = join(root, "session-state", player.sessionId, `inuse.${player.pid}.lock`);
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, String(player.pid));
    const entry = { working: true, refreshedAt: new Date().toISOString() };
    writeFileSync(join(root, "open-sessions-state.json"), JSON.stringify({ [player.sessionId]: entry }));
    const waiting = await daemon.untilState(player.paneId, "waiting_approval");
    expect(waiting.request).toMatchObject({ kind: "command", body: "make" });
    await log(player, "permission.completed", { requestId: "r1", result: { kind: "approved" } });
    await daemon.untilState(player.paneId, "running", WITHOUT_HOOK_MS);
  });
});
