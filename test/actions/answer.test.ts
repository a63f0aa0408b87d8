// The heart of answer: the choice that was made is made, and only of the prompt that was named. The rest is in answer.slow.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnswerChoice } from "../../core/model/action.ts";
import { answerTo, openHarness, type Harness } from "./actionHarness.ts";
import { openDialogs } from "./dialogPane.ts";
import { CLAUDE, CLAUDE_OPTIONS, YES } from "./dialogs.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const APPROVE: AnswerChoice = { kind: "approve" };
const DENY: AnswerChoice = { kind: "deny" };
const option = (number: number): AnswerChoice => ({ kind: "option", number });

describe.concurrent("chooses", () => {
  it.each([
    ["approve", APPROVE, YES],
    ["deny", DENY, "No"],
    ["an option", option(2), CLAUDE_OPTIONS[1]],
  ])("%s by its digit", async (_name, choice, label) => {
    const pane = await openDialogs(harness, "claude", [CLAUDE]);
    const result = await answerTo(harness, pane.row, choice);
    expect([result, pane.chosen()]).toMatchObject([
      { action: "answer", outcome: "delivered", notes: [] },
      [["waiting_approval", label]],
    ]);
    const { items } = harness.service.audit({ limit: 50 });
    expect(items.find(({ ref }) => ref === pane.row.identity.pane_ref)).toMatchObject({
      action: "answer",
      outcome: "delivered",
      prompt_fingerprint: pane.row.prompt_fingerprint,
    });
    await harness.daemon.until(pane.paneId, ({ request }) => request === null, 10_000);
  });
});

describe.concurrent("refuses", () => {
  const refusal = (code: string) => expect.objectContaining({ code });

  it("an answer that names no prompt, or another one", async () => {
    const pane = await openDialogs(harness, "claude", [CLAUDE]);
    await expect(answerTo(harness, pane.row, APPROVE, { ifPrompt: null })).rejects.toEqual(
      refusal("E_PROMPT_UNCONFIRMED"),
    );
    await expect(answerTo(harness, pane.row, APPROVE, { ifPrompt: "0123456789abcdef" })).rejects.toEqual(
      refusal("E_STALE_SNAPSHOT"),
    );
    // Nothing relaxes it.
    await expect(
      answerTo(harness, pane.row, APPROVE, { ifPrompt: "0123456789abcdef", forceStale: true }),
    ).rejects.toEqual(refusal("E_STALE_SNAPSHOT"));
    expect(pane.chosen()).toEqual([]);
  });
});
