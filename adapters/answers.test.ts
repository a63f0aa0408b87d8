// For every recorded dialog: which keys approve it once and which deny it, or that this is not known. A key in the wrong
// place approves what nobody approved, so each frame is named here.
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OptionRole, PromptRequest } from "../core/model/request.ts";
import { createAdapterRegistry } from "./index.ts";
import { fixtureFolder, listFrames, loadRecording, screenOf } from "./testkit/recordings.ts";

const registry = createAdapterRegistry();

/** Keys that approve, keys that deny; null: the option is known and its keys are not; undefined: there is none. */
type Known = readonly [approve: string | null | undefined, deny: string | null | undefined];
/** Nothing approves or denies: a question, or the reason why nothing is pressed. */
type Unknown = "question" | "text" | "leaves or trusts" | "switches the mode" | "not recorded";

const DIGITS_4: Known = ["1", "4"];
const DIGITS_3: Known = ["1", "3"];
/** The digit of its refusal only moves to a field. */
const COPILOT: Known = ["1", "Escape"];
const GEMINI: Known = ["1", "Escape"];
const QWEN: Known = ["1", "Escape"];
const CLINE: Known = ["y", "n"];
/** The same keys at each width at which a dialog was recorded. */
const atWidths = (frame: string, known: Known | Unknown): Record<string, Known | Unknown> =>
  Object.fromEntries([60, 70, 96, 140].map((width) => [`recordings/${frame}_${width}`, known]));
const inColumns = (frame: string, columns: readonly number[], known: Known | Unknown) =>
  Object.fromEntries(columns.map((width) => [`recordings/${frame}_${width}_columns`, known] as const));
/** As `npm run adapter -- record` names what it records. */
const atSizes = (frame: string, known: Known | Unknown) => ({
  [`recordings/${frame}`]: known,
  ...inColumns(frame, [60, 80, 250], known),
});
const EXPECTED: Readonly<Record<string, Known | Unknown>> = {
  "recordings/claude/approval_edit": DIGITS_3,
  ...inColumns("claude/approval", [96, 140], DIGITS_4),
  ...inColumns("claude/approval_edit", [96, 140], DIGITS_3),
  "recordings/claude/attached_approval": DIGITS_4,
  "recordings/claude/name_approval": DIGITS_4,
  "recordings/claude/status_line_approval": DIGITS_4,
  "recordings/claude/subagents_dialog": DIGITS_4,
  "recordings/claude/name_question": "question",
  "recordings/claude/start_key": "leaves or trusts",
  "recordings/claude/start_server": "leaves or trusts",
  "recordings/claude/start_without_prompts": "leaves or trusts",
  ...inColumns("claude/auto_offer", [60, 80, 96, 120, 140], "switches the mode"),
  "recordings/claude/auto_offer_no_60_columns": "switches the mode",
  ...inColumns("claude/plan_empty", [60, 80, 96, 120, 140], ["1", "2"]),
  "recordings/claude/plan_empty_2_1_197": ["1", "2"],
  ...inColumns("claude/plan_tall", [80, 120], ["2", "Escape"]),
  ...inColumns("claude/plan_text", [60, 80, 96, 120, 140], ["2", "Escape"]),
  "recordings/claude/question_2_1_197": "question",
  "recordings/claude/question_multi_96_columns": "question",
  ...inColumns("claude/question_one", [60, 96], "question"),
  ...inColumns("claude/question_one_typed", [60, 120], "question"),
  ...inColumns("claude/question_one_typing", [60, 120], "question"),
  ...inColumns("claude/question_several_next", [120], "question"),
  ...inColumns("claude/question_two", [60, 140], "question"),
  ...inColumns("claude/question_two_review", [60, 120], "question"),
  ...inColumns("claude/question_two_second", [60, 120], "question"),
  "recordings/claude/trust_dialog": ["Down Enter", undefined],
  "recordings/claude/waiting_approval": DIGITS_4,
  "recordings/claude/waiting_input_question": "question",
  "recordings/codex/no_alternate_approval": DIGITS_3,
  "recordings/codex/no_animations_approval": DIGITS_3,
  "recordings/codex/no_title_approval": DIGITS_3,
  "recordings/codex/title_behind_approval": DIGITS_3,
  "recordings/codex/startup_hooks_review": "leaves or trusts",
  "recordings/codex/trust_dialog": ["Enter", undefined],
  "recordings/codex/waiting_approval": DIGITS_3,
  "recordings/codex/waiting_input_question": "question",
  ...atWidths("codex/startup_hooks_review", "leaves or trusts"),
  ...atWidths("codex/trust_dialog", ["Enter", undefined]),
  ...atWidths("codex/waiting_approval", DIGITS_3),
  ...atWidths("codex/waiting_approval_edit", DIGITS_3),
  ...atWidths("codex/waiting_input_question", "question"),
  ...inColumns("copilot/approval", [60, 96, 140], COPILOT),
  ...inColumns("copilot/approval_edit", [96, 140], COPILOT),
  ...inColumns("gemini/approval", [60, 96, 140], GEMINI),
  ...inColumns("gemini/question_one", [60, 96, 140], "question"),
  ...inColumns("gemini/question_one_typed", [60, 96, 140], "question"),
  ...inColumns("gemini/question_one_typing", [60, 96, 140], "question"),
  ...inColumns("gemini/question_text", [60, 96, 140], "text"),
  ...inColumns("gemini/question_text_typed", [60, 96, 140], "text"),
  "recordings/copilot/question_own_open": "text",
  "recordings/copilot/question_own_typed": "question",
  "recordings/copilot/trust_dialog": ["Enter", undefined],
  "recordings/copilot/waiting_approval": COPILOT,
  "recordings/copilot/waiting_input_question": "question",
  "recordings/gemini/trust_dialog": ["Enter", undefined],
  "recordings/gemini/waiting_approval": GEMINI,
  "recordings/gemini/waiting_input_question": "question",
  "recordings/omp/waiting_approval": ["Enter", "Escape"],
  "recordings/omp/waiting_input_question": "question",
  "recordings/opencode/waiting_approval": ["Enter", "Escape"],
  "recordings/opencode/question_multi": "question",
  "recordings/opencode/question_next": "question",
  "recordings/opencode/question_pages_140": "question",
  "recordings/opencode/question_pages_60": "question",
  "recordings/opencode/question_review_140": "question",
  "recordings/opencode/question_review_60": "question",
  "recordings/opencode/question_ticked": "question",
  "recordings/opencode/question_own_open": "question",
  "recordings/opencode/question_own_typed": "question",
  "recordings/opencode/question_own_unopened": "question",
  "recordings/opencode/waiting_input_question": "question",
  ...atWidths("opencode/waiting_approval", ["Enter", "Escape"]),
  ...atWidths("opencode/waiting_approval_edit", ["Enter", "Escape"]),
  ...atWidths("opencode/waiting_input_question", "question"),
  ...atWidths("pi/waiting_approval", ["Enter", "Down Enter"]),
  "recordings/pi/waiting_approval_extension": ["Enter", "Down Enter"],
  "variants/claude/approval_250_columns": DIGITS_4,
  "variants/claude/approval_2_1_197": DIGITS_3,
  "variants/claude/approval_40_columns": DIGITS_4,
  "variants/claude/approval_60_columns": DIGITS_4,
  "variants/claude/approval_edit_60_columns": DIGITS_3,
  "variants/claude/approval_make_edit": DIGITS_3,
  "variants/claude/approval_old_box_above": ["1", "2"],
  "variants/claude/auto_mode_check": "not recorded",
  "variants/claude/auto_mode_offer": "switches the mode",
  "variants/claude/login_method": "not recorded",
  "variants/claude/plan_approval": ["2", "3"],
  "variants/claude/plan_approval_without_footer": ["2", "3"],
  "variants/claude/approval_third_selected": DIGITS_4,
  "variants/claude/question_60_columns": "question",
  "variants/claude/question_several": "question",
  "variants/claude/trust_60_columns": ["Enter", undefined],
  "variants/codex/approval_36_columns": DIGITS_3,
  "variants/codex/approval_60_columns": DIGITS_3,
  "variants/codex/approval_above_live_approval": DIGITS_3,
  "variants/codex/approval_dot_title": DIGITS_3,
  "variants/codex/approval_edit": DIGITS_3,
  "variants/codex/approval_heading_cut_off": "not recorded",
  "variants/codex/approval_second_option": DIGITS_3,
  "variants/codex/approval_title_late": DIGITS_3,
  "variants/codex/plan_question": ["Enter", "Down Enter"],
  "variants/codex/question_80_columns": "question",
  "variants/codex/question_no_options": "text",
  "variants/codex/unknown_dialog": "not recorded",
  "variants/copilot/approval_42_columns": COPILOT,
  "variants/copilot/approval_60_columns": COPILOT,
  "variants/copilot/approval_edit": COPILOT,
  "variants/copilot/approval_other": COPILOT,
  "variants/copilot/approval_third_selected": COPILOT,
  "variants/copilot/question_60_columns_second_selected": "question",
  "variants/copilot/question_free_text": "text",
  "variants/copilot/trust_60_columns": ["Enter", undefined],
  ...inColumns("kilo/approval_edit", [60, 80, 250], [null, "C-c"]),
  ...inColumns("kilo/waiting_approval", [60, 80, 250], [null, "C-c"]),
  ...atSizes("kilo/waiting_input_question", "question"),
  "recordings/kilo/approval_edit": ["Enter", "C-c"],
  "recordings/kilo/approval_long": ["Enter", "C-c"],
  "recordings/kilo/approval_long_60_columns": [null, "C-c"],
  "recordings/kilo/approval_rejecting": [undefined, "C-c"],
  "recordings/kilo/approval_rejecting_60_columns": [undefined, "C-c"],
  "recordings/kilo/approval_subagent": ["Enter", "C-c"],
  "recordings/kilo/approval_tall": ["Enter", "C-c"],
  "recordings/kilo/question_multi": "question",
  "recordings/kilo/question_own_open": "question",
  "recordings/kilo/question_pages": "question",
  "recordings/kilo/question_review": "question",
  "recordings/kilo/question_ticked": "question",
  "recordings/kilo/waiting_approval": ["Enter", "C-c"],
  ...atSizes("qwen/approval_edit", QWEN),
  ...atSizes("qwen/trust_dialog", ["Enter", undefined]),
  ...atSizes("qwen/waiting_approval", QWEN),
  ...atSizes("qwen/waiting_input_question", "question"),
  ...atSizes("cline/approval_edit", CLINE),
  ...atSizes("cline/waiting_approval", CLINE),
  ...atSizes("cline/waiting_input_question", "question"),
  "variants/gemini/approval_250_columns": GEMINI,
  "variants/gemini/approval_40_columns": GEMINI,
  "variants/gemini/approval_60_columns": GEMINI,
  "variants/gemini/approval_edit": GEMINI,
  "variants/gemini/approval_mcp": GEMINI,
  "variants/gemini/approval_reworded": "not recorded",
  "variants/gemini/approval_top_out_of_sight": GEMINI,
  "variants/gemini/approval_without_title": GEMINI,
  "variants/gemini/auth_dialog": "not recorded",
  "variants/gemini/dialog_before_its_title": GEMINI,
  "variants/gemini/question_60_columns_second_selected": "question",
  "variants/gemini/trust_60_columns": ["Enter", undefined],
  "variants/omp/approval_60_columns": ["Enter", "Escape"],
  "variants/omp/approval_deny_selected": ["Up Enter", "Escape"],
  "variants/omp/approval_edit": ["Enter", "Escape"],
  "variants/omp/approval_old_one_above": ["Enter", "Escape"],
  "variants/omp/approval_title_at_rest": ["Enter", "Escape"],
  "variants/omp/question_60_columns": "question",
  "variants/omp/question_second_selected": "question",
  // Without colours nobody knows what is chosen.
  "variants/opencode/approval_60_columns": [null, "Escape"],
  "variants/opencode/approval_edit": [null, "Escape"],
  "variants/opencode/approval_old_one_above": [null, "Escape"],
  "variants/opencode/question_60_columns": "question",
  "variants/opencode/question_several": "question",
  "variants/pi/approval_60_columns": ["Enter", "Down Enter"],
  "variants/pi/approval_no_selected": ["Up Enter", "Enter"],
};
/** Keys that open the field for an own text. */
const FIELDS: readonly (readonly [frame: RegExp, keys: readonly string[]])[] = [
  [/^recordings\/copilot\/waiting_input_question$/, ["Down", "Down"]],
  [/^variants\/copilot\/question_60_columns_second_selected$/, ["Down"]],
  [/\/gemini\/(question_one_|question_60_|waiting_input_)/, ["3"]],
  [/\/(qwen|kilo)\/waiting_input_/, ["3"]],
  [/\/cline\/waiting_input_/, ["Down", "Down"]],
  [/\/claude\/(plan_(tall|text)_|name_question|question_(one_|two_\d|2_1_197|60_)|waiting_input_)/, ["3"]],
  [/\/opencode\/(question_own_unopened|question_60_|waiting_input_)/, ["3"]],
];
const fieldOf = (frame: string) => FIELDS.find(([pattern]) => pattern.test(frame))?.[1] ?? null;
/** The question is worded again and its refusal too: only what is known of it has a role. */
const HALF_KNOWN = "variants/claude/approval_reworded";

/** What a recorded frame asks, with its colours, which may be changed before. */
const requestIn = (
  agent: string,
  name: string,
  { root = "recordings", change = (ansi: string) => ansi } = {},
): PromptRequest | null => {
  const recording = loadRecording(fixtureFolder(agent, root), name);
  const styledLines = change(recording.ansi).split("\n");
  return registry.byAgentType(agent)?.readScreen({ ...screenOf(recording), styledLines })?.request ?? null;
};

const asked = ["recordings", "variants"].flatMap((root) =>
  registry.list().flatMap(({ agentType }) => {
    const has = readdirSync(fixtureFolder("", root)).includes(agentType);
    return (has ? listFrames(fixtureFolder(agentType, root)) : []).flatMap((name) => {
      const request = requestIn(agentType, name, { root });
      return request === null ? [] : [{ frame: `${root}/${agentType}/${name}`, request }];
    });
  }),
);

const keysOf = ({ options }: PromptRequest, role: OptionRole): string | null | undefined => {
  const found = options.filter((option) => option.role === role);
  expect(found.length).toBeLessThan(2);
  const [one] = found;
  return one === undefined ? undefined : (one.keys?.join(" ") ?? null);
};

it("every dialog is named", () => {
  expect(asked.map(({ frame }) => frame).toSorted()).toEqual(
    [...Object.keys(EXPECTED), HALF_KNOWN].toSorted(),
  );
});

describe("is known of", () => {
  it.each(asked.filter(({ frame }) => frame !== HALF_KNOWN))("$frame", ({ frame, request }) => {
    const expected = EXPECTED[frame];
    const roles = [keysOf(request, "approve"), keysOf(request, "deny")];
    expect(roles).toEqual(typeof expected === "string" ? [undefined, undefined] : expected);
    expect(request.textEntry ?? null).toEqual(expected === "text" ? [] : fieldOf(frame));
    if (expected === "question") expect(request.kind).toBe("question");
  });
  it("nothing but the yes where the no is another", () => {
    const request = asked.find(({ frame }) => frame === HALF_KNOWN)?.request;
    expect(request && [keysOf(request, "approve"), keysOf(request, "deny")]).toEqual(["1", undefined]);
  });
});

it("a field for a text and an agent's own added answer have no keys that were not seen to work", () => {
  const typed = asked.flatMap(({ request }) =>
    request.options.filter(({ label }) => /type (something|your)|custom value/i.test(label)),
  );
  expect(typed.length).toBeGreaterThan(5);
  expect(typed.filter(({ keys }) => keys !== null)).toEqual([]);
});

it.each([
  ["claude", "question_multi_96_columns", "question_one_96_columns"],
  ["opencode", "question_multi", "waiting_input_question"],
])("a question of %s that takes several answers is told from one that takes one", (agent, several, one) => {
  const read = (name: string) => requestIn(agent, name);
  expect(read(several)?.takesSeveral).toBe(true);
  expect(read(several)?.options.filter(({ label }) => label.startsWith("["))).toEqual([]);
  expect(read(one)?.takesSeveral).toBeUndefined();
});

it("opencode's pages of several questions are each answered by their own keys", () => {
  const pages = { number: null, names: ["Colours", "Size of it"] };
  for (const name of ["question_pages_140", "question_pages_60", "question_ticked"]) {
    const isTicked = name === "question_ticked";
    expect(requestIn("opencode", name), name).toMatchObject({
      title: "Which colours do you like?",
      body: "Which colours do you like?",
      pages,
      isWhole: true,
      submit: ["Tab"],
      options: [
        { label: "red", keys: null, ticked: isTicked, toggle: "1" },
        { label: "green", keys: null, ticked: false, toggle: "2" },
        { label: "blue", keys: null, ticked: isTicked, toggle: "3" },
        { label: "Type your own answer", keys: null },
      ],
    });
  }
  expect(requestIn("opencode", "question_next")).toMatchObject({
    title: "Which size?",
    pages,
    options: [{ keys: ["1"] }, { keys: ["2"] }, { keys: null }],
  });
  for (const name of ["question_review_140", "question_review_60"])
    expect(requestIn("opencode", name), name).toMatchObject({
      title: "Review your answers",
      body: "Colours: red, blue\n\nSize of it: large",
      isWhole: true,
      options: [{ label: "Submit answers", keys: ["Enter"] }],
    });
});

it("Copilot's question is the same one while its own answer is chosen and typed", () => {
  const names = ["waiting_input_question", "question_own_open", "question_own_typed"];
  const [first, ...others] = names.map((name) => {
    const request = requestIn("copilot", name);
    return [request?.kind, request?.options.map(({ label }) => label)];
  });
  expect(first).toEqual(["question", ["Red", "Blue", "Other (type your answer)"]]);
  expect(others).toEqual([first, first]);
});

describe("opencode's own answer to a question", () => {
  const read = (name: string) => requestIn("opencode", name);
  it("is opened by its digit, and only where its field is not open: there the digit would be typed", () => {
    expect(read("question_own_unopened")?.textEntry).toEqual(["3"]);
    expect(read("question_own_open")?.textEntry).toBeNull();
    expect(read("question_own_typed")?.textEntry).toBeNull();
    expect(read("question_multi")?.textEntry).toBeNull();
  });
  it("leaves the dialog the same one while its field opens and is typed into", () => {
    const asked = ["question_own_unopened", "question_own_open", "question_own_typed"].map((name) => {
      const { title, body, options } = read(name) ?? { title: null, body: null, options: [] };
      return { title, body, options: options.map(({ label, description }) => [label, description]) };
    });
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]).toEqual(asked[0]);
  });
});

describe("opencode's selection is told by colour", () => {
  const read = (name: string, change: (ansi: string) => string) =>
    requestIn("opencode", name, { change })?.options.map(({ keys }) => keys) ?? [];
  it("in a permission, also once it was moved", () => {
    expect(read("waiting_approval", (ansi) => ansi)).toEqual([["Enter"], ["Right", "Enter"], ["Escape"]]);
    const swapped = (ansi: string) =>
      ansi
        .replace("\u001b[48;5;215m \u001b[38;5;232mAllow once", "\u001b[48;5;234m \u001b[38;5;8mAllow once")
        .replace("\u001b[38;5;8mReject", "\u001b[48;5;215m\u001b[38;5;232mReject\u001b[48;5;234m");
    expect(read("waiting_approval", swapped)).toEqual([
      ["Left", "Left", "Enter"],
      ["Left", "Enter"],
      ["Escape"],
    ]);
  });
  it("in a question", () => {
    expect(read("waiting_input_question", (ansi) => ansi)).toEqual([["Enter"], ["Down", "Enter"], null]);
  });
  it("and without a difference nothing is known", () => {
    // oxlint-disable-next-line no-control-regex -- colours are what this is about
    expect(read("waiting_approval", (ansi) => ansi.replaceAll(/\u001b\[[0-9;]*m/g, ""))).toEqual([
      null,
      null,
      ["Escape"],
    ]);
  });
});
