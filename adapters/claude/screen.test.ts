import { describe, expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readClaudeScreen } from "./screen.ts";

const frame = (name: string, set = "recordings") => frameOf("claude", name, set);

describe("what a dialog asks", () => {
  it("gives the command and the digits of an approval", () => {
    expect(readClaudeScreen(frame("waiting_approval"))?.request).toEqual({
      kind: "command",
      title: "Bash command",
      remark: "Lab command",
      body: "touch approved.txt",
      toolName: null,
      options: [
        { label: "Yes", keys: ["1"], role: "approve" },
        {
          label: "Yes, and always allow access to /home/dev/project from this project",
          keys: ["2"],
          role: "approve_always",
        },
        { label: "Yes, and switch to auto mode", keys: ["3"], role: null },
        { label: "No", keys: ["4"], role: "deny" },
      ],
      expiresAt: null,
      isWhole: true,
      columns: 116,
    });
  });

  it.each(["approval_60_columns", "approval_250_columns", "approval_third_selected"])(
    "is the same request in %s, whatever is wrapped or selected",
    (name) => {
      const request = readClaudeScreen(frame("waiting_approval"))?.request;
      const { width } = frame(name, "variants");
      expect(readClaudeScreen(frame(name, "variants"))?.request).toEqual({ ...request, columns: width - 4 });
    },
  );

  it("takes a dialog with more options than any agent draws for none", () => {
    const trust = frame("trust_dialog");
    const at = trust.lines.findIndex((line) => line.includes("❯"));
    const withMore = (count: number) => ({
      ...trust,
      lines: trust.lines.toSpliced(at, 0, ...Array<string>(count).fill("   No, exit")),
    });
    expect(readClaudeScreen(withMore(1))?.status.state).toBe("waiting_approval");
    expect(readClaudeScreen(withMore(30))).toBeNull();
  });

  it("keeps control characters out of the folder that is to be trusted", () => {
    const trusted = frame("trust_dialog");
    const lines = trusted.lines.map((line) => line.replace("/home/dev/project", "/home/\u001b[2Jdev"));
    expect(readClaudeScreen({ ...trusted, lines })?.request?.body).toBe("/home/[2Jdev");
  });

  it("gives the boxes of one of several questions, and no digit where the mark stands below them", () => {
    expect(readClaudeScreen(frame("question_several_next_120_columns"))?.request).toMatchObject({
      title: "Which platforms should it run on?",
      isWhole: true,
      pages: { number: null, names: ["Platforms", "Colour"] },
      options: [
        { label: "Linux", ticked: true, keys: null },
        { label: "macOS", ticked: false, keys: null },
        { label: "Type something.", keys: null },
        { label: "Chat about this", keys: ["4"] },
      ],
      submit: ["Enter"],
    });
    const { options, pages } = readClaudeScreen(frame("question_several_next_120_columns"))?.request ?? {};
    expect(options?.filter(({ toggle }) => toggle !== undefined)).toEqual([]);
    expect(pages?.number).toBeNull();
    const moved = frame("question_several_next_120_columns");
    const lines = moved.lines.map((line) =>
      line.replace("❯    Next", "     Next").replace("  1. [", "❯ 1. ["),
    );
    const request = readClaudeScreen({ ...moved, lines })?.request;
    expect(request?.options.map(({ toggle }) => toggle)).toEqual(["1", "2", undefined, undefined]);
    expect(request?.submit).toEqual(["Down", "Down", "Down", "Enter"]);
  });

  it("gives a question with its options, without their descriptions", () => {
    expect(readClaudeScreen(frame("waiting_input_question"))?.request).toMatchObject({
      kind: "question",
      title: "Which colour should the lab use?",
      options: [
        { label: "Red", keys: ["1"] },
        { label: "Blue", keys: ["2"] },
        { label: "Type something.", keys: null },
        { label: "Chat about this", keys: ["4"] },
      ],
    });
  });

  it("offers no keys where a wrong one would leave the agent", () => {
    expect(readClaudeScreen(frame("trust_dialog"))?.request).toMatchObject({
      kind: "trust",
      body: "/home/dev/project",
      isWhole: true,
      options: [
        { label: "No, exit", keys: null },
        { label: "Yes, I trust this folder", keys: ["Down", "Enter"], role: "approve" },
      ],
    });
  });
});

describe("what is on the way", () => {
  it("calls waiting for background work steady, a spinner not", () => {
    expect(readClaudeScreen(frame("background_agents", "variants"))?.isSteady).toBe(true);
    expect(readClaudeScreen(frame("running"))?.isSteady).toBe(false);
  });

  it("says nothing of a frame whose bottom is cut off", () => {
    for (const name of [
      "waiting_approval",
      "waiting_input_question",
      "trust_dialog",
      "completed",
      "running",
    ]) {
      const whole = frame(name);
      const text = whole.lines.findLastIndex((line) => line !== "");
      const reading = readClaudeScreen({ ...whole, lines: whole.lines.slice(0, text - 3) });
      expect(reading, name).toBeNull();
    }
  });

  it("says nothing of an empty screen", () => {
    expect(readClaudeScreen({ ...frame("completed"), lines: ["", "", ""] })).toBeNull();
  });
});

describe("a folder that `--add-dir` adds", () => {
  // Recorded with 2.1.329.
  const ADDING = [
    "────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────",
    " Adding a new directory:",
    "",
    " /tmp",
    "",
    " This session hasn't worked here before. Is this a directory you created or one you trust?",
    "",
    " Claude Code'll be able to read, edit, and execute files here. Its skills, commands, and agents load and can run",
    " commands, and so can the git settings of its repository. Your answer holds for this session. Starting Claude Code in",
    " this directory and trusting it there lasts, and covers its whole repository or everything below it.",
    "",
    " Security guide",
    "",
    " ❯ No, exit",
    "   Yes, add it",
    "",
    " Enter to confirm · Esc to cancel",
  ];

  it("is asked about before the agent begins, and no option has keys", () => {
    const read = readClaudeScreen({ lines: ADDING, title: "", isAlternate: true, width: 120, height: 40 });
    expect(read?.status).toEqual({ state: "waiting_input", reasonCode: "onboarding" });
    expect(read?.request?.options).toEqual([
      { label: "No, exit", keys: null },
      { label: "Yes, add it", keys: null },
    ]);
  });
});
