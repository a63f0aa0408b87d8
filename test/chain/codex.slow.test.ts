// Codex as a person runs it: real tmux, the real daemon, played frames and events. Its hooks run in a background server
// with the environment of a pane that is gone, unless a test says otherwise.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Player, PlayerOptions } from "../player/player.ts";
import { framesOf, useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const VARIANTS = framesOf("codex", "variants");
const PROMPT = "RUN touch approved.txt !!";

const harness = useChainHarness({ isConcurrent: true });
const { tmux, daemon } = harness;
let goneEnv: Record<string, string>;

beforeAll(async () => {
  const gone = await tmux.run("split-window", "-d", "-t", "base", "-P", "-F", "#{pane_id}");
  await tmux.run("kill-pane", "-t", gone);
  goneEnv = { TMUX: `${tmux.socketPath},${await tmux.serverPid()},0`, TMUX_PANE: gone };
  await harness.install("codex");
});

const play = (more: Partial<PlayerOptions> = {}, hasServer = true): Promise<Player> =>
  harness.play("codex", { cwd: folder(), ...(hasServer ? { backgroundEnv: goneEnv } : {}), ...more });
/** Of its own: where others play, too, an event may be anyone's. */
const folder = (): string => mkdtempSync(join(daemon.home, "project-"));
/** Alone in its folder: its session is tied by the first prompt. */
const begin = async (player: Player, prompt = PROMPT): Promise<void> => {
  await player.frame("idle_fresh");
  await daemon.untilState(player.paneId, "idle");
  await player.event("SessionStart");
  await player.event("UserPromptSubmit", { prompt });
  await player.frame("running");
  await daemon.untilState(player.paneId, "running");
};
const ask = async (player: Player): Promise<void> => {
  await player.event("PreToolUse");
  await player.event("PermissionRequest");
  await player.frame("waiting_approval");
  await daemon.untilState(player.paneId, "waiting_approval");
  await harness.untilSeen(player, "waiting_approval");
};

describe.concurrent("a played Codex with hooks", () => {
  it("goes idle, running, waiting_approval, running, completed, and its row goes with it", async () => {
    const player = await play();
    await begin(player);
    await ask(player);
    const waiting = await daemon.untilState(player.paneId, "waiting_approval");
    expect(waiting).toMatchObject({
      reason_code: "permission_tool",
      needs_action: true,
      request: { kind: "command", body: "touch approved.txt" },
    });
    await player.frame("tool_running");
    await player.event("PostToolUse");
    await daemon.untilState(player.paneId, "running");
    await player.frame("completed");
    await player.event("Stop");
    await daemon.untilState(player.paneId, "completed");
    expect(daemon.timeline(player.paneId).filter((state) => state !== "unknown")).toEqual([
      "idle",
      "running",
      "waiting_approval",
      "running",
      "completed",
    ]);
    await player.exit();
    await daemon.untilGone(player.paneId);
  });

  it("leaves waiting at once when the person denies", async () => {
    const player = await play();
    await begin(player);
    await ask(player);
    await player.frame("denied_esc");
    await player.event("Interrupt");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });

  it("is interrupted, not completed, when the person stops it while it works", async () => {
    const player = await play();
    await begin(player);
    await player.event("Interrupt");
    await player.frame("denied_esc");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("leaves waiting within two seconds when the hook of a denial is lost", async () => {
    const player = await play();
    await begin(player);
    await ask(player);
    await player.frame("denied_esc");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });

  it("asks a question, and does not where the tool is refused outside Plan mode", async () => {
    const player = await play();
    await begin(player, "ASK which colour it should be");
    await player.event("PreToolUse", { tool_name: "request_user_input", tool_input: {} });
    await player.frame("ask_default_mode");
    await player.event("Stop");
    await daemon.untilState(player.paneId, "completed");
    expect(daemon.timeline(player.paneId)).not.toContain("waiting_input");
    await player.sequence([{ recording: "waiting_input_question" }]);
    const row = await daemon.untilState(player.paneId, "waiting_input");
    expect(row).toMatchObject({
      reason_code: "question",
      request: { kind: "question", body: "Which colour should the lab use?" },
    });
    await player.event("Interrupt");
    await player.frame("denied_esc");
    await daemon.untilState(player.paneId, "idle");
  });

  it("shows an error that only its rollout tells", async () => {
    const player = await play();
    await begin(player);
    await player.transcriptLine({ type: "event_msg", payload: { type: "task_started", turn_id: "t1" } });
    await player.transcriptLine({
      type: "event_msg",
      payload: {
        type: "task_complete",
        turn_id: "t1",
        last_agent_message: null,
        error: { message: "exceeded retry limit, last status: 429 Too Many Requests" },
      },
    });
    await player.frame("transcript_overlay", VARIANTS);
    await daemon.until(player.paneId, (row) => row.reason_code === "rate_limited");
    await player.event("UserPromptSubmit", { prompt: PROMPT });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
  });

  it("keeps the parent running while its sub-agent comes and goes", async () => {
    const player = await play();
    await begin(player);
    await player.event("SubagentStart", { agent_id: "sub-1" });
    await player.event("UserPromptSubmit", { agent_id: "sub-1", prompt: "SAY sub-agent here, at length" });
    await player.event("SubagentStop", { agent_id: "sub-1" });
    await player.event("Stop", { agent_id: "sub-1" });
    await player.event("PostToolUse", { tool_name: "spawn_agent", tool_use_id: "call_1", tool_input: {} });
    await daemon.until(player.paneId, (row) => row.reason_code === "thinking");
    expect(daemon.timeline(player.paneId)).not.toContain("completed");
  });

  it("that is killed takes its row with it, and the server's late events change nobody", async () => {
    const project = folder();
    const killed = await play({ cwd: project });
    await begin(killed);
    await killed.exit({ signal: "SIGKILL" });
    await daemon.untilGone(killed.paneId);
    const next = await play({ cwd: project });
    await next.frame("idle_fresh");
    await daemon.untilState(next.paneId, "idle");
    await killed.event("PermissionRequest");
    await killed.event("Stop");
    // Delivered in order: what the next one's own event does shows that the late ones are through.
    await next.event("UserPromptSubmit", { prompt: PROMPT });
    await next.frame("running");
    await daemon.untilState(next.paneId, "running");
    expect(daemon.timeline(next.paneId).filter((state) => state !== "unknown")).toEqual(["idle", "running"]);
  });
});

describe.concurrent("two played Codex windows whose hooks name a third pane", () => {
  it("in different folders get their own events", async () => {
    const [one, two] = [await play({ cwd: folder() }), await play({ cwd: folder() })];
    for (const player of [one, two]) {
      await player.frame("idle_fresh");
      await daemon.untilState(player.paneId, "idle");
    }
    await begin(one);
    await ask(one);
    await daemon.untilState(two.paneId, "idle");
    expect(daemon.timeline(two.paneId)).not.toContain("waiting_approval");
    await begin(two);
    await daemon.untilState(one.paneId, "waiting_approval");
  });

  it("in the same folder are told apart by the prompt that each shows", async () => {
    const project = folder();
    const [one, two] = [await play({ cwd: project }), await play({ cwd: project })];
    for (const player of [one, two]) {
      await player.frame("idle_fresh");
      await daemon.untilState(player.paneId, "idle");
    }
    await two.event("UserPromptSubmit", { prompt: PROMPT });
    await two.event("PreToolUse");
    await two.event("PermissionRequest");
    // It shows the prompt but no state: that it waits is known by its event alone.
    await two.frame("streaming_without_title", VARIANTS);
    const row = await daemon.untilState(two.paneId, "waiting_approval");
    expect(row.agent_session_id).toBe(two.sessionId);
    await daemon.untilState(one.paneId, "idle");
    expect(daemon.timeline(one.paneId)).not.toContain("waiting_approval");
  });

  it("in the same folder with one and the same prompt get nothing that may be the other's", async () => {
    const project = folder();
    const [one, two] = [await play({ cwd: project }), await play({ cwd: project })];
    for (const player of [one, two]) {
      await player.frame("completed");
      await daemon.until(player.paneId, (row) => row.reason_code === "demoted");
    }
    await two.event("UserPromptSubmit", { prompt: "hello from the lab" });
    await two.event("PermissionRequest");
    // The one that ran it in its own process is known by that.
    const own = await play({ cwd: project }, false);
    await own.frame("idle_fresh");
    await own.event("UserPromptSubmit", { prompt: "hello from the lab" });
    await own.event("PermissionRequest");
    await own.frame("waiting_approval");
    await daemon.untilState(own.paneId, "waiting_approval");
    for (const player of [one, two]) expect(daemon.timeline(player.paneId)).not.toContain("waiting_approval");
  });
});

describe.concurrent("a played Codex without hooks", () => {
  it("is right within two seconds by its screen and title alone", async () => {
    const player = await play({ home: folder() });
    await harness.followsScreens(player, [
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval", "waiting_approval"],
      ["denied_esc", "idle"],
      ["tool_running", "running"],
      ["waiting_input_question", "waiting_input"],
      ["completed", "completed"],
      ["error_400", "error"],
      ["startup_hooks_review", "waiting_approval"],
      ["running", "running"],
      ["trust_dialog", "waiting_approval"],
    ]);
  });

  it("counts no more when it is killed, whatever its screen and title still show", async () => {
    const player = await play({ home: folder() });
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
    await player.exit({ signal: "SIGINT" });
    await daemon.untilGone(player.paneId);
  });
});
