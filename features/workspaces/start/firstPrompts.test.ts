import { describe, expect, it } from "vitest";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { ActionResult } from "../../../core/model/actionView.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { makePane, type PaneOptions } from "../../../test/factories/view.ts";
import { handClock } from "../../../test/workspaces/handClock.ts";
import { FirstPrompts, type PromptOutcome } from "./firstPrompts.ts";

const fixture = (
  send: () => Promise<unknown> = () => Promise.resolve({ outcome: "delivered", detail: "" }),
) => {
  const clock = handClock();
  let rows: PaneView[] = [];
  const sent: { ref: string; text: string; guards: unknown; key: string | null }[] = [];
  const prompts = new FirstPrompts({
    clock,
    ids: { next: (prefix) => `${prefix}_1`, nonce: () => "" },
    rows: { all: () => rows } as never,
    send: async ({ ref, text, guards, idempotencyKey: key }) => {
      sent.push({ ref, text, guards, key });
      return (await send()) as ActionResult;
    },
  });
  let outcome: PromptOutcome | null = null;
  void prompts
    .add({ agent: "claude", target: "host", server: "default", paneId: "%1", text: "go" })
    .then((one) => {
      outcome = one;
    });
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 250) {
      clock.advance(250);
      await new Promise<void>((next) => setImmediate(next));
    }
  };
  return {
    prompts,
    sent,
    pass,
    outcome: () => outcome,
    show: (options: PaneOptions | null) => {
      rows =
        options === null ? [] : [makePane({ pane: 1, ...options }), makePane({ pane: 2, state: "idle" })];
    },
  };
};

describe("a first prompt", () => {
  it("goes in once the agent has been ready for a second, to that runtime in that state, and once", async () => {
    const { show, pass, sent, outcome, prompts } = fixture();
    show({ state: null, agent: null });
    await pass(3_000);
    show({ state: "running", reason: "thinking" });
    await pass(3_000);
    show({ state: "idle", version: 5 });
    await pass(750);
    expect(sent).toEqual([]);
    await pass(1_000);
    expect(sent).toMatchObject([
      {
        ref: "runtime:rt1",
        text: "go",
        guards: { ifRuntime: "rt1", ifState: "idle", ifVersion: 5 },
        key: "fp_1",
      },
    ]);
    expect(outcome()).toEqual({ prompt: "delivered", prompt_detail: "" });
    await pass(5_000);
    expect([sent.length, prompts.count]).toEqual([1, 0]);
  });

  it("never goes into a question, and waits until its person has answered it", async () => {
    const { show, pass, sent } = fixture();
    show({ state: "waiting_approval", reason: "trust_folder" });
    await pass(120_000);
    expect(sent).toEqual([]);
    show({ state: "idle", version: 9 });
    await pass(2_000);
    expect(sent).toHaveLength(1);
  });

  it("never goes to another kind of agent, which a shell's own settings may start", async () => {
    const { show, pass, sent, outcome } = fixture();
    show({ state: "idle", agent: "codex" });
    await pass(10_000);
    show({ state: "idle", version: 7 });
    await pass(2_000);
    expect(sent).toMatchObject([{ ref: "runtime:rt1", guards: { ifVersion: 7 } }]);
    const other = fixture();
    other.show({ state: "idle", agent: "codex" });
    await other.pass(61_000);
    expect([other.sent, other.outcome()?.prompt_detail]).toEqual([[], "no claude was seen in the pane"]);
    expect(outcome()?.prompt).toBe("delivered");
  });

  it("waits again where the agent was ready for a moment only", async () => {
    const { show, pass, sent } = fixture();
    for (let turn = 0; turn < 5; turn += 1) {
      show({ state: "idle", version: turn * 2 + 1 });
      await pass(750);
      show({ state: "running", reason: "thinking", version: turn * 2 + 2 });
      await pass(500);
    }
    expect(sent).toEqual([]);
  });

  it.each([
    [
      "the agent ended before it was ready",
      (f: ReturnType<typeof fixture>) => f.show({ state: null, agent: null }),
    ],
    ["the agent ended before it was ready", (f: ReturnType<typeof fixture>) => f.show(null)],
  ])("is dropped when %s", async (why, end) => {
    const f = fixture();
    f.show({ state: "running", reason: "thinking" });
    await f.pass(1_000);
    end(f);
    await f.pass(1_000);
    expect(f.outcome()).toEqual({ prompt: "dropped", prompt_detail: why });
    expect(f.sent).toEqual([]);
  });

  it("is dropped when no agent appears, when nobody makes it ready, and when the daemon ends", async () => {
    const none = fixture();
    none.show({ state: null, agent: null });
    await none.pass(61_000);
    expect(none.outcome()?.prompt_detail).toBe("no claude was seen in the pane");
    const never = fixture();
    never.show({ state: "waiting_approval" });
    await never.pass(31 * 60_000);
    expect(never.outcome()?.prompt_detail).toBe("the agent was not ready within half an hour");
    const ended = fixture();
    ended.prompts.close();
    await ended.pass(250);
    expect(ended.outcome()).toMatchObject({ prompt: "dropped" });
  });

  it("is tried again where nothing was sent, and not where nobody knows", async () => {
    let tries = 0;
    const moving = fixture(() => {
      tries += 1;
      return tries < 3
        ? Promise.reject(new AgtmuxError("E_STALE_SNAPSHOT", "it moved"))
        : Promise.resolve({ outcome: "delivered", detail: "" });
    });
    moving.show({ state: "idle" });
    await moving.pass(10_000);
    expect([tries, moving.outcome()?.prompt]).toEqual([3, "delivered"]);
    const lost = fixture(() => Promise.reject(new AgtmuxError("E_TARGET_UNREACHABLE", "gone")));
    lost.show({ state: "idle" });
    await lost.pass(10_000);
    expect([lost.sent.length, lost.outcome()?.prompt]).toEqual([1, "unverified"]);
  });
});
