import { describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import type { JobView } from "../../core/model/job.ts";
import { makeJob } from "../../test/factories/job.ts";
import { makePane } from "../../test/factories/view.ts";
import { NO_LIMITS, optionReasons, type ActionContext } from "./disabledReasons.ts";
import { actionOf, notPossible, PANE_ACTIONS, type ActionSurface } from "./paneActions.ts";

const WELL: ActionContext = {
  isConnected: true,
  isUnreachable: false,
  ...NO_LIMITS,
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

/** The possible actions; a long text can always be shown. */
const possible = (pane: PaneView, context: ActionContext = WELL): string[] =>
  PANE_ACTIONS.filter(({ id }) => id !== "showWhole")
    .filter((action) => action.disabledReason(pane, context) === null)
    .map(({ id }) => id);

describe("what can be done", () => {
  it.each([
    ["running", ["reply", "attach", "output", "interrupt", "tell", "mute", "rename", "kill"]],
    ["idle", ["reply", "attach", "output", "mute", "rename", "kill"]],
    ["completed", ["reply", "attach", "output", "mute", "rename", "kill"]],
    ["unknown", ["reply", "attach", "output", "interrupt", "tell", "mute", "rename", "kill"]],
    ["error", ["reply", "attach", "output", "mute", "rename", "dismiss", "kill"]],
  ] as const)("to an agent that is %s", (state, expected) =>
    expect(possible(makePane({ state }))).toEqual(expected),
  );

  it("answers a prompt only by keys that are known, and never remembers by approving", () => {
    const pane = asking();
    expect(possible(pane)).toEqual([
      "approve",
      "rule",
      "attach",
      "output",
      "interrupt",
      "tell",
      "mute",
      "rename",
      "kill",
    ]);
    expect(optionReasons(pane, WELL)).toEqual([null, null, "the keys that choose it are unknown."]);
    const onlyAlways = asking({ options: [{ label: "Always", keys: ["1"], role: "approve_always" }] });
    expect(actionOf("approve").disabledReason(onlyAlways, WELL)).toContain("which option does only that");
  });

  it("answers a session that no pane shows only where its event told all of it", () => {
    const background = { id: "1981d014", is_answered_elsewhere: false };
    const told = { ...asking({ options: [] }), background };
    expect(possible(told)).toEqual([
      "approve",
      "deny",
      "rule",
      "attach",
      "output",
      "tell",
      "mute",
      "rename",
      "kill",
    ]);
    const untold = { ...asking({ options: [], is_whole: false }), background, prompt_fingerprint: null };
    expect(possible(untold)).toEqual(["attach", "output", "tell", "mute", "rename", "kill"]);
    expect(actionOf("approve").disabledReason(untold, WELL)).toContain("runs in the background");
    const elsewhere = { ...told, background: { ...background, is_answered_elsewhere: true } };
    expect(possible(elsewhere)).toEqual(["attach", "output", "tell", "mute", "rename", "kill"]);
    expect(actionOf("deny").disabledReason(elsewhere, WELL)).toContain("answer where it was asked");
  });

  it("opens a session that no pane shows for a text or an interrupt, on this machine alone", () => {
    const background = { id: "1981d014", is_answered_elsewhere: false };
    const at = (target: string, state: PaneView["state"]) =>
      possible({ ...makePane({ state, target }), background });
    expect(at("host", "idle")).toEqual(["reply", "attach", "output", "mute", "rename", "kill"]);
    expect(at("host", "running")).toEqual([
      "reply",
      "attach",
      "output",
      "interrupt",
      "tell",
      "mute",
      "rename",
      "kill",
    ]);
    expect(at("host", "unknown")).toEqual(["reply", "attach", "output", "tell", "mute", "rename", "kill"]);
    expect(at("vm1", "idle")).toEqual(["attach", "output", "mute", "rename", "kill"]);
    expect(at("vm1", "running")).toEqual(["attach", "output", "tell", "mute", "rename", "kill"]);
  });

  it("neither kills nor makes a rule of what is inside another program, and answers it only where it is whole", () => {
    const whole = { ...asking(), inside: "ssh" };
    expect(possible(whole)).toEqual(["approve", "attach", "output", "interrupt", "tell", "mute", "rename"]);
    const partly = { ...asking({ is_whole: false }), inside: "ssh", prompt_fingerprint: null };
    expect(possible(partly)).toEqual(["attach", "output", "interrupt", "tell", "mute", "rename"]);
    expect(actionOf("deny").disabledReason(partly, WELL)).toContain("inside ssh");
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
      expect(possible(pane, around)).toEqual([
        "deny",
        "denyBecause",
        "attach",
        "output",
        "interrupt",
        "tell",
        "mute",
        "rename",
        "kill",
      ]);
      const open = optionReasons(pane, around).map((reason) => reason === null);
      expect(open).toEqual([false, false, true, false]);
    }
    expect(actionOf("approve").disabledReason(asking({ options, is_whole: false }), WELL)).toContain(
      "not shown in full",
    );
  });

  it("does not answer a prompt that cannot be named", () => {
    const pane = { ...asking(), prompt_fingerprint: null };
    expect(possible(pane)).toEqual(["attach", "output", "interrupt", "tell", "mute", "rename", "kill"]);
    expect(optionReasons(pane, WELL)).toEqual(Array(3).fill("can't tell its prompt from another."));
  });

  it("replies to a prompt only where it takes a text", () => {
    expect(actionOf("reply").disabledReason(asking(), WELL)).toContain("doesn't take text");
    expect(actionOf("reply").disabledReason(asking({ text_entry: [] }), WELL)).toBeNull();
  });

  it("goes on after a limit of which it is known when it ends, and says when", async () => {
    const limited = makePane({ state: "error", reason: "usage_limit" });
    const why = (pane: PaneView, around: ActionContext = WELL) =>
      actionOf("goOn").disabledReason(pane, around);
    expect([limited, makePane({ state: "error", reason: "rate_limited" })].map((pane) => why(pane))).toEqual([
      null,
      null,
    ]);
    expect(why(makePane({ state: "error", reason: "crashed" }))).toBe("its agent has ended.");
    expect(why(makePane({ state: "running" }))).toBe("it hasn't hit a limit.");
    expect(why(limited, { ...WELL, resetless: new Set(["claude"]) })).toContain("when a limit ends");
    expect(why(limited, { ...WELL, unreadable: new Set(["claude"]) })).toContain("somebody is typing");
    const asked: unknown[] = [];
    const said: unknown[] = [];
    actionOf("goOn").run(limited, {
      sendAtReset: async (...input: unknown[]) => {
        asked.push(input);
        return { next_at: new Date(2026, 10, 24, 15, 0).toISOString() };
      },
      start: async (_pane: PaneView, kind: string, call: () => Promise<unknown>) =>
        said.push(kind, await call()),
    } as unknown as ActionSurface);
    await new Promise((done) => setImmediate(done));
    expect(asked).toEqual([[limited.identity.runtime_id, "go on"]]);
    expect(said).toMatchObject([
      "later",
      { outcome: "delivered", detail: expect.stringMatching(/“go on” is sent .*(15|3):00/) },
    ]);
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
    ).toEqual(["reply", "attach", "output", "tell", "mute", "rename", "kill"]));

  it("tells of the end of a turn, ends that again, and arms it once alone", async () => {
    const pane = makePane({ state: "running" });
    const { runtime_id: runtimeId } = pane.identity;
    let items: JobView[] = [];
    const calls: unknown[] = [];
    const said: unknown[] = [];
    const press = async (row: PaneView) => {
      actionOf("tell").run(row, {
        api: {
          automation: {
            jobs: { query: async () => ({ items, paused_at: null }) },
            watch: { mutate: async (input: unknown) => calls.push(input) },
            jobCancel: { mutate: async (input: unknown) => calls.push(input) },
          },
        },
        start: async (_pane: PaneView, _kind: string, call: () => Promise<{ detail: string }>) =>
          said.push((await call()).detail),
      } as unknown as ActionSurface);
      await new Promise((done) => setImmediate(done));
    };
    await press(pane);
    expect(calls.splice(0)).toMatchObject([{ subject: { runtimeId }, condition: { kind: "done" } }]);
    const watch = { kind: "watch", when: "done" } as const;
    items = [
      makeJob({ ...watch, job_id: "job_9", runtime_id: "rt99" }),
      makeJob({ ...watch, job_id: "job_2", runtime_id: runtimeId }),
      makeJob({ ...watch, job_id: "job_1", runtime_id: runtimeId, state: "done" }),
    ];
    // The row does not say so yet.
    await press(pane);
    expect(calls.splice(0)).toEqual([]);
    const told = { ...pane, armed: "1 queued, tells when done" };
    expect(actionOf("tell").label?.(told)).toBe("Don't tell me");
    await press(told);
    expect(calls).toEqual([{ id: "job_2" }]);
    expect(said).toEqual([
      "You'll be told when this turn is over.",
      "You'll be told when this turn is over.",
      "You won't be told when this turn is over.",
    ]);
  });
});

it("mutes for an hour, then until its end, then not at all", async () => {
  const asked: unknown[] = [];
  const press = async (muted: PaneView["muted"]) => {
    const pane = { ...makePane({ state: "running" }), muted };
    actionOf("mute").run(pane, {
      api: {
        mute: {
          mutate: async ({ forMs }: { forMs: unknown }) => {
            asked.push(forMs);
            return { muted: null };
          },
        },
      },
      start: async (_pane: PaneView, _kind: string, call: () => Promise<unknown>) => call(),
    } as unknown as ActionSurface);
    return actionOf("mute").label?.(pane);
  };
  const later = new Date().toISOString();
  const labels = [await press(null), await press({ until: later }), await press({ until: null })];
  expect(labels).toEqual(["Mute for an hour", "Mute until it ends", "Unmute"]);
  expect(asked).toEqual([3_600_000, "end", null]);
});

describe("what is missing", () => {
  const missing = (pane: PaneView, around: ActionContext = WELL) => notPossible(pane, around);

  it("is said once for all that it holds for", () => {
    expect(missing(asking({ options: [] }))).toEqual([
      "Approve, Deny: couldn't read the options; open the pane.",
      "Reply: its prompt doesn't take text; answer it or attach.",
    ]);
    expect(missing(makePane({ state: "running" }), { ...WELL, isUnreachable: true })).toEqual([
      "Reply, Attach, View output, Interrupt, Kill: host is unreachable.",
    ]);
  });
  it("is nothing where everything is there", () =>
    expect(missing(makePane({ state: "running" }))).toEqual([]));
});
