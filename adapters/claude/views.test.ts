// What Claude Code shows in place of its box for prompts, and what a person or an editor draws around it. All frames were recorded live.
import { describe, expect, it } from "vitest";
import {
  fixtureFolder,
  frameOf,
  listFrames,
  loadLabels,
  loadRecording,
  screenOf,
} from "../testkit/recordings.ts";
import { readDraft, readInputMode, readClaudeScreen } from "./screen.ts";

const frame = (name: string, set: string) => frameOf("claude", name, set);
const stateOf = (screen: ReturnType<typeof frame>): string => {
  const status = readClaudeScreen(screen)?.status;
  return status === undefined ? "nothing" : `${status.state}/${status.reasonCode}`;
};

/** Its box is open, with a menu or in another mode: what the agent does is in sight, and `send` finds its box taken. */
const KEEPS_BOX = ["slash_menu", "file_menu", "shell_mode"];
/** The box in sight is that of a sub-agent, which is at work. */
const OF_SUBAGENT = ["subagent_at_work"];

describe("a view of the agent's own", () => {
  const views = listFrames(fixtureFolder("claude", "views"));

  it.each(views.filter((name) => ![...KEEPS_BOX, ...OF_SUBAGENT].includes(name)))(
    "is read as one: %s",
    (name) => {
      expect(stateOf(frame(name, "views"))).toBe("unknown/in_menu");
    },
  );

  it.each(KEEPS_BOX)("is none while the box for prompts is there: %s", (name) => {
    expect(stateOf(frame(name, "views"))).toMatch(/^(idle|completed)/);
  });

  it("of a sub-agent's conversation says that it is at work, as long as it is", () => {
    expect(stateOf(frame("subagent_at_work", "views"))).toBe("running/subagent");
  });

  it("is none of the dialogs that ask", () => {
    const asked = ["recordings", "variants", "dialogs"].flatMap((set) =>
      listFrames(fixtureFolder("claude", set)).flatMap((name) =>
        /^(approval|plan_(text|tall|empty|approval)|question_(one|two|multi|several)|trust|waiting|auto_offer|start)/.test(
          name,
        )
          ? [[`${set}/${name}`, readClaudeScreen(frame(name, set))?.status.state] as const]
          : [],
      ),
    );
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.filter(([, state]) => !state?.startsWith("waiting"))).toEqual([]);
  });
});

/** Rows as a status line draws them: indented like all that is below the box, whatever padding is set. */
const STATUS_LINES = [
  ["esc to interrupt"],
  ["? for shortcuts · ← for agents"],
  ["─".repeat(110), "main · 42%"],
  ["✻ Baking… (3s · ↓ 14 tokens)", "Retrying in 5s (attempt 2/10)", "● API Error: 500 · plan mode on"],
  ["─".repeat(60), "❯ hi", "─".repeat(60), "⏸ manual mode on · esc to interrupt"],
  Array.from({ length: 12 }, (_, row) => `row ${row} · esc to interrupt`),
].map((rows) => rows.map((row) => `  ${row}`));

describe("a person's status line", () => {
  const own = [
    "idle_fresh",
    "running",
    "tool_running",
    "completed",
    "error_400",
    "error_500_retrying",
    "interrupted",
  ];

  it.each(own)("says nothing of what the agent does: %s", (name) => {
    const screen = frame(name, "recordings");
    const at = screen.lines.findLastIndex((line) => line.startsWith("─"));
    for (const rows of STATUS_LINES)
      expect(stateOf({ ...screen, lines: screen.lines.toSpliced(at + 1, 0, ...rows) })).toBe(stateOf(screen));
  });

  it("is no proof of rest or work where the agent tells no mode", () => {
    const screen = frame("idle_fresh", "recordings");
    const at = screen.lines.findLastIndex((line) => line.startsWith("─"));
    for (const rows of STATUS_LINES.slice(2))
      expect(stateOf({ ...screen, lines: [...screen.lines.slice(0, at + 1), ...rows.slice(0, 3)] })).toBe(
        "nothing",
      );
  });
});

describe("in splits of editors, beside a panel of its own, and in the layout for screen readers", () => {
  const labels = loadLabels(`${fixtureFolder("claude", "layouts")}/../labels.json`);

  it.each(listFrames(fixtureFolder("claude", "layouts")))("is read right, or not at all: %s", (name) => {
    const { state, reason_code: reason } = labels[`claude/${name}`] ?? { state: "no label" };
    expect(stateOf(frame(name, "layouts"))).toBe(state === "unknown" ? "nothing" : `${state}/${reason}`);
  });

  it("a block whose first row is out of sight is not known", () => {
    const screen = frame("split_right_error", "layouts");
    expect(stateOf(screen)).toBe("error/api_error");
    const at = screen.lines.findIndex((line) => line.includes("● API Error: 400"));
    const without = screen.lines.with(at, "another window's row, in which the line between them is missing");
    expect(stateOf({ ...screen, lines: without })).toBe("nothing");
  });
});

it("vim's keys: the mode stands in the agent's own line", () => {
  const modes = ["vim_insert_fresh", "vim_insert_running", "vim_normal_running", "vim_normal_draft"];
  const read = modes.map((name) => readInputMode(frame(name, "recordings")));
  expect(read).toEqual(["text", "text", "none", "none"]);
  expect(readInputMode(frame("waiting_approval", "recordings"))).toBeNull();
});

it("the layout for screen readers: a draft stands behind the prompt's sign", () => {
  const drawn = (name: string) => {
    const { ansi, ...recording } = loadRecording(fixtureFolder("claude", "layouts"), name);
    const styledLines = ansi.split("\n").slice(0, recording.height);
    const lines = screenOf({ ansi, ...recording }).lines.slice(0, styledLines.length);
    return readDraft({ ...screenOf({ ansi, ...recording }), lines, styledLines });
  };
  expect(["flat_completed", "flat_error_500", "flat_draft", "flat_approval"].map(drawn)).toEqual([
    "",
    "",
    "a draft here",
    null,
  ]);
});
