import type { ReachableService } from "../core/api/calls.ts";
import { beforeEach, expect, it } from "vitest";
import type { AgentNotification } from "../core/model/notifications.ts";
import type { ActionResult } from "../core/model/action.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import { makePane } from "../test/factories/view.ts";
import { NotificationActions } from "./notifications.ts";

let done: { action: string; input: unknown }[];
let said: string[];
let opened: number;
let outcome: ActionResult["outcome"];
let refusal: AgtmuxError | null;
let actions: NotificationActions;

const NOTICE: AgentNotification = {
  id: "rt1:7",
  kind: "waiting_approval",
  title: "",
  body: "",
  pane: { ...makePane({ state: "waiting_approval", version: 7 }), prompt_fingerprint: "f00" },
  count: 1,
  sound: "default",
  actions: [],
  reply: null,
};
const NO_GUARDS = {
  ifState: null,
  ifVersion: null,
  ifPrompt: null,
  ifUpdatedWithinMs: null,
  forceStale: false,
};
const COMMON = { ref: "runtime:rt1", surface: "notification" };
const record =
  <T>(action: string, result: T) =>
  (input: unknown) => {
    done.push({ action, input });
    return refusal === null ? Promise.resolve(result) : Promise.reject(refusal);
  };
const result = (): ActionResult => ({
  schema_version: "1.0",
  action_id: "act1",
  action: "answer",
  pane_ref: "",
  runtime_id: "rt1",
  snapshot_id: "",
  outcome,
  detail: "The prompt is still there.",
  notes: [],
  is_repeat: false,
});

beforeEach(() => {
  done = [];
  said = [];
  opened = 0;
  outcome = "delivered";
  refusal = null;
  actions = new NotificationActions({
    service: () =>
      Promise.resolve({
        answer: (input: unknown) => record("answer", result())(input),
        send: (input: unknown) => record("send", result())(input),
        openAttach: record("openAttach", {
          snapshotId: "",
          paneRef: "",
          argv: [],
          mode: "attach",
          existingClient: null,
        }),
      } as unknown as ReachableService),
    say: (_notice, title, body) => said.push(`${title} | ${body}`),
    openPopover: () => (opened += 1),
    onError: () => {},
  });
});

it("answers exactly the prompt that was shown, once per button", async () => {
  const guards = { ...NO_GUARDS, ifRuntime: "rt1", ifPrompt: "f00" };
  await actions.perform(NOTICE, { kind: "action", action: { kind: "approve", label: "" } });
  await actions.perform(NOTICE, { kind: "action", action: { kind: "deny", label: "" } });
  await actions.perform(NOTICE, { kind: "action", action: { kind: "option", number: 2, label: "" } });
  await actions.perform({ ...NOTICE, reply: "answer" }, { kind: "reply", text: "red" });
  expect(done).toEqual(
    [
      { choice: { kind: "approve" }, idempotencyKey: "rt1:7:approve" },
      { choice: { kind: "deny" }, idempotencyKey: "rt1:7:deny" },
      { choice: { kind: "option", number: 2 }, idempotencyKey: "rt1:7:option" },
      { choice: { kind: "text", text: "red" }, idempotencyKey: "rt1:7:reply" },
    ].map((input) => ({ action: "answer", input: { ...COMMON, guards, ...input } })),
  );
  expect(said).toEqual([]);
});

it("sends a text only while the agent is where it was shown to be", async () => {
  await actions.perform({ ...NOTICE, reply: "send" }, { kind: "reply", text: "go on" });
  await actions.perform({ ...NOTICE, reply: "send" }, { kind: "reply", text: "  " });
  await actions.perform(NOTICE, { kind: "reply", text: "not asked for" });
  expect(done).toEqual([
    {
      action: "send",
      input: {
        ...COMMON,
        guards: { ...NO_GUARDS, ifRuntime: "rt1", ifVersion: 7 },
        text: "go on",
        pressEnter: true,
        toShell: false,
        idempotencyKey: "rt1:7:reply",
      },
    },
  ]);
});

it("attaches on a click; a grouped one leads to the list", async () => {
  await actions.perform(NOTICE, { kind: "open" });
  await actions.perform(NOTICE, { kind: "action", action: { kind: "attach", label: "" } });
  expect(done).toEqual(
    Array.from({ length: 2 }, () => ({
      action: "openAttach",
      input: { ...COMMON, guards: { ...NO_GUARDS, ifRuntime: "rt1" } },
    })),
  );
  await actions.perform({ ...NOTICE, count: 5 }, { kind: "open" });
  expect([done.length, opened]).toEqual([2, 1]);
});

it.each([
  ["not_delivered", "Not delivered to Claude Code | The prompt is still there."],
  ["unverified", "Not confirmed by Claude Code | The prompt is still there."],
] as const)("says that it was %s", async (found, words) => {
  outcome = found;
  await actions.perform(NOTICE, { kind: "action", action: { kind: "approve", label: "" } });
  expect(said).toEqual([words]);
});

it("says why it was refused; where nothing could be opened the popover comes up", async () => {
  refusal = new AgtmuxError("E_STALE_SNAPSHOT", "the prompt is no longer the one that was shown");
  await actions.perform(NOTICE, { kind: "action", action: { kind: "approve", label: "" } });
  expect([said.splice(0), opened]).toEqual([
    ["Not sent to Claude Code | the prompt is no longer the one that was shown."],
    0,
  ]);
  refusal = new AgtmuxError("E_UNSUPPORTED", "no terminal program was found", { remedy: "Install one." });
  await actions.perform(NOTICE, { kind: "open" });
  expect([said, opened]).toEqual([
    ["Not opened: Claude Code | no terminal program was found. Install one."],
    1,
  ]);
});
