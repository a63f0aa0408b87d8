// Rules are proposed from what recordings show, and from nothing else: an agent whose words changed gets the rules that its new
// recordings prove.
import { describe, expect, it } from "vitest";
import { createGeminiAdapter } from "../../adapters/gemini/index.ts";
import { createScreenRules } from "../../adapters/declarative/screenRules.ts";
import { screenOf } from "../../adapters/testkit/recordings.ts";
import { type Corpus, type Frame, loadCorpus } from "../../bench/detect/corpus.ts";
import { createDeadline } from "../../core/pattern/pattern.ts";
import { RECORDINGS } from "./record.ts";
import { type Proposal, propose, withRules } from "./propose.ts";
import { optionsIn, rowsOf, shapesOf } from "./shapes.ts";
import { filesOf, RULES_BEGIN } from "./templates.ts";

const HERE = loadCorpus(RECORDINGS);
const KEYS = { approve: ["Enter"], deny: ["Escape"], interrupt: ["Escape"] };
const adapter = createGeminiAdapter();

/** The frame as an agent with other words would draw it; signs and frames stay in their columns. */
const reworded = (frame: Frame, words: readonly (readonly [from: string, to: string])[]): Frame => {
  const change = (text: string): string =>
    words.reduce(
      (left, [from, to]) => left.replaceAll(from, to.padEnd(from.length).slice(0, from.length)),
      text,
    );
  return { ...frame, recording: { ...frame.recording, text: change(frame.recording.text), title: "" } };
};
const corpusOf = (
  words: readonly (readonly [string, string])[],
  isKept: (frame: Frame) => boolean,
): Corpus => ({
  problems: [],
  frames: HERE.frames
    .filter((frame) => frame.agent !== "gemini" || isKept(frame))
    .map((frame) => (frame.agent === "gemini" ? reworded(frame, words) : frame)),
});
const proposeFor = (corpus: Corpus): Proposal =>
  propose({ corpus, agent: "gemini", adapter, keys: KEYS, isAll: false });

const NEW_WORDS = [
  ["Allow execution", "Permit this job"],
  ["Allow once", "Permit now"],
] as const;

describe("an agent whose approval got other words", () => {
  const corpus = corpusOf(
    NEW_WORDS,
    ({ label }) =>
      label.reason_code === "permission_tool" || label.state === "running" || label.state === "idle",
  );
  const own = corpus.frames.filter(({ agent }) => agent === "gemini");
  const asking = own.filter(({ label }) => label.state === "waiting_approval");
  const proposal = proposeFor(corpus);

  it("is not read by its adapter any more, so that there is something to propose", () => {
    expect(asking.length).toBeGreaterThan(2);
    for (const { recording } of asking) expect(adapter.readScreen(screenOf(recording))).toBeNull();
  });

  it("gets rules that read every one of its dialogs, and nothing else of it", () => {
    expect(proposal.unread).toEqual([]);
    const engine = createScreenRules(proposal.rules, createDeadline(), () => {});
    for (const { recording, label } of own) {
      const state = engine.read(screenOf(recording))?.status.state ?? null;
      expect(state).toBe(label.state === "waiting_approval" ? "waiting_approval" : null);
    }
  });

  it("gets patterns of recorded words alone, with the options and their keys", () => {
    const texts = asking.map(({ recording }) => recording.text).join("\n");
    for (const { pattern, request } of proposal.rules.screens) {
      const words = pattern
        .replaceAll(/\\d\+|\\[^\w]|[^\p{L}]+/gu, " ")
        .trim()
        .split(" ");
      for (const word of words) expect(texts).toContain(word);
      expect(request).toMatchObject({ kind: "command", whole: false });
    }
    const [first] = asking;
    if (first === undefined) throw new Error("no dialog");
    const engine = createScreenRules(proposal.rules, createDeadline(), () => {});
    expect(engine.read(screenOf(first.recording))?.request?.options[0]).toMatchObject({
      label: expect.stringMatching(/^Permit now/),
      keys: ["1"],
    });
  });

  it("gets no rule that matches a recording of another agent", () => {
    const engine = createScreenRules(proposal.rules, createDeadline(), () => {});
    for (const { agent, recording } of HERE.frames)
      if (agent !== "gemini") expect(engine.read(screenOf(recording))).toBeNull();
  });
});

it("nothing is proposed for what is read right", () => {
  const { rules, unread } = proposeFor(HERE);
  expect(rules.screens).toEqual([]);
  expect(unread).toEqual([]);
});

it("a state whose screens show nothing of their own is named, and no rule is made up for it", () => {
  const [idle] = HERE.frames.filter(({ agent, name }) => agent === "gemini" && name === "idle_fresh");
  if (idle === undefined) throw new Error("no frame");
  const blank = { ...idle, recording: { ...idle.recording, text: "RUN touch live-1.txt\n", title: "" } };
  const { rules, unread } = proposeFor({ problems: [], frames: [blank] });
  expect(rules.screens).toEqual([]);
  expect(unread).toEqual(["gemini/idle_fresh"]);
});

describe("what a rule looks for", () => {
  it("is words of one row, with numbers and blanks left open, and nothing that the driver made the agent say", () => {
    const shapes = shapesOf("│ Step 12 of  3 pending: touch live-3.txt").map(({ pattern }) => pattern);
    expect(shapes).toContain("^ *│ +Step +\\d+ +of +\\d+ +pending:");
    expect(shapes.join("\n")).not.toMatch(/touch|live/);
    expect(shapesOf("❯ RUN touch x")).toEqual([]);
  });

  it("is in the last forty rows that hold text", () => {
    const text = `${Array.from({ length: 60 }, (_, index) => `row ${index}`).join("\n")}\n\n\n`;
    expect([rowsOf({ text }).length, rowsOf({ text })[0]]).toEqual([40, "row 20"]);
  });

  it("knows a numbered list by all of its marks and its place", () => {
    const rows = ["Which?", "│ ● 1. Red   │", "│   2. Blue  │", "╰────────────╯"];
    const found = optionsIn(rows);
    expect(found?.rows).toBe(3);
    const pattern = new RegExp(found?.pattern ?? "", "m");
    expect(rows.map((row) => pattern.exec(row)?.groups?.["label"] ?? null)).toEqual([
      null,
      "Red",
      "Blue",
      null,
    ]);
    expect(optionsIn(["2. only", "the second"])).toBeNull();
  });
});

it("rules are written before those that a screen reader has", () => {
  const agent = {
    id: "abc",
    displayName: "Abc",
    command: "abc",
    npm: "abc",
    version: "1.0.0",
    program: null,
    family: "ink",
  } as const;
  const empty = filesOf(agent)["adapters/abc/screen.ts"] ?? "";
  const rule = (pattern: string) =>
    ({ pattern, lines: 3, state: "idle", confidence: "medium", steady: false }) as const;
  const once = withRules(empty, { screens: [rule("first")], titles: [], keys: KEYS });
  const twice = withRules(once, { screens: [rule("second")], titles: [], keys: KEYS });
  expect(twice.indexOf("second")).toBeLessThan(twice.indexOf("first"));
  expect(twice.match(/keys:/g)).toHaveLength(1);
  expect(() => withRules("no place", { screens: [], titles: [] })).toThrow(RULES_BEGIN);
});
