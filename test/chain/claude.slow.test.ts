// The whole chain on real tmux: a played Claude in a pane, its installed hooks, the spool, the daemon, the feed.
import { describe, expect, it } from "vitest";
import { useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

/** The recorded gaps are those of a model that thinks. */
const SPEED = 10;

const harness = useChainHarness({ isConcurrent: true });
const { tmux, daemon } = harness;

const play = () => harness.play("claude");
const installHooks = () => harness.install("claude");

describe("panes", () => {
  it("without an agent are listed only when asked for, in order, and go when closed", async () => {
    expect(daemon.daemon.service.panes({}).items).toEqual([]);
    const paneId = await tmux.run("split-window", "-t", "base", "-P", "-F", "#{pane_id}");
    await daemon.until(paneId, (row) => row.agent === null);
    await tmux.run("kill-pane", "-t", paneId);
    await daemon.untilGone(paneId);
  });
});

describe.concurrent("a played Claude with hooks", () => {
  it("goes idle, running, waiting_approval, running, completed, and its row goes with it", async () => {
    await installHooks();
    const player = await play();
    await player.frame("idle_fresh");
    await player.event("SessionStart");
    await daemon.untilState(player.paneId, "idle");
    await player.sequence([{ recording: "waiting_approval", speed: SPEED }]);
    // It announces the prompt before it draws it.
    const waiting = await daemon.until(player.paneId, (row) => row.prompt_fingerprint !== null);
    expect(waiting).toMatchObject({
      state: "waiting_approval",
      reason_code: "permission_tool",
      needs_action: true,
      request: { kind: "command", body: "touch approved.txt" },
    });
    expect(waiting.prompt_fingerprint).toMatch(/^[0-9a-f]{16}$/);
    await player.frame("tool_running");
    await daemon.untilState(player.paneId, "running");
    await player.event("PostToolUse", {
      tool_name: "Bash",
      tool_input: { command: "touch approved.txt", description: "Lab command" },
    });
    await player.frame("completed");
    await player.event("Stop");
    await daemon.untilState(player.paneId, "completed");
    expect(daemon.timeline(player.paneId)).toEqual(
      expect.arrayContaining(["idle", "running", "waiting_approval", "completed"]),
    );
    await player.exit();
    await daemon.untilGone(player.paneId);
  });

  it("leaves waiting within two seconds when the person denies and no hook fires", async () => {
    await installHooks();
    const player = await play();
    await player.sequence([{ recording: "waiting_approval", speed: SPEED }]);
    await daemon.untilState(player.paneId, "waiting_approval");
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });

  it("that is killed in the middle of a turn shows a crash, whatever its screen still says", async () => {
    await installHooks();
    const player = await play();
    await player.event("UserPromptSubmit");
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
    await player.exit({ signal: "SIGKILL" });
    await daemon.until(player.paneId, (row) => row.reason_code === "crashed");
  });
});

// Alone, because it restarts the daemon of all.
describe("a played Claude with hooks", () => {
  it("delivers what was dropped while the daemon was down", async () => {
    await installHooks();
    const player = await play();
    await player.event("SessionStart");
    await daemon.untilState(player.paneId, "idle");
    const restarted = daemon.restart();
    await player.event("UserPromptSubmit");
    await player.frame("running");
    await restarted;
    await daemon.untilState(player.paneId, "running");
  });
});

describe.concurrent("a played Claude without hooks", () => {
  it("is right within two seconds by its screen alone", async () => {
    const player = await play();
    await harness.followsScreens(player, [
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval", "waiting_approval"],
      ["waiting_input_question", "waiting_input"],
      ["error_400", "error"],
    ]);
  });

  it("is right by its session file when its screen says nothing", async () => {
    const player = await play();
    await player.sessionFile("waiting", "permission prompt");
    await daemon.untilState(player.paneId, "waiting_approval");
    await player.sessionFile("busy");
    await daemon.untilState(player.paneId, "running");
  });
});

describe.concurrent("panes", () => {
  it("two agents in the same folder are never mixed up", async () => {
    await installHooks();
    const [first, second] = [await play(), await play()];
    await Promise.all([first.event("SessionStart"), second.event("SessionStart")]);
    await first.event("UserPromptSubmit");
    await first.frame("running");
    await daemon.untilState(first.paneId, "running");
    await daemon.untilState(second.paneId, "idle");
  });
});
