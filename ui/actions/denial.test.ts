// A denial with a reason. Attacks: a reason that goes out although nothing was denied, or into the wrong field.
import { expect, it } from "vitest";
import type { ActionResult, AnswerChoice } from "../../core/model/action.ts";
import type { RequestView } from "../../core/model/request.ts";
import { makePane } from "../../test/factories/view.ts";
import { NO_LIMITS } from "./disabledReasons.ts";
import { denyWithReason } from "./denial.ts";
import { actionOf } from "./paneActions.ts";

const REQUEST: RequestView = {
  kind: "command",
  title: "Bash",
  body: "make",
  is_whole: true,
  tool_name: null,
  options: [
    { label: "Yes", keys: ["1"], role: "approve" },
    { label: "No", keys: ["2"], role: "deny" },
  ],
  expires_at: null,
};

const deny = async (
  request: RequestView | null,
  settled: Partial<ActionResult> = {},
  sendLater: () => Promise<unknown> = async () => {},
) => {
  const did: (AnswerChoice | { later: string })[] = [];
  const { result, isGiven } = await denyWithReason({
    request,
    reason: "1",
    answer: async (choice) => {
      did.push(choice);
      return {
        outcome: "delivered",
        detail: "gone",
        notes: [],
        is_repeat: false,
        ...settled,
      } as unknown as ActionResult;
    },
    sendLater: (text) => {
      did.push({ later: text });
      return sendLater();
    },
  });
  return { did, isGiven, outcome: result.outcome, notes: result.notes };
};

it("denies first, and gives the reason only after that was seen to be accepted", async () => {
  expect(await deny(REQUEST)).toMatchObject({
    did: [{ kind: "deny" }, { later: "1" }],
    isGiven: true,
    outcome: "delivered",
  });
  for (const settled of [
    { outcome: "not_delivered" },
    { outcome: "unverified" },
    { is_repeat: true },
  ] as const)
    expect(await deny(REQUEST, settled)).toMatchObject({
      did: [{ kind: "deny" }],
      isGiven: false,
      notes: ["The reason was not sent."],
    });
});

it("says that it was denied where only the reason could not be armed, and that the reason is still to be kept", async () => {
  const refused = () => Promise.reject(new Error("the text holds a secret"));
  expect(await deny(REQUEST, {}, refused)).toEqual({
    did: [{ kind: "deny" }, { later: "1" }],
    isGiven: false,
    outcome: "delivered",
    notes: ["The reason was not sent: the text holds a secret"],
  });
});

it("uses the field of a plan that is whole, and no field of anything else, which would take the reason for an answer", async () => {
  const field = { text_entry: ["3"] };
  expect((await deny({ ...REQUEST, kind: "plan", ...field })).did).toEqual([{ kind: "text", text: "1" }]);
  for (const request of [
    { ...REQUEST, ...field },
    { ...REQUEST, kind: "question", ...field } as const,
    { ...REQUEST, kind: "plan", ...field, is_whole: false } as const,
    { ...REQUEST, kind: "plan", text_entry: null } as const,
    null,
  ])
    expect((await deny(request)).did).toEqual([{ kind: "deny" }, { later: "1" }]);
});

it("is offered only where it can be denied, and where a message can follow", () => {
  const around = { isConnected: true, isUnreachable: false, ...NO_LIMITS, isShownWhole: () => true };
  const pane = makePane({ state: "waiting_approval", fingerprint: "fp", request: REQUEST });
  const why = (row: typeof pane, more: Partial<typeof around> = {}) =>
    actionOf("denyBecause").disabledReason(row, { ...around, ...more });
  expect(why(pane)).toBeNull();
  expect(why({ ...pane, request: { ...REQUEST, is_whole: false } })).toBeNull();
  expect(why({ ...pane, request: { ...REQUEST, options: [] } })).toContain("options");
  expect(why({ ...pane, prompt_fingerprint: null })).not.toBeNull();
  expect(why({ ...pane, background: { id: "1", is_answered_elsewhere: false } })).toContain("background");
  expect(why(pane, { unreadable: new Set(["claude"]) })).toContain("somebody is typing");
  expect(why({ ...pane, state: "waiting_input" })).toContain("isn't asking for approval");
});
