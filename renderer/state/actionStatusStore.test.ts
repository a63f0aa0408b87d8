import { describe, expect, it } from "vitest";
import type { ActionResult } from "../../core/model/action.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { ActionStatusStore } from "./actionStatusStore.ts";

const RESULT: ActionResult = {
  schema_version: "1.0",
  action_id: "act",
  action: "send",
  pane_ref: "pane:a",
  runtime_id: "rt",
  snapshot_id: "snap",
  outcome: "delivered",
  detail: "seen",
  notes: [],
  is_repeat: false,
};

class Refusal extends Error {
  readonly code: string | null;
  constructor(code: string | null) {
    super("no");
    this.code = code;
  }
}
const toFailure = (error: unknown): Failure => ({
  message: "no",
  remedy: null,
  code: error instanceof Refusal ? error.code : null,
});

const createStore = () => ({ store: new ActionStatusStore({ toFailure }) });

describe("one action of a pane at a time", () => {
  it("says what is under way, runs nothing else meanwhile, and then what came of it", async () => {
    const { store } = createStore();
    const { promise, resolve } = Promise.withResolvers<ActionResult>();
    const first = store.run("pane:a", "send", () => promise);
    expect(store.getState().get("pane:a")).toEqual({ kind: "sending", action: "send" });
    store.clear("pane:a");
    let ran = false;
    const second = await store.run("pane:a", "kill", () => {
      ran = true;
      return promise;
    });
    expect([second, ran]).toEqual([null, false]);
    expect(store.getState().get("pane:a")).toEqual({ kind: "sending", action: "send", further: "kill" });
    store.refuse("pane:a", "answer", "it asks nothing");
    resolve(RESULT);
    expect(await first).toMatchObject({ kind: "done", outcome: "delivered" });
    expect(store.getState().get("pane:a")).toMatchObject({ kind: "done", further: "answer" });
    store.clear("pane:a");
    expect(store.getState().size).toBe(0);
  });

  it("opens the pane while something else is under way, and leaves that its place", async () => {
    const { store } = createStore();
    const { promise, resolve } = Promise.withResolvers<ActionResult>();
    const answer = store.run("pane:a", "answer", () => promise);
    let opened = 0;
    await store.run("pane:a", "attach", () => {
      opened += 1;
      return Promise.resolve(null);
    });
    await store.run("pane:a", "attach", () => Promise.reject(new Refusal("E_UNSUPPORTED")));
    expect(opened).toBe(1);
    expect(store.getState().get("pane:a")).toEqual({ kind: "sending", action: "answer" });
    resolve(RESULT);
    expect(await answer).toMatchObject({ kind: "done", action: "answer" });
  });

  it("tells a refusal from an answer that did not arrive", async () => {
    const { store } = createStore();
    const fail = async (action: "send" | "attach", code: string | null) =>
      (await store.run("pane:a", action, () => Promise.reject(new Refusal(code))))?.kind;
    expect(await fail("send", "E_STALE_SNAPSHOT")).toBe("refused");
    expect(await fail("send", null)).toBe("lost");
    expect(await fail("send", "E_TARGET_UNREACHABLE")).toBe("lost");
    // Opening a pane twice does no harm.
    expect(await fail("attach", null)).toBe("refused");
  });

  it("shows nothing for what is seen elsewhere", async () => {
    const { store } = createStore();
    expect(await store.run("pane:a", "attach", () => Promise.resolve(null))).toBeNull();
    expect(store.getState().size).toBe(0);
  });

  it("forgets panes that are gone", () => {
    const { store } = createStore();
    store.refuse("pane:a", "kill", "no");
    store.refuse("pane:b", "kill", "no");
    store.prune((ref) => ref === "pane:b");
    expect([...store.getState().keys()]).toEqual(["pane:b"]);
  });
});
