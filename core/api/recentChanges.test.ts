import { expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import type { FeedChange } from "../model/view.ts";
import { RecentChanges, type RecentChange } from "./feedHub.ts";

const changed = (version: number, pane: number): FeedChange => ({
  kind: "pane",
  version,
  at: 0,
  pane: makePane({ pane }),
  previousState: null,
  isTransition: false,
});
const refOf = (pane: number) => makePane({ pane }).identity.pane_ref;
const refs = (changes: readonly RecentChange[] | null) =>
  changes?.map(({ version, identity }) => [identity.pane_ref, version]);

it("names the rows that changed since a version, that version included, in the order of their last change", () => {
  const recent = new RecentChanges(3);
  recent.note([changed(4, 1), changed(5, 2), changed(5, 3), changed(6, 2)]);
  expect(refs(recent.since(5))).toEqual([
    [refOf(3), 5],
    [refOf(2), 6],
  ]);
  expect(refs(recent.since(7))).toEqual([]);
});

it("knows nothing of what was before it", () => {
  const recent = new RecentChanges(3);
  expect([recent.since(2), recent.since(3)]).toEqual([null, null]);
});

it("remembers a bounded number of rows, and says so rather than to leave one out", () => {
  const recent = new RecentChanges(0);
  for (let pane = 1; pane <= 10_000; pane += 1) recent.note([changed(pane, pane)]);
  expect(recent.since(1)?.length).toBe(10_000);
  recent.note([changed(10_001, 10_001)]);
  expect([recent.since(10_000), recent.since(10_001), recent.since(10_002)?.length]).toEqual([null, null, 0]);
});
