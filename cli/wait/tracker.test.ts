import { describe, expect, test } from "vitest";
import type { FeedEntry, PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { parseConditions, type Condition } from "../parse/filters.ts";
import { trackMany, trackOne, type WaitVerdict } from "../verbs/wait.ts";

const wanted = (until: string, after: number | null = null) => ({
  conditions: parseConditions([until]),
  after,
});
const state = (pane: PaneView): FeedEntry => ({
  kind: "state",
  version: pane.state_version,
  at: 0,
  pane,
  previous_state: null,
});
const removed = (pane: PaneView): FeedEntry => ({
  kind: "removed",
  version: 9,
  at: 0,
  pane_ref: pane.identity.pane_ref,
  runtime_id: pane.identity.runtime_id,
  identity: pane.identity,
});
const held = (condition: Condition, ...rows: PaneView[]): WaitVerdict => ({ kind: "held", condition, rows });
const PENDING = { kind: "pending" };
const CHECK = { kind: "check" };

describe("conditions", () => {
  test("are states, with or without state=, needs-action and gone", () => {
    expect(parseConditions(["idle,state=completed", "needs-action,gone,idle"])).toEqual([
      "idle",
      "completed",
      "needs-action",
      "gone",
    ]);
  });

  test.each(["busy", "state=busy", "state=gone", "", "idle,"])("'%s' is none", (text) => {
    expect(() => parseConditions([text])).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  });
});

describe("one runtime", () => {
  const running = makePane({ pane: 1, state: "running", version: 5 });
  const done = makePane({ pane: 1, state: "completed", version: 6 });
  const other = makePane({ pane: 2, state: "completed", version: 7 });

  test("holds when its own state fits, whatever others do", () => {
    const tracker = trackOne(running, wanted("completed"));
    expect(tracker.look([running, other])).toEqual(PENDING);
    expect(tracker.take(state(other))).toEqual(PENDING);
    expect(tracker.take(state(done))).toEqual(held("completed", done));
  });

  test("with --after needs a state that is newer", () => {
    const tracker = trackOne(done, wanted("completed", 6));
    expect(tracker.look([done])).toEqual(PENDING);
    const again = { ...done, state_version: 8 };
    expect(tracker.take(state(again))).toEqual(held("completed", again));
  });

  test("that went may only have moved: the full list decides", () => {
    const tracker = trackOne(running, wanted("completed"));
    expect(tracker.take(removed(running))).toEqual(CHECK);
    const moved = makePane({ pane: 1, state: "running", session: "renamed", version: 5 });
    expect(tracker.look([moved])).toEqual(PENDING);
    expect(tracker.take(removed(moved))).toEqual(CHECK);
    expect(tracker.look([])).toEqual({ kind: "ended", row: moved });
  });

  test("that is followed by another in the same pane has ended", () => {
    const next = makePane({ pane: 1, state: "idle", version: 7 });
    const successor = { ...next, identity: { ...next.identity, runtime_id: "rt9" } };
    const tracker = trackOne(running, wanted("idle"));
    expect(tracker.take(state(successor))).toEqual(CHECK);
    expect(tracker.look([successor])).toEqual({ kind: "ended", row: running });
    const goner = trackOne(running, wanted("gone"));
    expect(goner.look([successor])).toEqual(held("gone", running));
  });

  test("that crashed is gone, and an error, and has ended for everything else", () => {
    const crashed = makePane({ pane: 1, state: "error", reason: "crashed", version: 8 });
    expect(trackOne(running, wanted("gone")).take(state(crashed))).toEqual(held("gone", crashed));
    expect(trackOne(running, wanted("error")).take(state(crashed))).toEqual(held("error", crashed));
    expect(trackOne(running, wanted("idle")).take(state(crashed))).toEqual({ kind: "ended", row: crashed });
  });

  test("of a pane without an agent is the next one that comes", () => {
    const bare = makePane({ pane: 1, agent: null, state: null, version: 0 });
    const idle = makePane({ pane: 1, state: "idle", version: 3 });
    const tracker = trackOne(bare, wanted("completed"));
    expect(tracker.look([bare])).toEqual(PENDING);
    expect(tracker.take(state(idle))).toEqual(PENDING);
    expect(tracker.look([bare])).toEqual({ kind: "ended", row: idle });
  });
});

describe("many", () => {
  const claude = (row: PaneView) => row.agent === "claude";
  const asks = makePane({ pane: 1, state: "waiting_approval", version: 12 });
  const asked = makePane({ pane: 2, state: "waiting_input", version: 10 });
  const codex = makePane({ pane: 3, state: "waiting_input", version: 4, agent: "codex" });

  test("any: the oldest wait of those that fit comes first, and a loop gets each once", () => {
    const look = (after: number | null) =>
      trackMany(claude, "any", wanted("needs-action", after)).look([codex, asks, asked]);
    expect(look(null)).toEqual(held("needs-action", asked));
    expect(look(10)).toEqual(held("needs-action", asks));
    expect(look(12)).toEqual(PENDING);
  });

  test("any: a change is enough, without a look at the list", () => {
    const tracker = trackMany(claude, "any", wanted("needs-action"));
    expect(tracker.look([])).toEqual(PENDING);
    expect(tracker.take(state(codex))).toEqual(PENDING);
    expect(tracker.take(state(asks))).toEqual(held("needs-action", asks));
  });

  test("any: one that goes is told as it was last seen", () => {
    const tracker = trackMany(claude, "any", wanted("gone"));
    expect(tracker.look([asks, codex])).toEqual(PENDING);
    expect(tracker.take(removed(codex))).toEqual(CHECK);
    expect(tracker.look([asks])).toEqual(PENDING);
    expect(tracker.look([])).toEqual(held("gone", asks));
  });

  test("every: all that fit, and there has to be one", () => {
    const tracker = trackMany(claude, "every", wanted("needs-action,idle"));
    const running = makePane({ pane: 1, state: "running", version: 13 });
    expect(tracker.look([codex])).toEqual(PENDING);
    expect(tracker.look([running, asked])).toEqual(PENDING);
    expect(tracker.take(state(asks))).toEqual(CHECK);
    expect(tracker.look([asks, asked, codex])).toEqual(held("needs-action", asks, asked));
  });

  test("every: gone one after another", () => {
    const tracker = trackMany(claude, "every", wanted("gone"));
    expect(tracker.look([asks, asked])).toEqual(PENDING);
    expect(tracker.look([asked])).toEqual(PENDING);
    expect(tracker.look([])).toEqual(held("gone", asks, asked));
  });
});
