import { expect, it } from "vitest";
import { type FeedEntry, rollUp } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { FeedStore } from "./feedStore.ts";

const snapshot: FeedEntry = {
  kind: "snapshot",
  version: 1,
  at: 0,
  panes: [],
  targets: [],
  summary: rollUp([]),
};
const changed = (pane: number): FeedEntry => ({
  kind: "state",
  version: pane,
  at: 0,
  pane: makePane({ pane }),
  previous_state: null,
});

const setUp = () => {
  const scheduled: (() => void)[] = [];
  const seen = { isVisible: true, renders: 0 };
  const store = new FeedStore({
    now: () => 0,
    isVisible: () => seen.isVisible,
    schedule: (callback) => {
      scheduled.push(callback);
      return () => void scheduled.splice(scheduled.indexOf(callback), 1);
    },
  });
  store.subscribe(() => (seen.renders += 1));
  return { store, seen, scheduled, frame: () => scheduled.splice(0).forEach((callback) => callback()) };
};

it("shows a storm of changes in one rendering", () => {
  const { store, seen, frame } = setUp();
  store.push(snapshot);
  for (let pane = 1; pane <= 400; pane += 1) store.push(changed(pane));
  frame();
  expect([seen.renders, store.getState().panes.size]).toEqual([1, 400]);
});

it("renders and schedules nothing while hidden, and all of it when shown", () => {
  const { store, seen, scheduled } = setUp();
  seen.isVisible = false;
  store.push(snapshot);
  for (let pane = 1; pane <= 2_000; pane += 1) store.push(changed(pane));
  expect([seen.renders, scheduled.length]).toEqual([0, 0]);
  seen.isVisible = true;
  store.flush();
  expect([seen.renders, store.getState().panes.size]).toEqual([1, 2_000]);
});

it("keeps the rows when the connection breaks", () => {
  const { store, frame } = setUp();
  store.push(snapshot);
  store.push(changed(1));
  store.lose("gone", 5);
  frame();
  expect(store.getState()).toMatchObject({ connection: { kind: "lost", message: "gone" } });
  expect(store.getState().panes.size).toBe(1);
});

it("asks for no frame any more when it comes to rest before the frame came", () => {
  const { store, seen, scheduled } = setUp();
  store.push(snapshot);
  expect(scheduled).toHaveLength(1);
  seen.isVisible = false;
  store.flush();
  expect([scheduled.length, seen.renders]).toEqual([0, 1]);
});

it("goes on from the last entry, but not from a gap", () => {
  const { store } = setUp();
  expect(store.version).toBeNull();
  store.push(snapshot);
  store.push(changed(7));
  store.push({ kind: "gap", version: 99, at: 0, reason: "too slow" });
  expect(store.version).toBe(7);
});
