import { describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { abilitiesOf, missingAbilities, type Surroundings } from "./abilities.ts";

const WELL: Surroundings = {
  isConnected: true,
  isUnreachable: false,
  uninterruptible: new Set(),
  isShownWhole: () => true,
};

const asking = (more: Partial<NonNullable<PaneView["request"]>> = {}): PaneView =>
  makePane({
    state: "waiting_approval",
    fingerprint: "fp",
    request: {
      kind: "command",
      title: "Bash",
      body: "make",
      is_whole: true,
      tool_name: null,
      options: [
        { label: "Yes", keys: ["1"], role: "approve" },
        { label: "Always", keys: ["2"], role: "approve_always" },
        { label: "No", keys: null, role: "deny" },
      ],
      expires_at: null,
      ...more,
    },
  });

/** Names of what can be done. */
const possible = (pane: PaneView, around: Surroundings = WELL): string[] =>
  Object.entries(abilitiesOf(pane, around)).flatMap(([name, hindrance]) =>
    hindrance === null ? [name] : [],
  );

describe("what can be done", () => {
  it.each([
    ["running", ["attach", "reply", "interrupt", "output", "kill"]],
    ["idle", ["attach", "reply", "output", "kill"]],
    ["completed", ["attach", "reply", "output", "kill"]],
    ["unknown", ["attach", "reply", "interrupt", "output", "kill"]],
    ["error", ["attach", "reply", "output", "kill", "dismiss"]],
  ] as const)("to an agent that is %s", (state, expected) =>
    expect(possible(makePane({ state }))).toEqual(expected),
  );

  it("answers a prompt only by keys that are known, and never remembers by approving", () => {
    const pane = asking();
    expect(possible(pane)).toEqual(["attach", "approve", "interrupt", "output", "kill"]);
    expect(abilitiesOf(pane, WELL).options).toEqual([null, null, "which keys choose it is not known."]);
    const onlyAlways = asking({ options: [{ label: "Always", keys: ["1"], role: "approve_always" }] });
    expect(abilitiesOf(onlyAlways, WELL).approve).toContain("not known which option");
  });

  it("allows nothing of which a part is not shown, and refuses it all the same", () => {
    const options = [
      { label: "Yes", keys: ["1"], role: "approve" as const },
      { label: "Always", keys: ["2"], role: "approve_always" as const },
      { label: "No", keys: ["3"], role: "deny" as const },
      { label: "Other", keys: ["4"] },
    ];
    for (const [request, around] of [
      [{ is_whole: false }, WELL],
      [{ is_whole: true }, { ...WELL, isShownWhole: () => false }],
    ] as const) {
      const pane = asking({ options, text_entry: [], ...request });
      expect(possible(pane, around)).toEqual(["attach", "deny", "interrupt", "output", "kill"]);
      const open = abilitiesOf(pane, around).options.map((hindrance) => hindrance === null);
      expect(open).toEqual([false, false, true, false]);
    }
    expect(abilitiesOf(asking({ options, is_whole: false }), WELL).approve).toContain("not shown whole");
  });

  it("does not answer a prompt that cannot be named", () => {
    const pane = { ...asking(), prompt_fingerprint: null };
    expect(possible(pane)).toEqual(["attach", "interrupt", "output", "kill"]);
    expect(abilitiesOf(pane, WELL).options).toEqual(Array(3).fill("its prompt cannot be told from another."));
  });

  it("replies to a prompt only where it takes a text", () => {
    expect(abilitiesOf(asking(), WELL).reply).toContain("takes no text");
    expect(abilitiesOf(asking({ text_entry: [] }), WELL).reply).toBeNull();
  });

  it("leaves a crashed agent its output and its dismissal", () =>
    expect(possible(makePane({ state: "error", reason: "crashed" }))).toEqual([
      "attach",
      "output",
      "dismiss",
    ]));

  it("does nothing without a connection, and only dismisses on a target that is down", () => {
    const error = makePane({ state: "error" });
    expect(possible(error, { ...WELL, isConnected: false })).toEqual([]);
    expect(possible(error, { ...WELL, isUnreachable: true })).toEqual(["dismiss"]);
  });

  it("does not interrupt an agent of which nobody knows how", () =>
    expect(
      possible(makePane({ state: "running" }), { ...WELL, uninterruptible: new Set(["claude"]) }),
    ).toEqual(["attach", "reply", "output", "kill"]));
});

describe("what is missing", () => {
  const missing = (pane: PaneView, around: Surroundings = WELL) =>
    missingAbilities(pane, abilitiesOf(pane, around));

  it("is said once for all that it holds for", () => {
    expect(missing(asking({ options: [] }))).toEqual([
      "Approve, Deny: its options have not been read from the screen.",
      "Reply: its prompt takes no text; answer it or attach.",
    ]);
    expect(missing(makePane({ state: "running" }), { ...WELL, isUnreachable: true })).toEqual([
      "Reply, Interrupt, View output, Kill, Attach: host cannot be reached.",
    ]);
  });
  it("is nothing where everything is there", () =>
    expect(missing(makePane({ state: "running" }))).toEqual([]));
});
