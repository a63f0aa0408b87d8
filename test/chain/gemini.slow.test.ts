// Gemini CLI as a person runs it: real tmux, the real daemon, played frames, titles and hooks.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Player } from "../player/player.ts";
import { useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const SHELL = { tool_name: "run_shell_command", tool_input: { command: "touch approved.txt" } };
const PERMISSION = {
  notification_type: "ToolPermission",
  message: "Tool Confirm Shell Command requires execution",
  details: {
    type: "exec",
    title: "Confirm Shell Command",
    command: "touch approved.txt",
    rootCommand: "touch",
  },
};

const harness = useChainHarness();
const { daemon, tmux } = harness;

const play = () => harness.play("gemini");
const playWithHooks = async (): Promise<Player> => {
  await harness.install("gemini");
  const player = await play();
  await player.frame("idle_fresh");
  await player.event("SessionStart");
  await daemon.untilState(player.paneId, "idle");
  return player;
};
const prompt = async (player: Player): Promise<void> => {
  await player.event("BeforeAgent", { prompt: "RUN touch approved.txt" });
  await player.frame("running");
  await daemon.untilState(player.paneId, "running");
};
const ask = async (player: Player): Promise<void> => {
  await player.event("BeforeTool", SHELL);
  await player.event("Notification", PERMISSION);
  await player.frame("waiting_approval");
  await daemon.untilState(player.paneId, "waiting_approval");
  await harness.untilSeen(player, "waiting_approval");
};
/** States since the prompt; the pane's start is not part of it. */
const turns = (player: Player): string[] => {
  const states = daemon.timeline(player.paneId);
  return states.slice(states.indexOf("running"));
};

describe("a played Gemini with hooks", () => {
  it("runs, asks, is allowed, completes and leaves with its row", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await ask(player);
    const waiting = await daemon.untilState(player.paneId, "waiting_approval");
    expect(waiting).toMatchObject({
      agent: "gemini",
      reason_code: "permission_tool",
      request: { kind: "command", body: "touch approved.txt" },
    });
    await player.frame("tool_running");
    await daemon.untilState(player.paneId, "running", WITHOUT_HOOK_MS);
    await player.event("AfterTool", SHELL);
    await player.event("AfterAgent", { prompt_response: "DONE" });
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed");
    expect(turns(player)).toEqual(["running", "waiting_approval", "running", "completed"]);
    await player.exit();
    await daemon.untilGone(player.paneId);
    expect(daemon.timeline(player.paneId)).not.toContain("error");
  });

  it("is idle within two seconds when the person denies and no hook fires", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await ask(player);
    await player.frame("denied");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
    expect(turns(player)).toEqual(["running", "waiting_approval", "idle"]);
  });

  it("asks a question and goes on with the answer", async () => {
    const player = await playWithHooks();
    await prompt(player);
    const questions = [{ question: "Which colour should the lab use?", options: [{ label: "Red" }] }];
    await player.event("BeforeTool", { tool_name: "ask_user", tool_input: { questions } });
    await player.event("Notification", {
      notification_type: "ToolPermission",
      message: "Tool requires confirmation",
      details: { type: "ask_user", title: "Ask User" },
    });
    await player.frame("waiting_input_question");
    const waiting = await daemon.until(
      player.paneId,
      (row) => row.request?.body === "Which colour should the lab use?",
    );
    expect(waiting).toMatchObject({ state: "waiting_input", reason_code: "question" });
    await harness.untilSeen(player, "waiting_input");
    await player.frame("running");
    await player.event("AfterTool", { tool_name: "ask_user", tool_input: { questions } });
    await daemon.untilState(player.paneId, "running");
    expect(turns(player)).toEqual(["running", "waiting_input", "running"]);
  });

  it("shows a failed request at once, and the next prompt clears it", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.event("AfterAgent", { prompt_response: "[no response text]" });
    await player.frame("error_400");
    await daemon.untilState(player.paneId, "error");
    await prompt(player);
    expect(turns(player)).toEqual(["running", "error", "running"]);
  });

  it("shows a cut answer as an error, though its event looks like an end", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.event("AfterAgent", { prompt_response: "about to be cut" });
    await player.frame("error_cut");
    await daemon.untilState(player.paneId, "error", WITHOUT_HOOK_MS);
  });

  it("shows an interrupted answer as idle, though its event looks like an end", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.event("AfterAgent", { prompt_response: "word1 word2" });
    await player.frame("denied");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });

  it("that is killed in the middle of a turn shows a crash, whatever its title still says", async () => {
    const player = await playWithHooks();
    await prompt(player);
    await player.exit({ signal: "SIGKILL" });
    await daemon.until(player.paneId, (row) => row.reason_code === "crashed");
  });
});

describe("a played Gemini without hooks", () => {
  it("is right within two seconds by title and screen", async () => {
    const player = await play();
    await harness.followsScreens(player, [
      ["trust_dialog", "waiting_approval"],
      ["idle_fresh", "idle"],
      ["running", "running"],
      ["waiting_approval", "waiting_approval"],
      ["tool_running", "running"],
      ["waiting_input_question", "waiting_input"],
      ["error_500", "running"],
      ["error_400", "error"],
      ["running", "running"],
      ["denied", "idle"],
    ]);
  });
});

describe("a Gemini that a script tells of", () => {
  const page = readFileSync(new URL("../../docs/integrations.md", import.meta.url), "utf8");
  const [, block = ""] = /## Gemini in scripts[^]*?```sh\n([^]*?)```/.exec(page) ?? [];
  const [tell = "", ...lines] = block.split("\n").filter((line) => line !== "");

  it("goes through the states that docs/integrations.md names, line by line", async () => {
    const player = await play();
    await daemon.until(player.paneId, (row) => row.agent === "gemini", WITHOUT_HOOK_MS);
    const place = await tmux.run("display-message", "-p", "-t", player.paneId, "#{socket_path},#{pid},0");
    const env = {
      ...process.env,
      AGTMUX_HOME: daemon.paths.home,
      TMUX: place.trim(),
      TMUX_PANE: player.paneId,
    };
    const expected = [
      ["running", "thinking"],
      ["running", "tool"],
      ["waiting_approval", "permission_tool"],
      ["running", "thinking"],
      ["completed", "turn_ended"],
    ] as const;
    expect(lines).toHaveLength(expected.length);
    for (const [index, [state, reason]] of expected.entries()) {
      await promisify(execFile)("sh", ["-c", `${tell}\n${lines[index] ?? ""}`], { env });
      await daemon.until(player.paneId, (row) => row.state === state && row.reason_code === reason);
    }
    await harness.untilTold(player, ["running", "waiting_approval", "running", "completed"]);
  });
});
