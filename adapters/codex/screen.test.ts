import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadRecording, screenOf } from "../testkit/recordings.ts";
import { readCodexScreen } from "./screen.ts";

const folder = (kind: string): string =>
  fileURLToPath(new URL(`../../test/fixtures/${kind}/codex`, import.meta.url));
const recorded = (name: string) => readCodexScreen(screenOf(loadRecording(folder("recordings"), name)));
const variant = (name: string) => readCodexScreen(screenOf(loadRecording(folder("variants"), name)));

describe("what Codex's dialogs ask", () => {
  it("an approval with its command and the keys of its options", () => {
    expect(recorded("waiting_approval")?.request).toEqual({
      kind: "command",
      title: "Would you like to run the following command?",
      body: "touch approved.txt",
      toolName: null,
      options: [
        { label: "Yes, proceed", keys: ["1"], role: "approve" },
        {
          label: "Yes, and don't ask again for commands that start with `touch approved.txt`",
          keys: ["2"],
          role: "approve_always",
        },
        { label: "No, and tell Codex what to do differently", keys: ["3"], role: "deny" },
      ],
      expiresAt: null,
    });
  });

  it("the same when the pane is narrow and everything wraps", () => {
    expect(variant("approval_60_columns")?.request).toMatchObject({
      body: 'touch approved.txt && echo "a rather long command that\ngoes on in the next line"',
      options: [
        {},
        { label: "Yes, and don't ask again for commands that start with `touch approved.txt`" },
        {},
      ],
    });
    expect(variant("approval_36_columns")?.request).toMatchObject({
      title: "Would you like to run the following command?",
      body: "touch approved.txt",
      options: [{}, {}, { label: "No, and tell Codex what to do differently", keys: ["3"], role: "deny" }],
    });
  });

  it("an edit with its file", () => {
    expect(variant("approval_edit")?.request).toMatchObject({ kind: "edit", body: "/home/dev/outside.txt" });
  });

  it("a question with its options, chosen from where the sign stands", () => {
    expect(recorded("waiting_input_question")?.request).toEqual({
      kind: "question",
      title: "Which colour should the lab use?",
      body: "Which colour should the lab use?",
      toolName: "request_user_input",
      options: [
        { label: "Red", keys: ["Enter"] },
        { label: "Blue", keys: ["Down", "Enter"] },
        { label: "None of the above", keys: ["Down", "Down", "Enter"] },
      ],
      expiresAt: null,
    });
    expect(variant("question_80_columns")?.request?.title).toBe(
      "Which colour should the lab use for the very long wall that nobody has painted yet?",
    );
  });

  it("trust in a folder and in hooks", () => {
    expect(recorded("trust_dialog")?.request).toMatchObject({
      kind: "trust",
      body: "/home/dev/project",
      options: [{ label: "Trust and continue", keys: ["Enter"] }, { label: "Back to Agent Command Center" }],
    });
    expect(recorded("startup_hooks_review")?.request).toMatchObject({
      kind: "trust",
      title: "Hooks need review",
      options: [{ label: "Review hooks" }, { label: "Trust all and continue" }, {}],
    });
  });

  it("a plan that waits for its approval", () => {
    expect(variant("plan_question")).toMatchObject({
      confidence: "medium",
      status: { state: "waiting_approval", reasonCode: "plan" },
      request: { kind: "plan" },
    });
  });
});

describe("why a turn failed", () => {
  it.each([
    ["error_400", "api_error"],
    ["error_401", "auth_failed"],
    ["error_429", "rate_limited"],
    ["error_500", "api_error"],
  ])("%s is %s", (name, reasonCode) => {
    expect(recorded(name)?.status).toEqual({ state: "error", reasonCode });
  });
});

describe("a cut screen", () => {
  it("never turns into a wait that is none, however little of it is left", () => {
    for (const name of [
      "quoted_approval_completed",
      "old_approval_above_prompt",
      "quoted_question_streaming",
    ]) {
      const screen = screenOf(loadRecording(folder("variants"), name));
      for (let from = 0; from < screen.lines.length; from += 1) {
        const state = readCodexScreen({ ...screen, lines: screen.lines.slice(from) })?.status.state;
        expect(["completed", "running", "idle", undefined], `${name} from line ${from}`).toContain(state);
      }
    }
  });
});
