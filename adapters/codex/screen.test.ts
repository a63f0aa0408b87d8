import { describe, expect, it } from "vitest";
import type { Screen } from "../../core/ports/agentAdapter.ts";
import { IN_MENU } from "../common/events.ts";
import { frameOf } from "../testkit/recordings.ts";
import { readCodexScreen } from "./screen.ts";

const recorded = (name: string) => readCodexScreen(frameOf("codex", name));
const variant = (name: string) => readCodexScreen(frameOf("codex", name, "variants"));

describe("what Codex's dialogs ask", () => {
  it("an approval with its command and the keys of its options", () => {
    expect(recorded("waiting_approval")?.request).toEqual({
      kind: "command",
      title: "Would you like to run the following command?",
      remark: "Lab wants to run this outside the sandbox",
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
      isWhole: true,
      columns: 116,
      inset: 2,
    });
    expect(recorded("waiting_approval")?.dialogTop).toBe(26);
  });

  it("the same when the pane is narrow and everything wraps", () => {
    expect(variant("approval_60_columns")?.request).toMatchObject({
      body: 'touch approved.txt && echo "a rather long command that\n  goes on in the next line"',
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
    const request = variant("approval_edit")?.request;
    expect(request).toMatchObject({ kind: "edit", body: "/home/dev/outside.txt" });
    // It draws nothing of the change.
    expect(request?.content).toBeUndefined();
    expect(request?.isWhole).toBeUndefined();
  });

  it("a question with its options, chosen from where the sign stands", () => {
    expect(recorded("waiting_input_question")?.request).toEqual({
      kind: "question",
      title: "Which colour should the lab use?",
      body: "Which colour should the lab use?",
      toolName: "request_user_input",
      options: [
        { label: "Red", description: "a warm colour", keys: ["Enter"] },
        { label: "Blue", description: "a cold colour", keys: ["Down", "Enter"] },
        {
          label: "None of the above",
          description: "Optionally, add details in notes (tab)",
          keys: ["Down", "Down", "Enter"],
        },
      ],
      expiresAt: null,
      isWhole: true,
      columns: 116,
    });
    expect(variant("question_80_columns")?.request?.title).toBe(
      "Which colour should the lab use for the very long wall that nobody has painted yet?",
    );
  });

  it("trust in a folder and in hooks", () => {
    expect(recorded("trust_dialog")?.request).toMatchObject({
      kind: "trust",
      body: "/home/dev/project",
      isWhole: true,
      options: [{ label: "Trust and continue", keys: ["Enter"] }, { label: "Back to Agent Command Center" }],
    });
    expect(recorded("startup_hooks_review")?.request).toMatchObject({
      kind: "trust",
      title: "Hooks need review",
      options: [{ label: "Review hooks" }, { label: "Trust all and continue" }, {}],
    });
  });

  it("trust in a folder whose name goes on in the next row, which is not all of it", () => {
    const screen = frameOf("codex", "trust_dialog");
    const at = screen.lines.indexOf("  /home/dev/project");
    const request = readCodexScreen({
      ...screen,
      lines: screen.lines.toSpliced(at + 1, 1, "  s/other"),
    })?.request;
    expect([request?.kind, request?.isWhole]).toEqual(["trust", undefined]);
  });

  it("a plan that waits for its approval", () => {
    expect(variant("plan_question")).toMatchObject({
      confidence: "medium",
      status: { state: "waiting_approval", reasonCode: "plan" },
      request: { kind: "plan" },
    });
  });
});

describe("what an approval does not say whole", () => {
  const approval = frameOf("codex", "waiting_approval");
  const read = (change: (lines: readonly string[]) => readonly string[]) =>
    readCodexScreen({ ...approval, lines: change(approval.lines) })?.request;
  const replaced = (from: string, to: string) =>
    read((lines) => lines.map((line) => (line === from ? to : line)));

  it("a command that its conversation and its option tell with another blank", () => {
    expect(replaced("  $ touch approved.txt", "  $ touchapproved.txt")).toMatchObject({
      body: "touchapproved.txt",
    });
    expect(replaced("  $ touch approved.txt", "  $ touchapproved.txt")?.isWhole).toBeUndefined();
  });

  it("one that quotes a heading of such dialogs: all of it is its text", () => {
    const request = read((lines) =>
      lines.flatMap((line) =>
        line === "  $ touch approved.txt"
          ? ["  $ rm -rf ~ #", "", "  Would you like to run the following command?", "", line]
          : [line],
      ),
    );
    expect(request?.body).toBe(
      "rm -rf ~ #\n\nWould you like to run the following command?\n\n$ touch approved.txt",
    );
    expect(request?.isWhole).toBeUndefined();
  });

  it("a field that is not known, which is a part of what is asked", () => {
    const request = replaced("  Environment: local", "  Permission rule: write everywhere");
    expect(request?.body).toContain("Permission rule: write everywhere");
    expect(request?.isWhole).toBeUndefined();
    expect(replaced("  Environment: local", "  Environment: prod")?.isWhole).toBeUndefined();
  });

  it("options of which the last one is not the refusal", () => {
    const cut = read((lines) => lines.filter((line) => !line.startsWith("  3. No")));
    expect(cut?.options.map(({ role }) => role)).toEqual(["approve", "approve_always"]);
    expect(cut?.isWhole).toBeUndefined();
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

describe("text that wraps", () => {
  const interrupted = frameOf("codex", "interrupted_60");
  /** The lines of the notice, and what else stands below it. */
  const withNotice = (notice: readonly string[], width = interrupted.width) => {
    const at = interrupted.lines.findIndex((line) => line.startsWith("■ "));
    const lines = [...interrupted.lines.slice(0, at), ...notice, ...interrupted.lines.slice(at + 2)];
    return readCodexScreen({ ...interrupted, lines, width });
  };
  const FIRST = "■ Conversation interrupted - use /feedback if something went";

  it("is one notice where the word below had no room", () => {
    expect(withNotice([FIRST, "wrong"])).toMatchObject({
      status: { state: "idle", reasonCode: "interrupted" },
      matched: "Conversation interrupted - use /feedback if something went wrong",
    });
    expect(withNotice([FIRST, "wrong"], 80)).toBeNull();
  });

  it("does not take in what has a sign of its own", () => {
    expect(withNotice([FIRST, "› go on then", "• word1"])).toBeNull();
    expect(withNotice([FIRST, "• word1"])).toBeNull();
    expect(withNotice([FIRST, "wrong", "• Model changed to gpt-5"])?.status.reasonCode).toBe("interrupted");
  });

  it("tells background terminals beside the end, and nothing of an answer that ends in such words", () => {
    const terminals = "  2 background terminals running · /ps to view · /stop to cl";
    expect(withNotice([FIRST, "wrong", "", terminals])?.progress).toBe("2 background terminals");
    expect(withNotice(["• It says:", "", terminals])).toBeNull();
  });
});

describe("without marks of its own in the title", () => {
  const working = frameOf("codex", "no_animations_thinking");
  const fresh = frameOf("codex", "no_alternate_idle_fresh");
  const at = working.lines.findIndex((line) => line.startsWith("Working ("));
  const withRow = (row: string) =>
    readCodexScreen({ ...working, lines: working.lines.with(at, row) })?.status.state;

  it("a running line is no prompt that quotes one, and none with an end below it", () => {
    expect(withRow("Working (1m 02s • esc to interrupt)")).toBe("running");
    expect(withRow("› Working (2s • esc to interrupt)")).toBeUndefined();
    const answered = ["• Working (2s • esc to interrupt)", "", "  Worked for 3s • 01:25"];
    const lines = working.lines.toSpliced(at, 1, ...answered);
    expect(readCodexScreen({ ...working, lines })?.status.state).toBe("completed");
  });

  it("attempts are counted in a running line without its sign", () => {
    const lines = working.lines.with(at, "Reconnecting... 2/5 (9s • esc to interrupt)");
    expect(readCodexScreen({ ...working, lines })).toMatchObject({
      status: { state: "running", reasonCode: "retrying" },
      progress: "retry 2 of 5",
    });
  });

  it("a banner below a shell's rows begins a session; one that an answer quotes does not", () => {
    const above = (...rows: string[]) =>
      readCodexScreen({ ...fresh, lines: [...rows, ...fresh.lines] })?.status.reasonCode;
    expect(above("$ make", "ok", "$ codex")).toBe("fresh");
    const banner = fresh.lines.findIndex((line) => line.startsWith("  >_"));
    const quoted = ["› what does it show?", "", "• This:", "", ...fresh.lines.slice(banner)];
    expect(readCodexScreen({ ...fresh, lines: quoted })).toBeNull();
  });

  it("a spinner counts wherever it stands as an item of the title, not within one", () => {
    const streaming = frameOf("codex", "title_behind_streaming");
    const titled = (title: string) => readCodexScreen({ ...streaming, title })?.status.state ?? null;
    expect(["⠴ project", "project ⠴", "project ⠴ | main"].map(titled)).toEqual(Array(3).fill("running"));
    expect(["project", "", "a⠴ b", "a ⠴b"].map(titled)).toEqual(Array(4).fill(null));
  });
});

describe("a view", () => {
  const view = (name: string) => frameOf("codex", name, "views");
  const stateOf = (screen: Screen) => readCodexScreen(screen)?.status ?? null;

  it("that takes the keys hides the turn that goes on behind it", () => {
    for (const name of ["archive", "rewind", "find", "history"])
      expect(stateOf({ ...view(name), title: "⠼ project" }), name).toEqual(IN_MENU);
    // The menu of the box lets the turn be seen, and its draft lets nothing be typed.
    expect(stateOf({ ...view("slash_menu"), title: "⠼ project" })?.state).toBe("running");
  });

  it("is none where an answer quotes its keys", () => {
    const rest = frameOf("codex", "completed");
    const end = rest.lines.findIndex((line) => line.startsWith("  Worked for"));
    const quoted = ["  › 1. No, don't archive", "", "  enter select · esc back", ""];
    const at = (lines: readonly string[]) => stateOf({ ...rest, lines });
    expect(at(rest.lines.toSpliced(end, 0, ...quoted))?.state).toBe("completed");
    expect(at(rest.lines.toSpliced(end, 1, ...quoted))).toBeNull();
  });

  it("is none where a dialog is not known, which may wait", () => {
    const cut = frameOf("codex", "approval_heading_cut_off_no_title", "variants");
    expect(stateOf(cut)).toBeNull();
  });
});

describe("a cut screen", () => {
  it("never turns into a wait that is none, however little of it is left", () => {
    for (const name of [
      "quoted_approval_completed",
      "old_approval_above_prompt",
      "quoted_question_streaming",
    ]) {
      const screen = frameOf("codex", name, "variants");
      for (let from = 0; from < screen.lines.length; from += 1) {
        const state = readCodexScreen({ ...screen, lines: screen.lines.slice(from) })?.status.state;
        expect(["completed", "running", "idle", undefined], `${name} from line ${from}`).toContain(state);
      }
    }
  });
});
