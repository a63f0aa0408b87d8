import { describe, expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readGeminiScreen } from "./screen.ts";

const read = (name: string, title?: string) => {
  const screen = frameOf("gemini", name);
  return readGeminiScreen(title === undefined ? screen : { ...screen, title });
};
const readVariant = (name: string) => readGeminiScreen(frameOf("gemini", name, "variants"));

describe("what Gemini's dialogs ask", () => {
  it("is the command, with a digit for yes and Escape for no", () => {
    expect(read("waiting_approval")?.request).toEqual({
      kind: "command",
      title: "Allow execution of [Shell]?",
      body: "touch approved.txt",
      toolName: "Shell",
      options: [
        { label: "Allow once", keys: ["1"], role: "approve" },
        { label: "Allow for this session", keys: ["2"], role: "approve_always" },
        { label: "No, suggest changes (esc)", keys: ["Escape"], role: "deny" },
      ],
      expiresAt: null,
      isWhole: true,
      columns: 110,
    });
  });

  it("is the question, with the way from the marked option to each", () => {
    expect(read("waiting_input_question")?.request?.options).toEqual([
      { label: "Red", keys: ["Enter"], description: "a warm colour" },
      { label: "Blue", keys: ["Down", "Enter"], description: "a cold colour" },
      { label: "Enter a custom value", keys: null },
    ]);
    expect(readVariant("question_60_columns_second_selected")?.request).toMatchObject({
      title: "Which of the very many colours that there are should the lab use for its walls?",
      body: "Which of the very many colours that there are\nshould the lab use for its walls?",
      isWhole: true,
      options: [{ keys: ["Up", "Enter"] }, { keys: ["Enter"] }, { keys: null }],
    });
  });

  it("is not whole while options are out of sight: the first drawing of a dialog has room for two", () => {
    const screen = frameOf("gemini", "waiting_input_question");
    const at = screen.lines.findIndex((row) => row.includes("● 1."));
    const arrow = (sign: string): string => (screen.lines[at - 1] ?? "").replace("│  ", `│ ${sign}`);
    const lines = screen.lines.toSpliced(at + 4, 1, arrow("▼")).toSpliced(at, 0, arrow("▲"));
    const request = readGeminiScreen({ ...screen, lines })?.request;
    expect(request?.isWhole).toBeUndefined();
    expect(request).toMatchObject({
      title: "Which colour should the lab use?",
      options: [{ label: "Red" }, { label: "Blue", description: "a cold colour" }],
    });
  });

  describe("of a question", () => {
    const screen = frameOf("gemini", "waiting_input_question");
    const asked = (change: (row: string) => string | null) =>
      readGeminiScreen({
        ...screen,
        lines: screen.lines.flatMap((row) => change(row) ?? []),
      })?.request;
    const isBlankRow = (row: string | undefined): boolean => /^│ +│$/.test(row ?? "");

    it("is a text for the option that says so, and for no other, wherever it stands and whatever is marked", () => {
      const ownAlone = asked((row) =>
        /[12]\.|colour$|a (warm|cold)/.test(row) ? null : row.replace("  3.  Enter", "● 1.  Enter"),
      );
      expect(ownAlone).toMatchObject({ options: [{ label: "Enter a custom value" }], textEntry: ["1"] });
      const lastMarked = asked((row) =>
        row.includes("3.  Enter") ? null : row.replace("● 1.", "  1.").replace("  2.", "● 2."),
      );
      expect(lastMarked?.options.map(({ label, keys }) => [label, keys])).toEqual([
        ["Red", ["Up", "Enter"]],
        ["Blue", ["Enter"]],
      ]);
      expect(lastMarked?.textEntry ?? null).toBeNull();
    });

    it("is the whole text below the heading, with and without a gap", () => {
      const heading = screen.lines.findIndex((row) => row.includes("Answer Questions"));
      expect(isBlankRow(screen.lines[heading + 1])).toBe(true);
      const lines = screen.lines.toSpliced(heading + 1, 1);
      expect(readGeminiScreen({ ...screen, lines })?.request?.title).toBe("Which colour should the lab use?");
    });
  });

  it("is the folder to trust", () => {
    expect(read("trust_dialog")?.request).toMatchObject({ kind: "trust", body: "project" });
  });

  it("is the file to edit, and the server's tool", () => {
    expect(readVariant("approval_edit")?.request).toMatchObject({
      kind: "edit",
      body: "edit.txt",
    });
    expect(readVariant("approval_mcp")?.request).toMatchObject({
      kind: "tool",
      title: 'Allow execution of MCP tool "list_tables" from server "db"?',
    });
  });
});

describe("a text that draws frames of its own", () => {
  const approval = frameOf("gemini", "waiting_approval");
  const inner = (text: string) => `│ │ ${text.padEnd(112)} │ │`;
  const withRows = (...rows: string[]) =>
    readGeminiScreen({
      ...approval,
      lines: approval.lines.flatMap((line) =>
        line.startsWith("│ │ touch approved.txt") ? rows.map(inner) : [line],
      ),
    })?.request;

  it("is read to its end, rows like the agent's own among it", () => {
    const rows = ["rm -rf ~ #", "╰───────╯", "Allow execution of [Shell]?", "● 1. Allow once", "╭───────╮"];
    expect(withRows(...rows)).toMatchObject({ body: rows.join("\n"), isWhole: true });
  });

  it("is not whole where a row reads like the mark of hidden ones, which only the first or last row is", () => {
    const mark = "... first 34 lines hidden (Ctrl+O to show) ...";
    expect(withRows(mark, "a", "b")).toMatchObject({ body: "a\nb" });
    expect(withRows("a", mark, "b")).toMatchObject({ body: `a\n${mark}\nb` });
    for (const rows of [
      [mark, "a"],
      ["a", mark, "b"],
      ["a", "... last 2 lines hidden (Ctrl+O to show) ..."],
    ])
      expect(withRows(...rows)?.isWhole).toBeUndefined();
  });
});

describe("an edit", () => {
  const read = (name: string, from: string, to: string) => {
    const screen = frameOf("gemini", name, "dialogs");
    const lines = screen.lines.map((line) =>
      line.includes(from) ? line.replace(from, to.padEnd(from.length)) : line,
    );
    return readGeminiScreen({ ...screen, lines })?.request;
  };

  it("is not whole where its path is shortened, or may end elsewhere", () => {
    const heading = "thirty.txt: line 15 of thirty... => line 15 is CHANGED...";
    expect(read("edit_change_120x40", heading, heading)?.isWhole).toBe(true);
    for (const other of ["src/.../thirty.txt: a => b", "thirty.txt: key: a => b", "a very long na…"])
      expect(read("edit_change_120x40", heading, other)?.isWhole, other).toBeUndefined();
  });

  it("is not whole where the lines of a new file begin as those of a change do", () => {
    expect(read("edit_small_80x24", "1 first line", "1 first line")?.isWhole).toBe(true);
    const screen = frameOf("gemini", "edit_small_80x24", "dialogs");
    const lines = screen.lines.map((line) => line.replace(/(\d) (first|third) line/, "$1 - $2 line"));
    expect(readGeminiScreen({ ...screen, lines })?.request?.isWhole).toBeUndefined();
  });
});

describe("title and screen", () => {
  it("agree, or one of them is about to be redrawn and nothing is said", () => {
    expect(read("running", "◇  Ready (project)")).toBeNull();
    expect(read("completed", "✋  Action Required (project)")).toBeNull();
    expect(read("completed", "✦  Working… (project)")?.status.state).toBe("running");
  });

  it("may be of different moments: a dialog that ends the screen is the proof", () => {
    for (const title of ["◇  Ready (project)", "✦  Working… (project)"]) {
      expect(read("waiting_approval", title)?.status.state).toBe("waiting_approval");
      expect(read("waiting_input_question", title)?.status.state).toBe("waiting_input");
    }
    const unknown = ["╭──────────╮", "│ ● 1. New │", "│   2. Old │", "╰──────────╯"];
    const screen = { lines: unknown, isAlternate: false, width: 80, height: 24 };
    expect(readGeminiScreen({ ...screen, title: "✦  Working… (project)" })).toBeNull();
  });

  it("are right without the title where it is switched off", () => {
    const states = [
      "running",
      "tool_running",
      "waiting_approval",
      "waiting_input_question",
      "denied",
      "error_400",
    ].map((name) => read(name, "devbox")?.status.state);
    expect(states).toEqual(["running", "running", "waiting_approval", "waiting_input", "idle", "error"]);
  });

  it("that ask for something unknown are a wait of low confidence", () => {
    const screen = { isAlternate: false, width: 80, height: 24, title: "✋  Action Required (project)" };
    expect(readGeminiScreen({ ...screen, lines: ["something new"] })).toMatchObject({
      status: { state: "waiting_approval" },
      confidence: "low",
    });
    expect(
      readGeminiScreen({ ...screen, lines: ["A form", "Enter to submit · Esc to cancel"] }),
    ).toMatchObject({
      status: { state: "waiting_input" },
      confidence: "low",
    });
  });
});

describe("why a turn failed", () => {
  it.each([
    ["error_400", "api_error"],
    ["error_cut", "api_error"],
  ])("%s: %s", (name, reason) => {
    expect(read(name)?.status.reasonCode).toBe(reason);
  });
});

it("takes a tool that the person stopped for an interrupt: its box stands below the notice", () => {
  expect(readVariant("interrupted_tool")).toMatchObject({
    status: { state: "idle", reasonCode: "interrupted" },
    matched: "ℹ Request cancelled.",
  });
});

describe("the question for trust in a folder", () => {
  const trust = (change: (line: string) => string) => {
    const screen = frameOf("gemini", "trust_dialog");
    return readGeminiScreen({ ...screen, lines: screen.lines.map(change) })?.request;
  };
  it("is whole with its folder, and approved by trusting just that one", () => {
    const asked = trust((line) => line);
    expect(asked).toMatchObject({ kind: "trust", body: "project", isWhole: true });
    expect(asked?.options.map(({ role }) => role)).toEqual(["approve", null, null]);
  });
  it("is not whole where the folder's name does not stand in one row, or is cut", () => {
    const named = (name: string) => (line: string) => line.replace("(project)    ", `(${name})`);
    expect(trust(named("pro…ject"))?.isWhole).not.toBe(true);
    expect(trust(named("p".repeat(94)))?.isWhole).not.toBe(true);
  });
});

it("the input box has at most eight rows below it", () => {
  const screen = frameOf("gemini", "idle_fresh");
  const lower = screen.lines.findLastIndex((row) => /^▀{8}/.test(row));
  const below = (rows: number) => {
    const own = screen.lines.slice(lower + 1).filter((row) => row.trim() !== "");
    const more = Array.from({ length: rows - own.length }, () => " a row of somebody else's");
    return readGeminiScreen({ ...screen, lines: [...screen.lines.slice(0, lower + 1), ...own, ...more] });
  };
  expect(below(8)?.status.state).toBe("idle");
  expect(below(9)).toBeNull();
});
