import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FeedEntry, type PaneView, type TargetView, rollUp } from "../../core/model/view.ts";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { applyEntries, INITIAL_FEED_STATE, markLost, type FeedState } from "./feedReducer.ts";

const snapshot = (panes: PaneView[], version = 1): FeedEntry => ({
  kind: "snapshot",
  version,
  at: 1_000,
  panes,
  targets: [makeTarget()],
  summary: rollUp(panes),
});
const changed = (pane: PaneView, version = 2): FeedEntry => ({
  kind: "state",
  version,
  at: 1_000,
  pane,
  previous_state: null,
});
const removed = (pane: PaneView, runtimeId = pane.identity.runtime_id): FeedEntry => ({
  kind: "removed",
  version: 3,
  at: 1_000,
  pane_ref: pane.identity.pane_ref,
  runtime_id: runtimeId,
  identity: { ...pane.identity, runtime_id: runtimeId },
});
const fold = (...entries: FeedEntry[]) => applyEntries(INITIAL_FEED_STATE, entries, 1_000);
const refs = (state: FeedState) => [...state.panes.keys()];

describe("applyEntries", () => {
  it("knows nothing before the first snapshot", () => {
    expect(INITIAL_FEED_STATE).toMatchObject({ hasSnapshot: false, connection: { kind: "loading" } });
    expect(fold(snapshot([]))).toMatchObject({ hasSnapshot: true, connection: { kind: "live" } });
  });

  it("adds, changes and removes rows", () => {
    const [one, two] = [makePane({ pane: 1 }), makePane({ pane: 2 })];
    const state = fold(snapshot([one]), changed(two), changed({ ...one, state: "running" }), removed(two));
    expect([...state.panes.values()]).toEqual([{ ...one, state: "running" }]);
  });

  it("keeps the row of a newer agent when the end of the older one comes late", () => {
    const pane = makePane({ pane: 1 });
    const state = fold(snapshot([pane]), removed(pane, "older-runtime"));
    expect(refs(state)).toEqual([pane.identity.pane_ref]);
  });

  it("replaces everything with a later snapshot", () => {
    const state = fold(
      snapshot([makePane({ pane: 1 })]),
      { kind: "gap", version: 4, at: 1_000, reason: "too slow" },
      snapshot([makePane({ pane: 2 })], 5),
    );
    expect(refs(state)).toEqual([makePane({ pane: 2 }).identity.pane_ref]);
  });

  it("names each pane that begins to wait once, and none of those found at the start", () => {
    const waiting = makePane({ pane: 1, state: "waiting_approval" });
    const start = fold(snapshot([waiting]));
    expect(start.newWaits).toEqual([]);
    const asked = makePane({ pane: 2, state: "waiting_input" });
    const next = applyEntries(start, [changed(asked)], 1_000);
    expect(next.newWaits).toEqual([asked]);
    expect(applyEntries(next, [changed(asked)], 1_000).newWaits).toEqual([]);
  });

  it("measures the daemon's clock", () => {
    expect(applyEntries(INITIAL_FEED_STATE, [snapshot([])], 400).clockOffsetMs).toBe(600);
  });

  it("gives the same rows in whatever batches the entries come", () => {
    const entry = fc.oneof(
      fc.integer({ min: 1, max: 6 }).map((pane) => changed(makePane({ pane, state: "running" }))),
      fc.integer({ min: 1, max: 6 }).map((pane) => removed(makePane({ pane }))),
    );
    fc.assert(
      fc.property(fc.array(entry), fc.nat(), (entries, cut) => {
        const whole = fold(snapshot([]), ...entries);
        const at = cut % (entries.length + 1);
        const parts = applyEntries(fold(snapshot([]), ...entries.slice(0, at)), entries.slice(at), 1_000);
        expect(parts.panes).toEqual(whole.panes);
      }),
    );
  });
});

describe("markLost", () => {
  it("keeps what is shown", () => {
    const state = markLost(fold(snapshot([makePane()])), "gone", 5_000);
    expect(state.panes.size).toBe(1);
    expect(state.connection).toEqual({ kind: "lost", message: "gone", retryAt: 5_000 });
  });
});

it("keeps the targets, and the daemon's clock, while what is told of them is the same", () => {
  const told = (target: TargetView, at: number): FeedEntry => ({ kind: "target", version: 2, at, target });
  const before = applyEntries(INITIAL_FEED_STATE, [snapshot([makePane()])], 0);
  const same = applyEntries(before, [told(makeTarget(), 40)], 10);
  expect([same.targets === before.targets, same.clockOffsetMs]).toEqual([true, before.clockOffsetMs]);
  const down = applyEntries(same, [told(makeTarget({ health: "down" }), 60_000)], 10);
  expect([down.targets.get("host")?.health, down.clockOffsetMs]).toEqual(["down", 59_990]);
});
