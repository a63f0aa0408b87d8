// What stands in the input box, on screens recorded from real agents into which somebody typed: an empty box with the agent's hint,
// short and long drafts, the cursor at their ends, several lines, pastes, and boxes that are not for prompts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cleanScreen } from "../core/tmux/topology.ts";
import type { AgentAdapter, Screen } from "../core/ports/agentAdapter.ts";
import { createAdapterRegistry } from "./index.ts";
import { listFrames, loadRecording, screenOf } from "./testkit/recordings.ts";

const FIXTURES = fileURLToPath(new URL("../test/fixtures/", import.meta.url));
const LONG =
  "rewrite the parser so that it reads every line of the file only once, keeps the comments where they are, and says in\none sentence what is wrong with a line that it cannot read at all";

const LONG_IN_MARGIN =
  "rewrite the parser so that it reads every line of the file only once, keeps the comments where they are, and says\nin one sentence what is wrong with a line that it cannot read at all";
const EVERYWHERE = {
  none_fresh: "",
  none_cleared: "",
  none_after_paste: "",
  none_completed: "",
  none_running: "",
  short: "fix the login page",
  short_home: "fix the login page",
  letter: "x",
  letter_home: "x",
  running: "typed while it works",
  completed: "and now the tests",
  completed_home: "and now the tests",
};
const LINES = "first line\nsecond line\n\nfourth line";

/** "": nothing was typed. Null: there is no box for prompts in sight. */
const DRAFTS: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  claude: {
    none_fresh: "",
    none_cleared: "",
    none_after_paste: "",
    none_completed: "",
    short: "fix the login page",
    short_home: "fix the login page",
    letter: "x",
    letter_home: "x",
    long: LONG,
    lines: "[Pasted text #1 +3 lines]",
    paste: "[Pasted text #2 +39 lines]",
    // What is typed there runs in a shell.
    bang: null,
    slash: "/",
    try: "Try it with the new key",
    completed: "and now the tests",
    completed_home: "and now the tests",
    // A prompt that was recalled: the words in the rule above it say which.
    recalled: "SAY hello from the lab",
  },
  codex: {
    none_fresh: "",
    vim_insert: "",
    // Keys are commands.
    vim_normal: null,
    none_cleared: "",
    none_completed: "",
    short: "fix the login page",
    short_home: "fix the login page",
    letter: "x",
    letter_home: "x",
    long: LONG,
    lines: LINES,
    // They fill what is below the box's sign, with a mark that there is more above.
    paste: expect.stringMatching(/^(?:line \d\d of a long paste\n){23}line 39 of a long paste$/),
    scrolled:
      "line 2 of the text that is long enough to be read\nline 3 of the text that is long enough to be read\n\nline 5 of the text that is long enough to be read\nline 6 of the text that is long enough to be read\n\nline 8 of the text that is long enough to be read\nline 9 of the text that is long enough to be read\n\nline 11 of the text that is long enough to be read\nline 12 of the text that is long enough to be read\n\nline 14 of the text that is long enough to be read\nline 15 of the text that is long enough to be read",
    completed: "and now the tests",
    completed_home: "and now the tests",
  },
  gemini: {
    ...EVERYWHERE,
    long: LONG_IN_MARGIN,
    lines: LINES,
    paste: "[Pasted Text: 40 lines]",
    // Its list of commands leaves no room for the box that is known.
    slash: null,
    bang: null,
    bang_typed: null,
    question_mark: "what",
  },
  kilo: {
    ...EVERYWHERE,
    lines: LINES,
    paste: "[Pasted ~40 lines]",
    // With its list of commands above it, as in opencode.
    slash: expect.stringMatching(/^about .*\/$/s),
    bang: null,
    // The mark is a key there.
    question_mark: "what",
  },
  qwen: {
    ...EVERYWHERE,
    long: "rewrite the parser so that it reads every line of the file only once, keeps the comments where they\nare, and says in one sentence what is wrong with a line that it cannot read at all",
    lines: LINES,
    paste: "[Pasted Content 949 chars]",
    // Its list of commands leaves no room for the box that is known.
    slash: null,
    bang: null,
    question_mark: "what",
  },
  cline: {
    ...EVERYWHERE,
    long: "rewrite the parser so that it reads every line of the file only\nonce, keeps the comments where they are, and says in one sentence\nwhat is wrong with a line that it cannot read at all",
    lines: LINES,
    paste: "[line 0 of a long paste line 1 of a long paste li... Pasted +40\nlines]",
    // Its list of commands stands where the box's lower edge is.
    slash: null,
    bang: "!",
    question_mark: "what",
  },
  copilot: {
    ...EVERYWHERE,
    long: LONG_IN_MARGIN,
    half_cleared: LONG_IN_MARGIN.slice(0, LONG_IN_MARGIN.indexOf("wron") + 4),
    lines: LINES,
    paste: `${LINES}[Paste #1 - 40 lines]`,
    // With what it offers to complete.
    slash: "/add-dir",
    command: "/rename fix the login",
    command_hint: "/rename [name]",
    bang: null,
    question_mark: "what",
  },
  opencode: {
    ...EVERYWHERE,
    long: "rewrite the parser so that it reads every line of the file only once,\nkeeps the comments where they are, and says in one sentence what is\nwrong with a line that it cannot read at all",
    lines: "[Pasted ~4 lines]",
    paste: "[Pasted ~40 lines]",
    slash: expect.stringMatching(/^agents .*\/$/s),
    bang: null,
    question_mark: "? what",
  },
  pi: {
    ...EVERYWHERE,
    long: LONG,
    lines: LINES,
    paste: "[paste #1 +40 lines]",
    slash: null,
    command: "/name fix the login",
    bang: "!",
    question_mark: "? what",
  },
  omp: {
    ...EVERYWHERE,
    long: LONG,
    lines: LINES,
    paste: "[paste #1]",
    slash: expect.stringMatching(/^\/\n/),
    bang: "!",
    question_mark: "? what",
  },
};

// oxlint-disable-next-line no-control-regex -- SGR sequences are what is taken out
const SGR = /\u001b\[[0-9;:]*m/g;

const toScreen = (ansi: string): Screen => {
  const styledLines = ansi.replace(/\n+$/, "").split("\n");
  const rows = styledLines.map((line) => line.replaceAll(SGR, ""));
  const end = rows.findLastIndex((line) => line.trimEnd() !== "") + 1;
  const lines = cleanScreen(rows).slice(0, end);
  return {
    lines,
    styledLines: styledLines.slice(0, end),
    title: "",
    isAlternate: true,
    width: 120,
    height: 40,
  };
};

const adapterOf = (agent: string): AgentAdapter => {
  const adapter = createAdapterRegistry().byAgentType(agent);
  if (adapter === null) throw new Error(`there is no adapter for ${agent}`);
  return adapter;
};

describe.each(Object.entries(DRAFTS))("%s", (agent, expected) => {
  const folder = join(FIXTURES, "drafts", agent);
  const adapter = adapterOf(agent);

  it("is read as it was typed, on every recorded screen", () => {
    const read = readdirSync(folder).map((file): [string, string | null] => [
      file.replace(".ansi", ""),
      adapter.readDraft?.(toScreen(readFileSync(join(folder, file), "utf8"))) ?? null,
    ]);
    expect(Object.fromEntries(read)).toEqual(expected);
  });

  it("is unknown without colours: nobody could tell the agent's hint from a draft", () => {
    const { styledLines: _colours, ...plain } = toScreen(
      readFileSync(join(folder, "none_fresh.ansi"), "utf8"),
    );
    expect(adapter.readDraft?.(plain)).toBeNull();
  });

  it("is never empty where a dialog asks something", () => {
    const recordings = join(FIXTURES, "recordings", agent);
    const asking = listFrames(recordings).filter((name) =>
      /approval|question|trust|plan_(text|empty|tall)|offer/.test(name),
    );
    expect(asking.length).toBeGreaterThan(3);
    const empty = asking.filter((name) => {
      const recording = loadRecording(recordings, name);
      const state = adapter.readScreen(screenOf(recording))?.status.state;
      return state?.startsWith("waiting") === true && adapter.readDraft?.(toScreen(recording.ansi)) === "";
    });
    expect(empty).toEqual([]);
  });
});

it("every agent whose box is read has recorded drafts", () => {
  const read = createAdapterRegistry()
    .list()
    .filter((adapter) => adapter.readDraft !== undefined)
    .map(({ agentType }) => agentType);
  expect(read.toSorted()).toEqual(Object.keys(DRAFTS).toSorted());
});
