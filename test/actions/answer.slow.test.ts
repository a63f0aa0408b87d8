// answer on real panes with the real daemon: what is chosen, what is refused, and what the outcomes mean.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AnswerChoice } from "../../core/model/action.ts";
import { openAgent } from "./agentPane.ts";
import { dialogOf, openDialogs } from "./dialogPane.ts";
import { CLAUDE, CLAUDE_OTHER, CODEX_QUESTION, YES } from "./dialogs.ts";
import { answerTo, openHarness, openPlayer, type Harness } from "./actionHarness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const APPROVE: AnswerChoice = { kind: "approve" };
const DENY: AnswerChoice = { kind: "deny" };
const option = (number: number): AnswerChoice => ({ kind: "option", number });

const OPENCODE = dialogOf("recordings/opencode/waiting_approval", {
  options: ["Allow once", "Allow always", "Reject"],
  colours: true,
  escapes: "Reject",
});
const OMP = dialogOf("recordings/omp/waiting_approval", {
  options: ["Approve", "Deny"],
  mark: "❯",
  escapes: "Deny",
});

describe.concurrent("chooses", () => {
  it.each([
    [option(1), "Red"],
    [option(3), "None of the above"],
  ] as const)("%j by moving to it", async (choice, label) => {
    const pane = await openDialogs(harness, "codex", [CODEX_QUESTION]);
    expect(await answerTo(harness, pane.row, choice)).toMatchObject({ outcome: "delivered" });
    expect(pane.chosen()).toEqual([["waiting_input_question", label]]);
  });

  it("from where the selection is now, not from where it was listed", async () => {
    const pane = await openDialogs(harness, "codex", [CODEX_QUESTION]);
    await harness.tmux.run("send-keys", "-t", pane.paneId, "Down", "Down");
    await vi.waitFor(async () => expect(await harness.screen(pane.paneId)).toContain("› 3. None"));
    expect(await answerTo(harness, pane.row, option(2))).toMatchObject({ outcome: "delivered" });
    expect(pane.chosen()).toEqual([["waiting_input_question", "Blue"]]);
  });

  it("by a selection that only colour shows", async () => {
    const pane = await openDialogs(harness, "opencode", [OPENCODE]);
    await harness.tmux.run("send-keys", "-t", pane.paneId, "Right", "Right");
    const screen = () => harness.tmux.run("capture-pane", "-p", "-e", "-t", pane.paneId);
    await vi.waitFor(async () => expect(await screen()).toMatch(/48;5;215m[^m]*Reject/));
    expect(await answerTo(harness, pane.row, APPROVE)).toMatchObject({ outcome: "delivered" });
    expect(pane.chosen()).toEqual([["waiting_approval", "Allow once"]]);
  });

  it("after the time in which a dialog ignores keys", async () => {
    const pane = await openDialogs(harness, "omp", [{ ...OMP, slowMs: 1_500 }]);
    // Its screen alone is never whole: see answerEvent.slow.test.ts for the approval.
    await expect(answerTo(harness, pane.row, APPROVE)).rejects.toMatchObject({ code: "E_NOT_SHOWN_WHOLE" });
    expect(await answerTo(harness, pane.row, DENY)).toMatchObject({ outcome: "delivered" });
    expect(pane.chosen()).toEqual([["waiting_approval", "Deny"]]);
  });

  it("a text, in a field that takes one", async () => {
    const free = dialogOf("variants/copilot/question_free_text", { options: [] });
    const field = free.text.split("\n").findLastIndex((row) => row.trim() === "│");
    const pane = await openDialogs(harness, "copilot", [{ ...free, field }]);
    const text = "the 'lab'; $(x) #{y} 漢字";
    expect(await answerTo(harness, pane.row, { kind: "text", text })).toMatchObject({ outcome: "delivered" });
    expect(pane.chosen()).toEqual([["question_free_text", text]]);
  });

  it("out of copy mode", async () => {
    const pane = await openDialogs(harness, "claude", [CLAUDE]);
    await harness.tmux.run("copy-mode", "-t", pane.paneId);
    expect(await answerTo(harness, pane.row, APPROVE)).toMatchObject({
      outcome: "delivered",
      notes: ["The pane was in copy mode, which was left."],
    });
    expect(pane.chosen()).toEqual([["waiting_approval", YES]]);
  });

  it("and says so when another prompt follows", async () => {
    const pane = await openDialogs(harness, "claude", [CLAUDE, CLAUDE_OTHER]);
    expect(await answerTo(harness, pane.row, APPROVE)).toMatchObject({
      outcome: "delivered",
      detail: expect.stringContaining("another prompt"),
    });
    expect(pane.chosen()).toEqual([["waiting_approval", YES]]);
  });

  it("and finds out when the prompt takes no notice", async () => {
    const pane = await openDialogs(harness, "claude", [{ ...CLAUDE, stuck: true }]);
    expect(await answerTo(harness, pane.row, APPROVE)).toMatchObject({ outcome: "not_delivered" });
    expect(pane.chosen()).toEqual([["waiting_approval", YES]]);
  });

  it("nothing when the selection does not move", async () => {
    const pane = await openDialogs(harness, "codex", [{ ...CODEX_QUESTION, digits: "only" }]);
    expect(await answerTo(harness, pane.row, option(2))).toMatchObject({
      outcome: "not_delivered",
      detail: expect.stringContaining("did not move"),
    });
    expect(pane.chosen()).toEqual([]);
  });

  it("once for the same key", async () => {
    const pane = await openDialogs(harness, "claude", [CLAUDE, CLAUDE_OTHER]);
    const first = await answerTo(harness, pane.row, APPROVE, {}, { idempotencyKey: "k" });
    const row = await harness.daemon.until(
      pane.paneId,
      ({ prompt_fingerprint: now }) => now !== null && now !== pane.row.prompt_fingerprint,
      10_000,
    );
    const again = await answerTo(harness, row, APPROVE, {}, { idempotencyKey: "k" });
    // Whoever repeats it as it was gets the same, though that prompt is gone.
    const asBefore = await answerTo(harness, pane.row, APPROVE, {}, { idempotencyKey: "k" });
    const repeat = { ...first, is_repeat: true };
    expect([first.is_repeat, again, asBefore]).toEqual([false, repeat, repeat]);
    expect(pane.chosen()).toEqual([["waiting_approval", YES]]);
    expect(await answerTo(harness, row, DENY, {}, { idempotencyKey: "other" })).toMatchObject({
      is_repeat: false,
    });
    expect(pane.chosen()).toHaveLength(2);
  });
});

describe.concurrent("refuses", () => {
  const refusal = (code: string) => expect.objectContaining({ code });

  it.each([
    ["was replaced by another", [CLAUDE, CLAUDE_OTHER]],
    ["was answered elsewhere", [CLAUDE]],
  ] as const)("a prompt that %s", async (_name, dialogs) => {
    const pane = await openDialogs(harness, "claude", dialogs);
    await pane.skip();
    await vi.waitFor(async () =>
      expect(await harness.screen(pane.paneId)).not.toContain(" touch approved.txt\n╌"),
    );
    await expect(answerTo(harness, pane.row, APPROVE, { forceStale: true })).rejects.toEqual(
      refusal("E_STALE_SNAPSHOT"),
    );
    expect(pane.chosen()).toEqual([]);
  });

  it("a prompt of which it is not known what approves, and names its options", async () => {
    const trust = dialogOf("recordings/claude/trust_dialog", {
      options: ["No, exit", "Yes, I trust all of it"],
      mark: "❯",
      // Words that nobody recorded.
      replace: ["Yes, I trust this folder", "Yes, I trust all of it"],
    });
    const pane = await openDialogs(harness, "claude", [trust]);
    for (const choice of [APPROVE, DENY, option(2), { kind: "text", text: "yes" } as const])
      await expect(answerTo(harness, pane.row, choice)).rejects.toMatchObject({
        code: "E_UNSUPPORTED",
        details: ["1. No, exit", "2. Yes, I trust all of it"],
      });
    await expect(answerTo(harness, pane.row, option(3))).rejects.toEqual(refusal("E_USAGE"));
    expect(pane.chosen()).toEqual([]);
  });

  it("an approval on the word of a screen that does not show everything, where it takes a refusal", async () => {
    const pane = await openDialogs(harness, "omp", [OMP]);
    await expect(answerTo(harness, pane.row, APPROVE)).rejects.toEqual(refusal("E_NOT_SHOWN_WHOLE"));
    expect(pane.chosen()).toEqual([]);
  });

  it("where no prompt is open, and where no agent is", async () => {
    const agent = await openAgent(harness);
    const guards = { ifPrompt: "0123456789abcdef" };
    await expect(answerTo(harness, agent.row, APPROVE, guards)).rejects.toEqual(refusal("E_STALE_SNAPSHOT"));
    const cat = await harness.open("exec cat");
    await expect(answerTo(harness, cat, APPROVE, guards)).rejects.toEqual(refusal("E_STALE_SNAPSHOT"));
    expect(agent.received()).toEqual([]);
  });

  it("an agent that sleeps behind a shell while its dialog stays on the screen", async () => {
    const player = await openPlayer(harness);
    try {
      await player.frame("waiting_approval");
      const row = await harness.daemon.until(player.paneId, ({ request }) => request !== null, 10_000);
      process.kill(player.pid, "SIGSTOP");
      const foreground = () =>
        harness.tmux.run("display-message", "-p", "-t", player.paneId, "#{pane_current_command}");
      await vi.waitFor(async () => expect(await foreground()).toBe("bash"), { timeout: 5_000 });
      await expect(answerTo(harness, row, APPROVE)).rejects.toMatchObject({
        code: "E_STALE_SNAPSHOT",
        message: expect.stringMatching(/background|not on the screen/),
      });
    } finally {
      process.kill(player.pid, "SIGCONT");
      await player.close();
    }
  });

  it("a second answer: of two at once exactly one arrives", async () => {
    const pane = await openDialogs(harness, "claude", [CLAUDE, CLAUDE_OTHER]);
    const results = await Promise.allSettled([
      answerTo(harness, pane.row, APPROVE),
      answerTo(harness, pane.row, DENY),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(pane.chosen()).toEqual([["waiting_approval", expect.any(String)]]);
  });

  it("a second answer to a prompt that looks the same", async () => {
    const pane = await openDialogs(harness, "claude", [CLAUDE, { ...CLAUDE, name: "again", isHeld: true }]);
    expect(await answerTo(harness, pane.row, APPROVE)).toMatchObject({ outcome: "delivered" });
    await pane.skip();
    await vi.waitFor(async () =>
      expect(await harness.screen(pane.paneId)).toContain("Do you want to proceed?"),
    );
    await expect(answerTo(harness, pane.row, APPROVE, { forceStale: true })).rejects.toEqual(
      refusal("E_STALE_SNAPSHOT"),
    );
    expect(pane.chosen()).toEqual([["waiting_approval", YES]]);
  });
});
