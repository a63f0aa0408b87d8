// What all agents share: panes that close or become another agent's, and two agents of one kind in one folder without
// any hook; and the turns of Claude that its own chain test does not play.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Player, PlayerOptions } from "../player/player.ts";
import { AGENTS, useChainHarness, WITHOUT_HOOK_MS } from "./chainHarness.ts";

const harness = useChainHarness({ isConcurrent: true });
const { tmux, daemon } = harness;

const bareHome = (): string => mkdtempSync(join(daemon.home, "bare-"));
/** Without hooks, which are installed in another home. */
const playBare = (agent: string, more: Partial<PlayerOptions> = {}): Promise<Player> =>
  harness.play(agent, { home: bareHome(), ...more });

describe.concurrent("a pane", () => {
  it.each(AGENTS)(
    "of a waiting %s that is closed takes its row along at once, and no crash is claimed",
    async (agent) => {
      const player = await playBare(agent);
      await player.frame(agent === "pi" ? "waiting_approval_extension" : "waiting_approval");
      await daemon.untilState(player.paneId, "waiting_approval", WITHOUT_HOOK_MS);
      await tmux.run("kill-pane", "-t", player.paneId);
      await daemon.untilGone(player.paneId);
      expect(daemon.timeline(player.paneId)).not.toContain("error");
    },
  );

  /** Each is followed by the next one, the last by the first. */
  const successors = AGENTS.map(
    (agent, index) => [agent, AGENTS[(index + 1) % AGENTS.length] ?? agent] as const,
  );

  it.each(successors)(
    "of a waiting %s that is respawned as %s keeps nothing of the one before",
    async (before, after) => {
      const first = await playBare(before);
      await first.frame(before === "pi" ? "waiting_approval_extension" : "waiting_approval");
      const old = await daemon.untilState(first.paneId, "waiting_approval", WITHOUT_HOOK_MS);
      await tmux.run("respawn-pane", "-k", "-t", first.paneId, "bash --norc --noprofile -i");
      await daemon.untilGone(first.paneId);
      const second = await playBare(after, { paneId: first.paneId });
      await second.frame("idle_fresh");
      const row = await daemon.untilState(second.paneId, "idle", WITHOUT_HOOK_MS);
      expect(row).toMatchObject({ agent: after, request: null, prompt_fingerprint: null });
      expect(row.identity.runtime_id).not.toBe(old.identity.runtime_id);
    },
  );
});

describe.concurrent("two agents of one kind in one folder, without any hook", () => {
  it.each(AGENTS)("are told apart: %s", async (agent) => {
    const home = bareHome();
    const [one, two] = [await playBare(agent, { home }), await playBare(agent, { home })];
    await Promise.all([one.frame("running"), two.frame("idle_fresh")]);
    await daemon.untilState(one.paneId, "running", WITHOUT_HOOK_MS);
    await daemon.untilState(two.paneId, "idle", WITHOUT_HOOK_MS);
  });
});

describe.concurrent("a played Claude with hooks", () => {
  const playWithHooks = async (): Promise<Player> => {
    await harness.install("claude");
    const player = await harness.play("claude");
    await player.event("UserPromptSubmit");
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
    return player;
  };

  it("asks a question, and goes on with the answer", async () => {
    const player = await playWithHooks();
    const question = {
      tool_name: "AskUserQuestion",
      tool_input: {
        questions: [
          { question: "Which colour?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] },
        ],
      },
      tool_use_id: "toolu_q",
    };
    await player.event("PreToolUse", question);
    await player.event("PermissionRequest", question);
    await player.frame("waiting_input_question");
    const row = await daemon.untilState(player.paneId, "waiting_input");
    expect(row.request).toMatchObject({ kind: "question" });
    await player.frame("running");
    await player.event("PostToolUse", { ...question, tool_response: {} });
    await daemon.untilState(player.paneId, "running");
  });

  it("shows a failure until the next prompt, whatever the screen shows meanwhile", async () => {
    const player = await playWithHooks();
    await player.event("StopFailure", { error: "rate_limit" });
    await player.frame("error_500");
    await daemon.until(player.paneId, (row) => row.reason_code === "rate_limited");
    await player.event("UserPromptSubmit");
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
  });

  it("that is interrupted without a hook is idle within two seconds", async () => {
    const player = await playWithHooks();
    await player.frame("interrupted");
    await daemon.until(player.paneId, (row) => row.reason_code === "interrupted", WITHOUT_HOOK_MS);
  });
});
