import { describe, expect, it } from "vitest";
import type { ActionResult } from "../../core/model/actionView.ts";
import type { Failure } from "../../ui/actions/actionStatus.ts";
import { ActionDesk } from "./actionDesk.ts";

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

const createDesk = () => {
  let now = 0;
  const desk = new ActionDesk({ toFailure, now: () => now });
  return { desk, pass: (ms: number) => (now += ms) };
};

describe("one action of a pane at a time", () => {
  it("says what is under way, runs nothing else meanwhile, and then what came of it", async () => {
    const { desk } = createDesk();
    const { promise, resolve } = Promise.withResolvers<ActionResult>();
    const first = desk.run("pane:a", "send", () => promise);
    expect(desk.getStatuses().get("pane:a")).toEqual({ kind: "sending", action: "send" });
    desk.clear("pane:a");
    let ran = false;
    const second = await desk.run("pane:a", "kill", () => {
      ran = true;
      return promise;
    });
    expect([second, ran]).toEqual([null, false]);
    resolve(RESULT);
    expect(await first).toMatchObject({ kind: "done", outcome: "delivered" });
    desk.clear("pane:a");
    expect(desk.getStatuses().size).toBe(0);
  });

  it("opens the pane while something else is under way, and leaves that its place", async () => {
    const { desk } = createDesk();
    const { promise, resolve } = Promise.withResolvers<ActionResult>();
    const answer = desk.run("pane:a", "answer", () => promise);
    let opened = 0;
    await desk.run("pane:a", "attach", () => {
      opened += 1;
      return Promise.resolve(null);
    });
    await desk.run("pane:a", "attach", () => Promise.reject(new Refusal("E_UNSUPPORTED")));
    expect(opened).toBe(1);
    expect(desk.getStatuses().get("pane:a")).toEqual({ kind: "sending", action: "answer" });
    resolve(RESULT);
    expect(await answer).toMatchObject({ kind: "done", action: "answer" });
  });

  it("tells a refusal from an answer that did not arrive", async () => {
    const { desk } = createDesk();
    const fail = async (action: "send" | "attach", code: string | null) =>
      (await desk.run("pane:a", action, () => Promise.reject(new Refusal(code))))?.kind;
    expect(await fail("send", "E_STALE_SNAPSHOT")).toBe("refused");
    expect(await fail("send", null)).toBe("lost");
    expect(await fail("send", "E_TARGET_UNREACHABLE")).toBe("lost");
    // Going there twice does no harm.
    expect(await fail("attach", null)).toBe("refused");
  });

  it("shows nothing for what is seen elsewhere", async () => {
    const { desk } = createDesk();
    expect(await desk.run("pane:a", "attach", () => Promise.resolve(null))).toBeNull();
    expect(desk.getStatuses().size).toBe(0);
  });

  it("forgets panes that are gone", () => {
    const { desk } = createDesk();
    desk.refuse("pane:a", "kill", "no");
    desk.refuse("pane:b", "kill", "no");
    desk.prune((ref) => ref === "pane:b");
    expect([...desk.getStatuses().keys()]).toEqual(["pane:b"]);
  });
});

describe("a prompt that took the place of another", () => {
  it("has to be on the screen for a moment before it can be answered", () => {
    const { desk, pass } = createDesk();
    desk.noteShown([{ ref: "pane:a", fingerprint: "one" }]);
    expect(desk.wasRead("pane:a")).toBe(true);
    desk.noteShown([{ ref: "pane:a", fingerprint: "two" }]);
    expect(desk.wasRead("pane:a")).toBe(false);
    pass(200);
    // Drawing it once more does not make it newer.
    desk.noteShown([{ ref: "pane:a", fingerprint: "two" }]);
    pass(200);
    expect(desk.wasRead("pane:a")).toBe(true);
  });

  it("is new to nobody who had looked elsewhere", () => {
    const { desk } = createDesk();
    desk.noteShown([{ ref: "pane:a", fingerprint: "one" }]);
    desk.noteShown([]);
    desk.noteShown([{ ref: "pane:a", fingerprint: "two" }]);
    expect(desk.wasRead("pane:a")).toBe(true);
  });
});
