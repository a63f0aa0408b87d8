import { describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { NO_LIMITS, type ActionContext } from "./disabledReasons.ts";
import { cardView } from "./cardView.ts";

const contextOf = (isShownWhole: boolean): ActionContext => ({
  isConnected: true,
  isUnreachable: false,
  ...NO_LIMITS,
  isShownWhole: () => isShownWhole,
});
const SHOWN = contextOf(true);
const FOLDED = contextOf(false);
const asking = (
  request: Partial<NonNullable<PaneView["request"]>>,
  state: "waiting_approval" | "waiting_input" = "waiting_approval",
): PaneView =>
  makePane({
    state,
    fingerprint: "fp",
    request: {
      kind: "command",
      title: "Bash command",
      body: "npm run migrate",
      is_whole: true,
      tool_name: "Bash",
      options: [
        { label: "Yes", keys: ["1"], role: "approve" },
        { label: "Yes, and don't ask again", keys: ["2"], role: "approve_always" },
        { label: "No", keys: ["Escape"], role: "deny" },
      ],
      expires_at: null,
      ...request,
    },
  });
const answers = (pane: PaneView, context = SHOWN) =>
  cardView(pane, context).answers.map(({ key, name }) => `${key} ${name}`);
const options = (pane: PaneView, context = SHOWN) =>
  cardView(pane, context).options.map(({ number, label }) => `${number} ${label}`);

describe("a card", () => {
  it("offers to hand over what stopped at a limit, and nothing that stopped otherwise", () => {
    const failed = (reason: string): PaneView => ({
      ...makePane({ state: "error", reason }),
      agent_session_id: "s-1",
    });
    expect(answers(failed("usage_limit"))).toEqual([
      "e Dismiss",
      "c Continue after the limit",
      "p Hand over to…",
      "Enter Attach",
    ]);
    expect(answers(failed("api_error"))).toEqual(["e Dismiss", "Enter Attach"]);
    expect(answers({ ...failed("usage_limit"), agent_session_id: null })).not.toContain("p Hand over to…");
  });

  it("says each thing once: the command, and not the tool's name, nor Yes beside Approve", () => {
    const pane = asking({});
    expect(cardView(pane, SHOWN)).toMatchObject({
      heading: "",
      parts: [{ kind: "command", text: "npm run migrate" }],
      summary: "",
      lineCount: 1,
      note: "",
    });
    expect(options(pane)).toEqual(["2 Yes, and don't ask again"]);
    expect(answers(pane)).toEqual([
      "a Approve",
      "d Deny",
      "b Deny with a reason…",
      "u Make a rule…",
      "Enter Attach",
    ]);
  });

  it.each(["git status; rm -rf /", "echo $HOME", "grep 'a b' x", "cd /tmp", "npm  test"])(
    "offers no rule that nobody could make: %s",
    (body) => {
      expect(answers(asking({ body }))).toEqual([
        "a Approve",
        "d Deny",
        "b Deny with a reason…",
        "Enter Attach",
      ]);
    },
  );

  it("keeps every word that is more than yes, a second no, and an option whose button is not there", () => {
    const told = asking({
      options: [
        { label: "Yes, and switch to default mode", keys: ["1"], role: "approve" },
        { label: "No, and tell Claude what to do", keys: ["2"], role: "deny" },
      ],
    });
    expect(options(told)).toEqual(["1 Yes, and switch to default mode"]);
    const described = { label: "Yes", description: "as root", keys: ["1"], role: "approve" as const };
    const unknown = { label: "No", keys: null, role: "deny" as const };
    expect(options(asking({ options: [described, unknown] }))).toEqual(["1 Yes", "2 No"]);
    const twice = [1, 2].map((key) => ({ label: "Yes", keys: [String(key)], role: "approve" as const }));
    expect(options(asking({ options: twice }))).toEqual(["2 Yes"]);
    const refusals = ["No", "No, and stop"].map((label, at) => ({
      label,
      keys: [String(at)],
      role: "deny" as const,
    }));
    expect(options(asking({ options: refusals }))).toEqual(["2 No, and stop"]);
  });

  it("shows of an edit the file, the change and its size", () => {
    const content = " a\n-b\n+c\n d\n+e";
    const pane = asking({ kind: "edit", title: "Edit src/a.ts", body: "src/a.ts", content });
    expect(cardView(pane, SHOWN)).toMatchObject({
      heading: "",
      parts: [
        { kind: "path", text: "src/a.ts" },
        { kind: "change", text: content },
      ],
      summary: "+2 −1 in 2 places",
      lineCount: 5,
    });
  });

  it("asks a question with its options, their descriptions, and a text where it takes one", () => {
    const title = "Which rounding?";
    const pane = asking(
      {
        kind: "question",
        title,
        body: title,
        text_entry: ["3"],
        options: [
          { label: "Banker’s", description: "what the old export did", keys: ["1"] },
          { label: "Always up", keys: ["2"] },
        ],
      },
      "waiting_input",
    );
    const { heading, parts, options: offered } = cardView(pane, SHOWN);
    expect([heading, parts]).toEqual(["", [{ kind: "prose", text: title }]]);
    expect(offered).toEqual([
      { number: 1, label: "Banker’s", description: "what the old export did", reason: null, isTicked: null },
      { number: 2, label: "Always up", description: "", reason: null, isTicked: null },
    ]);
    expect(answers(pane)).toEqual(["r Type an answer…", "Enter Attach"]);
  });

  it("allows nothing before all of it is shown, and refuses it all the same", () => {
    const pane = asking({});
    expect(answers(pane, FOLDED)).toEqual(["d Deny", "b Deny with a reason…", "Enter Attach"]);
    expect(cardView(pane, FOLDED).options.map(({ reason }) => reason)).toEqual([
      "not shown in full; show all of it first.",
    ]);
    const part = asking({ is_whole: false });
    expect(answers(part)).toEqual(["d Deny", "b Deny with a reason…", "Enter Attach"]);
    expect(cardView(part, SHOWN).note).toContain("Not shown in full");
  });

  it("of an error offers what can be done, and asks nothing", () => {
    const pane = makePane({ state: "error" });
    expect(cardView(pane, SHOWN).parts).toEqual([]);
    expect(answers(pane)).toEqual(["e Dismiss", "Enter Attach"]);
  });

  it("tells a title once that is all there is, or that its body repeats", () => {
    const plan = cardView(asking({ kind: "plan", title: "Exit plan mode?", body: null }), SHOWN);
    expect([plan.heading, plan.parts]).toEqual(["Exit plan mode?", []]);
    const gate = "Allow command: make?";
    const other = cardView(asking({ kind: "other", title: gate, body: gate }), SHOWN);
    expect([other.heading, other.parts]).toEqual(["", [{ kind: "command", text: gate }]]);
  });
});
